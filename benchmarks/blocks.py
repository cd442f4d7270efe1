"""./dev bench: forward and backward of single blocks, eager against torch.compile backends.

Every backend's outputs and gradients are compared with eager's before anything is timed. Then all take turns in one
process: each round runs every backend once, in a rotating order, and a ratio is made within a round; the median of the
rounds is shown. With one thread the clock is the process's CPU time, which other programs disturb little; with more it is
wall time, and the machine should be quiet. A ratio above 1 is faster than eager.

bf16 results are held against an f32 run on the same values, and may be twice as far from it as eager's are."""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import sys
import time
import warnings

# What cannot be compiled is a failure here, not eager's time under another name.
os.environ.setdefault("TORCH_TRACE_FALLBACK", "error")

import torch  # noqa: E402
from checking import DTYPES, Reference, make_step  # noqa: E402
from problems import PROBLEMS  # noqa: E402
from timing import take_turns  # noqa: E402


def measure(name: str, dtype: str, backends: list[str], rounds: int, clock) -> dict:
    """{backend: {"ms", "ratio"} or {"failed"}} of one block."""
    make = PROBLEMS[name]
    reference = Reference(make, dtype)
    torch.compiler.reset()
    steps, found = {}, {}
    for backend in backends:
        problem = make(DTYPES[dtype])
        try:
            fn = problem.fn if backend == "eager" else torch.compile(problem.fn, backend=backend)
            step = make_step(problem, fn)
            torch.manual_seed(0)
            complaint = reference.complaint(problem, step())
        except Exception as error:  # noqa: BLE001  (any backend's failure is a result of the benchmark)
            complaint = f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"
        if complaint:
            found[backend] = {"failed": complaint}
        else:
            steps[backend] = step
    times = take_turns(steps, rounds, clock)
    for backend, seconds in times.items():
        ratios = [a / b for a, b in zip(times["eager"], seconds)]
        found[backend] = {"ms": 1e3 * statistics.median(seconds), "ratio": statistics.median(ratios)}
    return found


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--blocks", help=f"of {', '.join(PROBLEMS)} (default: all)")
    parser.add_argument("--dtypes", default="f32,bf16")
    parser.add_argument("--backends", default="inductor,trace", help="torch.compile backends beside eager")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--json", help="write all numbers to this file")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(options.threads)
    clock = time.process_time if options.threads == 1 else time.perf_counter
    others = [b for b in options.backends.split(",") if b != "eager"]
    names = options.blocks.split(",") if options.blocks else list(PROBLEMS)
    unknown = [n for n in names if n not in PROBLEMS]
    if unknown:
        parser.error(f"no block {', '.join(unknown)}")

    everything, failed = [], []
    for dtype in options.dtypes.split(","):
        unit = "CPU time" if options.threads == 1 else "wall time"
        print(f"\n{dtype}, {options.threads} thread(s), {unit}; speed against eager (above 1: faster)")
        print(f"{'block':20s}{'eager ms':>10s}" + "".join(f"{b:>12s}" for b in others), flush=True)
        ratios: dict[str, list[float]] = {b: [] for b in others}
        for name in names:
            found = measure(name, dtype, ["eager", *others], options.rounds, clock)
            everything.append({"block": name, "dtype": dtype, "threads": options.threads, "backends": found})
            cells = ""
            for b in others:
                if "failed" in found[b]:
                    failed.append((name, dtype, b, found[b]["failed"]))
                    cells += f"{'failed':>12s}"
                else:
                    ratios[b].append(found[b]["ratio"])
                    cells += f"{found[b]['ratio']:12.2f}"
            print(f"{name:20s}{found['eager']['ms']:10.3f}{cells}", flush=True)
        means = "".join(f"{geometric_mean(ratios[b]):12.2f}" for b in others)
        print(f"{'geometric mean':30s}{means}", flush=True)
    for name, dtype, backend, complaint in failed:
        print(f"{backend} on {name} {dtype}: {complaint}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"torch": torch.__version__, "results": everything}, file, indent=1)
    return 1 if any(backend == "trace" for _, _, backend, _ in failed) else 0


if __name__ == "__main__":
    sys.exit(main())
