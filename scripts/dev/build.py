"""`./dev build [--preset=dev|release|asan] [targets...]`: CMake and Ninja, by the presets."""

from __future__ import annotations

from pathlib import Path

from common import BUILD, ROOT, cores, digest, run, say, tracked
from setup import setup

BUILD_DIRS = {"dev": BUILD, "release": ROOT / "build-release", "asan": ROOT / "build-asan"}


def configure(preset: str) -> None:
    """Runs CMake when it has not run yet, or when folders joined or left (they do by having a CMakeLists.txt)."""
    folder = BUILD_DIRS[preset]
    stamp = folder / ".configured"
    listed = tracked("*CMakeLists.txt", "*.cmake", "*Passes.td", "CMakePresets.json")
    want = digest(*(str(p) for p in listed), (ROOT / "CMakePresets.json").read_bytes())
    if (folder / "build.ninja").exists() and stamp.exists() and stamp.read_text() == want:
        return
    say(f"cmake --preset {preset}")
    run("cmake", "--preset", preset, quiet=True)
    stamp.write_text(want)


def build(preset: str = "dev", targets: list[str] | None = None) -> Path:
    """Builds and returns the build folder."""
    setup(*(["asan"] if preset == "asan" else []))
    configure(preset)
    say(f"cmake --build --preset {preset}")
    run("cmake", "--build", "--preset", preset, "-j", str(cores()), *(["--target", *targets] if targets else []))
    return BUILD_DIRS[preset]


def main(args: list[str]) -> int:
    preset = "dev"
    targets = []
    for arg in args:
        if arg.startswith("--preset="):
            preset = arg.removeprefix("--preset=")
            if preset not in BUILD_DIRS:
                print(f"dev: no preset '{preset}' (there are {', '.join(BUILD_DIRS)})")
                return 2
        else:
            targets.append(arg)
    build(preset, targets)
    return 0
