"""./dev bench: forward and backward of single blocks, eager against torch.compile backends.

Every backend's outputs and gradients are compared with eager's before anything is timed. Then all take turns in one
process: each round runs every backend once, in a rotating order, and a ratio is made within a round; the median of the
rounds is shown. With one thread the clock is the process's CPU time, which other programs disturb little; with more it is
wall time, and the machine should be quiet. A ratio above 1 is faster than eager.

bf16 results are held against an f32 run on the same values, and may be twice as far from it as eager's are."""

from __future__ import annotations

import argparse
import gc
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
from problems import PROBLEMS, Problem  # noqa: E402
from torch import Tensor  # noqa: E402

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
F32_TOLERANCE, BF16_TOLERANCE = 2e-4, 2e-2


def as_tuple(result) -> tuple[Tensor, ...]:
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


def make_step(problem: Problem, fn):
    """() -> (outputs, gradients)"""

    def step():
        if not problem.grad:
            with torch.no_grad():
                return as_tuple(fn(*problem.args)), ()
        outputs = as_tuple(fn(*problem.args))
        return outputs, torch.autograd.grad(outputs, problem.leaves(), problem.cotangents)

    return step


def results_of(problem: Problem, result) -> list[Tensor]:
    outputs, gradients = result
    return [t.detach().clone() for t in (*outputs, *(problem.args[i] for i in problem.mutated), *gradients)]


def distances(got: list[Tensor], want: list[Tensor]) -> list[float]:
    """‖a-b‖/‖b‖ of each pair; a tensor that is all but zero is measured against the largest of its siblings."""
    if len(got) != len(want):
        return [math.inf]
    scale = max((w.float().square().mean().sqrt().item() for w in want), default=1.0)
    found = []
    for a, b in zip(got, want):
        if a.shape != b.shape or not torch.isfinite(a.float()).all():
            found.append(math.inf)
            continue
        floor = max(1e-3 * scale * math.sqrt(b.numel()), 1e-30)
        found.append(((a.float() - b.float()).norm() / max(b.float().norm().item(), floor)).item())
    return found


def upcast(problem: Problem) -> Problem:
    def up(t: Tensor) -> Tensor:
        return t.detach().float().requires_grad_(t.requires_grad) if t.is_floating_point() else t

    cotangents = None if problem.cotangents is None else tuple(up(t) for t in problem.cotangents)
    return Problem(problem.fn, tuple(up(a) for a in problem.args), cotangents, problem.grad, problem.mutated)


class Reference:
    """Eager's results, and how far from them a backend's may be."""

    def __init__(self, make, dtype: str):
        problem = make(DTYPES[dtype])
        eager = results_of(problem, make_step(problem, problem.fn)())
        self.want, self.limits = eager, [F32_TOLERANCE] * len(eager)
        if dtype == "bf16":
            wide = upcast(make(DTYPES[dtype]))
            self.want = results_of(wide, make_step(wide, wide.fn)())
            self.limits = [max(BF16_TOLERANCE, 2 * d) for d in distances(eager, self.want)]

    def complaint(self, problem: Problem, result) -> str | None:
        if problem.random:
            return problem.random(*result)
        found = distances(results_of(problem, result), self.want)
        if len(found) != len(self.limits):
            return "another number of results"
        for number, (distance, limit) in enumerate(zip(found, self.limits)):
            if not distance <= limit:
                return f"result {number} is off by {distance:.1e}"
        return None


def calls_for(step, seconds: float) -> int:
    """How many calls take about that long."""
    step()
    start = time.perf_counter()
    step()
    return max(1, min(2000, int(seconds / max(time.perf_counter() - start, 1e-7))))


def take_turns(steps: dict, rounds: int, clock, seconds: float = 0.025, limit: float = 40.0) -> dict[str, list[float]]:
    """Seconds per call of each backend in each round."""
    names = list(steps)
    counts = {name: calls_for(steps[name], seconds) for name in names}
    times: dict[str, list[float]] = {name: [] for name in names}
    begin = time.perf_counter()
    gc.collect()
    gc.disable()
    try:
        for turn in range(rounds):
            order = names[turn % len(names) :] + names[: turn % len(names)]
            for name in order if turn % 2 == 0 else reversed(order):
                step, count = steps[name], counts[name]
                step()
                start = clock()
                for _ in range(count):
                    step()
                times[name].append((clock() - start) / count)
            if time.perf_counter() - begin > limit and turn >= 2:
                break
    finally:
        gc.enable()
    return times


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
