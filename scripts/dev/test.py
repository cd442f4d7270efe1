"""`./dev test`: every suite, one closing line `N passed, N failed`, exit status 1 when anything failed.

A suite that was asked for and ran nothing is a failure as well: silence is not success."""

from __future__ import annotations

import argparse
import time
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

from checks import run_checks
from common import PYTHON, ROOT, VENV, cores, environment, run, say

from build import build


@dataclass
class Result:
    suite: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    note: str = ""


def read_junit(suite: str, path: Path, status: int) -> Result:
    """Counts of a junit file. A runner that failed without a failing test (a crash, a collection error) is a failure."""
    result = Result(suite)
    if path.exists():
        for case in ET.parse(path).getroot().iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                result.failed += 1
            elif case.find("skipped") is not None:
                result.skipped += 1
            else:
                result.passed += 1
    if result.passed + result.failed == 0:
        result.failed, result.note = 1, "ran nothing"
    elif status and not result.failed:
        result.failed, result.note = 1, f"the runner exited with status {status}"
    return result


def lit(folder: Path, paths: list[str], params: list[str]) -> Result:
    """The .mlir tests (and the interpreter's: they are lit tests that run trace-run). Every test runs with the round-trip
    switch on: trace-opt prints, parses and compares its input as text and as bytecode, and verifies each stage."""
    xml = folder / "test-results" / "lit.xml"
    xml.parent.mkdir(parents=True, exist_ok=True)
    xml.unlink(missing_ok=True)
    status = run(
        VENV / "bin" / "lit", "-q", f"-j{cores()}", "--timeout=300", f"--xunit-xml-output={xml}",
        f"--param=build_dir={folder}", "--param=roundtrip=1", "--param=verify_stages=1", *params,
        *(paths or ["test"]), check=False,
    )  # fmt: skip
    return read_junit("lit", xml, status)


def python(folder: Path, paths: list[str], quick: bool) -> Result:
    """pytest on test/python, at most two workers (each loads torch), with a limit for each test."""
    xml = folder / "test-results" / "pytest.xml"
    xml.unlink(missing_ok=True)
    workers = min(2, cores())
    # Two workers on two cores: more threads each would only get in each other's way.
    env = environment(OMP_NUM_THREADS="1", PYTHONFAULTHANDLER="1")
    status = run(
        PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={xml}", "--timeout=300",
        *(["-n", str(workers), "--dist=loadfile"] if workers > 1 else []), *(["-m", "not slow"] if quick else []),
        *(paths or ["test/python"]), check=False, env=env,
    )  # fmt: skip
    return read_junit("python", xml, status)


def checks() -> Result:
    result = Result("checks")
    for name, complaints in run_checks():
        if complaints:
            result.failed += 1
            print(f"FAILED check: {name}")
            for complaint in complaints:
                print(f"  {complaint}")
        else:
            result.passed += 1
    return result


def main(args: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev test", description=__doc__)
    parser.add_argument("suites", nargs="*", help="lit, python, checks, or paths of tests (default: all suites)")
    parser.add_argument("--quick", action="store_true", help="leave out the Python tests marked slow")
    parser.add_argument("--asan", action="store_true", help="lit with address and undefined-behaviour sanitizers")
    options = parser.parse_args(args)
    paths = [s for s in options.suites if s not in ("lit", "python", "checks")]
    for path in paths:
        if not (ROOT / path).exists():
            parser.error(f"no suite and no path '{path}'")
    python_paths = [p for p in paths if p.split("::")[0].startswith("test/python")]
    lit_paths = [p for p in paths if p not in python_paths]
    wanted = {s for s in options.suites if s not in paths}
    wanted |= ({"python"} if python_paths else set()) | ({"lit"} if lit_paths else set())
    if not options.suites:
        wanted = {"lit", "python", "checks"} if (ROOT / "test/python").exists() else {"lit", "checks"}

    if options.asan:
        folder = build("asan")
        runners = {"lit": lambda: lit(folder, lit_paths, ["--param=asan=1"])}
        wanted = {"lit"}
    else:
        folder = build()
        runners = {
            "lit": lambda: lit(folder, lit_paths, ["--param=runtime=1"]),
            "python": lambda: python(folder, python_paths, options.quick),
            "checks": checks,
        }
    results = []
    for suite in (s for s in runners if s in wanted):
        say(f"test: {suite}")
        start = time.monotonic()
        result = runners[suite]()
        result.seconds = time.monotonic() - start
        results.append(result)

    print()
    for r in results:
        skipped = f", {r.skipped} skipped" if r.skipped else ""
        note = f" ({r.note})" if r.note else ""
        print(f"{r.suite:8s} {r.passed} passed, {r.failed} failed{skipped} in {r.seconds:.0f} s{note}")
    failed = sum(r.failed for r in results)
    print(f"{sum(r.passed for r in results)} passed, {failed} failed", flush=True)
    return 1 if failed or not results else 0
