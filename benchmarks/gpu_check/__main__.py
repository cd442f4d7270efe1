"""./dev gpu-check: a package of kernels, compiled here, that a machine with a GPU checks and times without a compiler.

  ./dev gpu-check --build OUT              compile all blocks and models for sm_90 into the directory OUT
  ./dev gpu-check --run OUT [options]      run a package here; on another machine: python OUT/run.py [options]
  ./dev gpu-check --emulated [--cases ..]  compile for the simulator, at small sizes, and run that

A package holds all kernels as cubins, with PTX for newer GPUs, and run.py, which needs torch 2.11 or newer. With
neither --build nor --run, a package is built in a temporary directory and run here. Options that are not of this
command go to run.py (python OUT/run.py --help)."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent), str(ROOT / "examples"), str(HERE)]
import cases as case_list  # noqa: E402
import table  # noqa: E402
import torch_trace  # noqa: E402
from checking import DTYPES  # noqa: E402

#: What the package must fit into.
LIMIT = 60 << 20
PACKAGE = ROOT / "python" / "torch_trace"
EMULATED_DRIVER = PACKAGE / "libtrace_emulated_cuda.so"


def folder_size(folder: Path) -> int:
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())


def clear(out: Path) -> None:
    """An earlier package goes; anything else of the user's stays."""
    if out.is_dir() and any(out.iterdir()):
        if not (out / "package.json").exists():
            raise SystemExit(f"gpu-check: {out} is not empty, and there is no earlier package in it")
        shutil.rmtree(out)
    out.mkdir(parents=True, exist_ok=True)


def copy_runner(out: Path) -> None:
    """All that runs on the other machine."""
    for file in (HERE / "run.py", HERE / "worker.py", HERE / "cases.py", HERE.parent / "problems.py",
                 HERE.parent / "checking.py", HERE.parent / "timing.py"):  # fmt: skip
        shutil.copy(file, out)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE / "standalone", out / "trace_standalone", ignore=ignored)
    shutil.copytree(ROOT / "examples" / "models", out / "models", ignore=ignored)


def build(out: Path, options: argparse.Namespace) -> None:
    clear(out)
    copy_runner(out)
    sizes = options.sizes.split(",") if options.sizes else ["small", "medium" if options.emulated else "large"]
    formats = ["bitcode"] if options.emulated else ["cubin", "ptx"]
    info: dict = {"target": options.target, "formats": formats, "torch": torch.__version__, "sizes": sizes, "cases": [],
                  "missing": {}}  # fmt: skip
    begin, kernels, spilled = time.monotonic(), 0, []
    for case in case_list.chosen(options.cases, options.dtypes):
        try:
            facts: dict = {}
            for size in sizes:
                with torch.device("meta"):
                    problem = case.problem(DTYPES[case.dtype], size)
                lowered = torch_trace.lower(
                    problem.fn, *problem.args, target=options.target, out=out / "packages" / size / case.folder,
                    train=problem.grad, formats=formats, stages=False,
                )
                if lowered.manifest["call"] is None:
                    raise RuntimeError("Dynamo makes more than one graph of it")
                facts[size] = lowered.summary
                kernels += len(lowered.kernels)
                spilled += [(case.folder, k["name"], k["spills"]) for k in lowered.kernels if k["spills"]]
        except Exception as error:  # noqa: BLE001  (the package goes without it, and says so)
            text = " ".join(str(error).split())[:400]
            info["missing"][case.folder] = f"{type(error).__name__}: {text}"
            print(f"  {case.folder:26s} cannot be compiled: {text}", flush=True)
            continue
        info["cases"].append({"name": case.name, "dtype": case.dtype, "folder": case.folder, "model": case.model,
                              "summary": facts})  # fmt: skip
        last = facts[sizes[-1]]
        registers = f", at most {last['registers']} registers" if last["registers"] else ""
        print(f"  {case.folder:26s} kernels: {last['kernels']}, library calls: {last['library_calls']}{registers}",
              flush=True)
    for folder, name, spills in spilled:
        print(f"  {folder}: {name} spills {spills} bytes", flush=True)
    (out / "package.json").write_text(json.dumps(info, indent=1))
    size = folder_size(out)
    print(f"{kernels} kernels for {options.target} in {out}: {size / 2**20:.1f} MiB, {time.monotonic() - begin:.0f} s",
          flush=True)
    if size > LIMIT:
        raise SystemExit(f"gpu-check: the package is larger than {LIMIT >> 20} MiB")
    if not info["cases"]:
        raise SystemExit("gpu-check: nothing could be compiled")


def run(out: Path, options: argparse.Namespace, rest: list[str]) -> int:
    if not (out / "run.py").exists():
        raise SystemExit(f"gpu-check: there is no package in {out}")
    command = [sys.executable, str(out / "run.py"), *rest]
    if options.emulated:
        command += ["--emulated", "--driver", str(EMULATED_DRIVER)]
    for name in ("cases", "dtypes"):
        if getattr(options, name):
            command += [f"--{name}", getattr(options, name)]
    # As on another machine: the package is all there is.
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return subprocess.run(command, env=env).returncode


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev gpu-check", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--build", metavar="OUT", type=Path)
    parser.add_argument("--run", metavar="OUT", type=Path)
    parser.add_argument("--table", metavar="FILE", type=Path, help="of --build: write a page with all kernels")
    parser.add_argument("--target", default="sm_90")
    parser.add_argument("--emulated", action="store_true", help="for the simulator, on CPU tensors")
    parser.add_argument("--cases", default="", help="only these blocks and models, separated by commas")
    parser.add_argument("--dtypes", default="", help="only f32 or bf16")
    parser.add_argument("--sizes", default="",
                        help=f"of {', '.join(case_list.SIZES)} (default: small,large; with --emulated small,medium)")
    options, rest = parser.parse_known_args()
    if not set(filter(None, options.sizes.split(","))) <= set(case_list.SIZES):
        parser.error(f"sizes are {', '.join(case_list.SIZES)}")
    try:
        case_list.chosen(options.cases, options.dtypes)
    except ValueError as error:
        parser.error(str(error))
    if options.build and rest:
        parser.error(f"unknown: {' '.join(rest)}")
    if options.build:
        build(options.build, options)
        if options.table:
            options.table.write_text(table.page(options.build))
    if options.run:
        return run(options.run, options, rest)
    if options.build:
        return 0
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder) / "package", options)
        return run(Path(folder) / "package", options, rest)


if __name__ == "__main__":
    sys.exit(main())
