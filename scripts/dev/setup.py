"""`./dev setup`: the system's packages and the Python environment. Every other command calls it first; when all is
there it takes a fraction of a second (a stamp in .venv holds the hash of what was installed)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from common import LLVM_BIN, PYTHON, ROOT, VENV, Stop, digest, run, say

# What the build, the tests and the demo need from Debian. g++ brings the C++ standard library and is Inductor's compiler.
APT_PACKAGES = [
    "libmlir-22-dev", "mlir-22-tools", "llvm-22-dev", "llvm-22-tools", "clang-22", "lld-22", "clang-format-22",
    "libzstd-dev", "zlib1g-dev", "ninja-build", "ccache", "cmake", "g++", "git",
]  # fmt: skip
APT_PACKAGES_FOR = {
    "asan": ["libclang-rt-22-dev"],
    "lint": ["clang-tidy-22"],
    "venv": ["python3.11-venv"],
    "headers": ["python3.11-dev"],
}


def installed(package: str) -> bool:
    done = subprocess.run(["dpkg-query", "-W", "-f=${db:Status-Status}", package], capture_output=True, text=True)
    return done.returncode == 0 and done.stdout == "installed"


def apt(packages: list[str]) -> None:
    """Installs those Debian packages that are not there yet."""
    if not shutil.which("dpkg-query"):
        # Another system: the build finds out what is missing; say what is needed when the main part is not there.
        if not (LLVM_BIN / "mlir-tblgen").exists():
            raise Stop(f"this is not Debian; install MLIR 22 with its tools in {LLVM_BIN.parent}, cmake, ninja, ccache")
        return
    missing = [p for p in packages if not installed(p)]
    if not missing:
        return
    install = ["apt-get", "install", "-y", "--no-install-recommends", *missing]
    prefix: list[str] = []
    if os.geteuid() != 0:
        if not (shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0):
            raise Stop(f"packages are missing; as root, run:\n  apt-get update && {' '.join(install)}")
        prefix = ["sudo", "-n"]
    say(f"apt-get install {' '.join(missing)}")
    env = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    run(*prefix, "apt-get", "update", "-q", quiet=True, env=env)
    run(*prefix, *install, quiet=True, env=env)


def venv_is_shared() -> bool:
    """A .venv that is a link belongs to several checkouts: its packages are used, nothing of ours is put into it."""
    return VENV.is_symlink()


def python_environment() -> None:
    """Makes .venv and installs requirements.txt into it."""
    requirements = (ROOT / "requirements.txt").read_bytes()
    stamp = VENV / ".torch-trace-requirements"
    want = digest(requirements)
    if PYTHON.exists() and stamp.exists() and stamp.read_text() == want:
        return
    # The extension module needs Python's headers, which Debian has in a package of their own.
    if not (Path(sysconfig.get_paths()["include"]) / "Python.h").exists():
        apt(APT_PACKAGES_FOR["headers"])
    if not PYTHON.exists():
        say("making the Python environment .venv")
        try:
            import ensurepip  # noqa: F401  (Debian has it in a package of its own)
        except ImportError:
            apt(APT_PACKAGES_FOR["venv"])
        run(sys.executable, "-m", "venv", VENV, quiet=True)
    say("pip install -r requirements.txt (torch is large: minutes on first use)")
    run(PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "-q", "-r", "requirements.txt", quiet=True)
    stamp.write_text(want)


def link_package() -> None:
    """Makes `import torch_trace` and its entry points work in .venv without a copy: a .pth file to python/, and beside
    the package the metadata that importlib reads (what a development install of setuptools leaves too)."""
    pyproject = ROOT / "pyproject.toml"
    if not pyproject.exists():
        return
    import tomllib

    project = tomllib.loads(pyproject.read_text())["project"]
    info = ROOT / "python" / "torch_trace.egg-info"
    entry_points = ""
    for group, entries in project.get("entry-points", {}).items():
        entry_points += f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in entries.items()) + "\n"
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project.get('version', '0.0.0')}\n"
    write_if_changed(info / "PKG-INFO", metadata)
    write_if_changed(info / "entry_points.txt", entry_points)
    if not venv_is_shared():
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        write_if_changed(VENV / "lib" / version / "site-packages" / "torch_trace_dev.pth", f"{ROOT / 'python'}\n")


def write_if_changed(path: Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def setup(*extra: str) -> None:
    """Everything that a command needs; `extra` names entries of APT_PACKAGES_FOR."""
    apt(APT_PACKAGES + [p for name in extra for p in APT_PACKAGES_FOR[name]])
    python_environment()
    link_package()
