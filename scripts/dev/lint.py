"""`./dev lint [--all | files]`: clang-tidy on the C++ files that differ from main (or all, or these), ruff on the Python
files."""

from __future__ import annotations

from common import LLVM_BIN, ROOT, VENV, cores, output, run, say, tracked
from setup import setup

from build import BUILD_DIRS, configure


def changed() -> set[str]:
    """Files that differ from where this branch left main, and files not committed yet."""
    base = output("git", "merge-base", "HEAD", "origin/main").strip() if "origin/main" in output(
        "git", "branch", "-r", "--format=%(refname:short)") else "HEAD"  # fmt: skip
    names = output("git", "diff", "--name-only", base).split()
    return set(names) | set(output("git", "ls-files", "--others", "--exclude-standard").split())


def main(args: list[str]) -> int:
    setup("lint")
    configure("dev")
    # The generated headers must be there before clang-tidy can parse anything.
    run("cmake", "--build", "--preset", "dev", "--target", "trace_headers", quiet=True)
    files = tracked("lib/*.cpp", "tools/*.cpp", "python/*.cpp")
    if "--all" not in args:
        wanted = set(args) or changed()
        files = [f for f in files if f.relative_to(ROOT).as_posix() in wanted]
    status = 0
    if files:
        say(f"clang-tidy on {len(files)} files")
        status |= run(LLVM_BIN / "run-clang-tidy", "-quiet", f"-j{cores()}", f"-p={BUILD_DIRS['dev']}",
                      f"-clang-tidy-binary={LLVM_BIN / 'clang-tidy'}", *files, check=False)  # fmt: skip
    say("ruff check")
    status |= run(VENV / "bin" / "ruff", "check", "-q", ".", check=False)
    return 1 if status else 0
