"""What every command uses: paths, running programs, errors that end in one line and not in a traceback."""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LLVM_BIN = Path("/usr/lib/llvm-22/bin")
BUILD = ROOT / "build"


class Stop(Exception):
    """A failure that is told in its own words; `./dev` prints it and exits with status 1."""


def say(text: str) -> None:
    """One line about what happens next; on stderr, so that a command's own output stays clean."""
    mark = "\033[1m==\033[0m" if sys.stderr.isatty() else "=="
    print(mark, text, file=sys.stderr, flush=True)


def environment(**more: str) -> dict[str, str]:
    """The environment of every program that we start: our LLVM, our venv, our package."""
    env = dict(os.environ)
    env["PATH"] = os.pathsep.join([str(BUILD / "bin"), str(VENV / "bin"), str(LLVM_BIN), env.get("PATH", "")])
    env["PYTHONPATH"] = os.pathsep.join(p for p in (str(ROOT / "python"), env.get("PYTHONPATH")) if p)
    env.update(more)
    return env


def run(*command: str | Path, check: bool = True, quiet: bool = False, env: dict | None = None) -> int:
    """Runs a program in the repository's root. With `quiet` its output is shown only when it fails."""
    words = [str(c) for c in command]
    sink = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT} if quiet else {}
    done = subprocess.run(words, cwd=ROOT, env=env or environment(), **sink)
    if done.returncode and quiet:
        sys.stderr.buffer.write(done.stdout)
    if done.returncode and check:
        raise Stop(f"failed with status {done.returncode}: {shlex.join(words)}")
    return done.returncode


def output(*command: str | Path) -> str:
    """What a program prints on stdout."""
    words = [str(c) for c in command]
    done = subprocess.run(words, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise Stop(f"failed with status {done.returncode}: {shlex.join(words)}\n{done.stderr}")
    return done.stdout


def tracked(*patterns: str) -> list[Path]:
    """The repository's files (tracked, or new and not ignored) that match git's path patterns."""
    names = output("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *patterns).split("\0")
    return sorted({ROOT / n for n in names if n and (ROOT / n).is_file()})


def digest(*parts: str | bytes) -> str:
    """A hash for stamp files."""
    h = hashlib.sha256()
    for part in parts:
        h.update(part.encode() if isinstance(part, str) else part)
        h.update(b"\0")
    return h.hexdigest()


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))
