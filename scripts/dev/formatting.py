"""`./dev format [--check]`: clang-format on every C++ file of the repository."""

from __future__ import annotations

import subprocess

from common import LLVM_BIN, ROOT, run, tracked


def sources() -> list:
    return tracked("*.cpp", "*.h")


def complaints() -> list[str]:
    """The places that clang-format would change."""
    files = sources()
    if not files:
        return []
    command = [LLVM_BIN / "clang-format", "--dry-run", "-Werror", *files]
    done = subprocess.run([str(c) for c in command], cwd=ROOT, capture_output=True, text=True)
    if not done.returncode:
        return []
    lines = [line for line in done.stderr.splitlines() if "error:" in line]
    first = {line.split(":", 1)[0]: line for line in reversed(lines)}
    return [line.replace(f"{ROOT}/", "") for line in first.values()] or [done.stderr]


def main(args: list[str]) -> int:
    from setup import setup

    setup()
    if "--check" in args:
        found = complaints()
        print("\n".join(found))
        return 1 if found else 0
    files = sources()
    if files:
        run(LLVM_BIN / "clang-format", "-i", *files)
    return 0
