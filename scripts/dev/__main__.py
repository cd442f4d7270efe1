"""torch-trace's development commands. Each does the set-up that it needs on first use and is quick afterwards.

  setup                  the packages of apt and PyPI that are missing, the environment .venv
  build [targets]        compile into build/ (tools in build/bin/); --preset=release or asan: build-release/, build-asan/
  test [suites]          lit, python, checks (all of them by default); the last line is `N passed, N failed`
                         --quick: without the slow Python tests; --asan: lit under the sanitizers;
                         paths of tests may follow: ./dev test test/Autodiff  ./dev test test/python/test_backend.py
  demo                   train four models on real data, eager against trace; writes demo-out/ (--help: its options)
  bench                  time single blocks, eager, inductor and trace in turns (--help: its options)
  gpu-check              compile a package of kernels that a machine with a GPU checks and times; or check and time it
                         here, or on the simulator (--help: --build, --run, --emulated)
  docs                   write the generated pages and the examples in docs/ and README.md; --check: compare only
  format                 clang-format on all C++ files; --check: compare only
  lint                   clang-tidy on changed C++ files (--all, or these files), ruff on Python files
  clean                  remove build/, build-asan/, build-release/, demo-out/ (--all: .venv too)
  new-pass Folder Name   a pass's skeleton in include, lib and test: ./dev new-pass Schedule SinkCasts
  help                   this text
"""

from __future__ import annotations

import os
import shutil
import sys

from common import PYTHON, ROOT, Stop, environment, say


def setup(args: list[str]) -> int:
    import setup as module

    module.setup()
    say("everything is there")
    return 0


def python_script(path: str, args: list[str]) -> int:
    """Builds, then becomes the script, so that signals and the exit status are the script's own."""
    import build as module

    if not any(a in ("-h", "--help") for a in args):
        module.build()
    else:
        module.setup()
    os.chdir(ROOT)
    os.execve(PYTHON, [str(PYTHON), path, *args], environment())


def clean(args: list[str]) -> int:
    for name in ["build", "build-asan", "build-release", "demo-out"] + ([".venv"] if "--all" in args else []):
        path = ROOT / name
        if path.is_symlink():
            path.unlink()
        else:
            shutil.rmtree(path, ignore_errors=True)
    return 0


def main(argv: list[str]) -> int:
    command, args = (argv[0], argv[1:]) if argv else ("help", [])
    if command in ("help", "-h", "--help"):
        print(__doc__.strip())
        return 0
    if command == "setup":
        return setup(args)
    if command == "demo":
        return python_script("examples/demo", args)
    if command == "bench":
        return python_script("benchmarks/blocks.py", args)
    if command == "gpu-check":
        return python_script("benchmarks/gpu_check", args)
    if command == "clean":
        return clean(args)
    if command in ("build", "test", "docs", "format", "lint", "new-pass"):
        module = __import__({"format": "formatting", "new-pass": "new_pass"}.get(command, command))
        return module.main(args)
    print(f"dev: no command '{command}'\n\n{__doc__.strip()}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Stop as stop:
        print(f"dev: {stop}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
