"""Where the built tools and libraries are. A test that needs one that is not there fails, it is not skipped."""

from __future__ import annotations

import os
import pathlib

BUILD = pathlib.Path(__file__).parents[2] / "build"


def built(name: str, variable: str = "") -> pathlib.Path:
    """The path of `name` in the build folder, or what the environment variable says in its place."""
    path = pathlib.Path(os.environ.get(variable) or BUILD / name)
    if not path.exists():
        raise FileNotFoundError(f"{path} is not there; run ./dev build first")
    return path
