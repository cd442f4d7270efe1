"""The checks of `./dev test` that are about the tree itself. Each yields the complaints that it has."""

from __future__ import annotations

import re
from pathlib import Path

from common import ROOT, tracked

MAX_LINES = 800


def passes() -> list[tuple[str, Path, str]]:
    """(command-line name, Passes.td, folder) of every pass."""
    found = []
    for td in tracked("include/trace/*Passes.td"):
        folder = td.parent.relative_to(ROOT / "include/trace").as_posix()
        for name in re.findall(r'\bdef\s+\w+\s*:\s*(?:Interface)?Pass<\s*"([^"]+)"', td.read_text()):
            found.append((name, td, folder))
    return found


def names() -> list[str]:
    """Each pass has one home: `trace-sink-casts` in include/trace/Schedule/Passes.td is implemented in
    lib/Schedule/SinkCasts.cpp and tested by test/Schedule/sink-casts.mlir."""
    complaints = []
    for name, td, folder in passes():
        where = td.relative_to(ROOT)
        if not name.startswith("trace-"):
            complaints.append(f"{where}: pass '{name}' is not called trace-…")
            continue
        short = name.removeprefix("trace-")
        flat = short.replace("-", "")
        if not any(p.stem.lower() == flat for p in tracked(f"lib/{folder}/*.cpp")):
            camel = "".join(w.capitalize() for w in short.split("-"))
            complaints.append(f"{where}: no lib/{folder}/{camel}.cpp for '{name}'")
        if not any(p.stem == short for p in tracked(f"test/{folder}/*.mlir")):
            complaints.append(f"{where}: no test/{folder}/{short}.mlir for '{name}'")
    return complaints


def descriptions() -> list[str]:
    """Each pass is documented: its .td entry has a description of more than a line."""
    complaints = []
    for td in tracked("include/trace/*Passes.td"):
        for entry in re.split(r"\n(?=def )", td.read_text()):
            match = re.match(r'def\s+\w+\s*:\s*(?:Interface)?Pass<\s*"([^"]+)"', entry)
            text = re.search(r"let description\s*=\s*\[\{(.*?)\}\]", entry, re.S)
            if match and (not text or len(text.group(1).strip().splitlines()) < 2):
                complaints.append(f"{td.relative_to(ROOT)}: '{match.group(1)}' has no full description")
    return complaints


def sizes() -> list[str]:
    """No file over 800 lines (generated pages apart)."""
    complaints = []
    for path in tracked("*.cpp", "*.h", "*.td", "*.py", "*.mlir", "*.cmake", "*.md", "dev"):
        relative = path.relative_to(ROOT)
        if relative.parts[:2] == ("docs", "generated"):
            continue
        lines = path.read_bytes().count(b"\n")
        if lines > MAX_LINES:
            complaints.append(f"{relative}: {lines} lines, the limit is {MAX_LINES}")
    return complaints


def unfinished() -> list[str]:
    """No conflict markers, no tabs in C++."""
    complaints = []
    for path in tracked("*.cpp", "*.h", "*.td", "*.py", "*.mlir", "*.md"):
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if line.startswith(("<<<<<<< ", ">>>>>>> ")):
                complaints.append(f"{path.relative_to(ROOT)}:{number}: conflict marker")
            elif "\t" in line and path.suffix in (".cpp", ".h", ".td"):
                complaints.append(f"{path.relative_to(ROOT)}:{number}: tab")
    return complaints


def run_checks():
    """(name, complaints) of each check, in a fixed order."""
    import formatting

    import docs

    yield "clang-format", formatting.complaints()
    yield "pass names: one home in include, lib and test", names()
    yield "pass descriptions", descriptions()
    yield f"no file over {MAX_LINES} lines", sizes()
    yield "no conflict markers, no tabs", unfinished()
    for page, complaints in docs.compare():
        yield f"{page} is current", complaints
