"""Checks and times a package of kernels on a GPU: `python run.py`, with torch 2.11 or newer; nothing else is needed, no
compiler, no CUDA toolkit.

First every kernel runs, in blocks (forward and backward) and in steps of four models, at two sizes each, and results and
gradients are compared with eager's. Then eager and the package are timed in turns, each kernel is timed by itself, and
inductor is compiled and timed with them for as long as the time lasts. Ratios are of eager's time, medians over rounds;
above 1 is faster. GB/s: what a step reads and writes at the least, by its time. "Graph" is the same step as a CUDA graph,
without Python's part. The last lines say what could not be run, and `N passed, N failed`; the exit status is 1 where a
check failed or nothing was checked."""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))


class Report:
    """What is known so far; printed as it comes in, the tables at the end."""

    def __init__(self, info: dict[str, Any]) -> None:
        self.info = info
        self.facts: dict[str, Any] = {}
        self.passed: list[str] = []
        self.failed: list[str] = []
        self.not_run: list[str] = []
        self.timed: dict[tuple[str, str], dict[str, Any]] = {}  # (case, called or graph): by backend
        self.kernels: list[dict[str, Any]] = []

    def take(self, task: dict[str, Any], event: dict[str, Any]) -> None:
        what, kind = describe(task), event["event"]
        if kind == "facts":
            self.facts = event
            rate = event["copy_rate"] / 1e9
            print(f"{event['device']}, torch {event['torch']}; it copies {rate:,.0f} GB/s", flush=True)
        elif kind == "checked":
            number = event["kernels"]
            text = f"{number} kernel{'s' * (number != 1)}" if number else "library calls only"
            if event["complaint"]:
                self.fail(what, event["complaint"])
            else:
                self.passed.append(what)
                print(f"  ok    {what}: {text}, {event['worst']:.0%} of the tolerance", flush=True)
        elif kind == "failed":
            if task["kind"] == "check":
                self.fail(what, event["text"])
            else:
                self.skip(what, event["text"])
        elif kind == "refused":
            if event["backend"] == "trace":
                self.fail(what, event["text"])
            else:
                self.skip(f"{what}: {event['backend']}", event["text"])
        elif kind == "timed":
            self.timed[task["case"], event["how"]] = event["backends"]
            if event["how"] == "called":
                cells = ", ".join(f"{b} {r['ms']:.3f} ms" for b, r in event["backends"].items())
                print(f"  {task['case']}: {cells}", flush=True)
        elif kind == "kernels":
            self.kernels += [{"case": task["case"], **k} for k in event["kernels"]]

    def fail(self, what: str, text: str) -> None:
        self.failed.append(f"{what}: {text}")
        print(f"  FAILED {what}: {text}", flush=True)

    def skip(self, what: str, text: str) -> None:
        self.not_run.append(f"{what}: {text}")

    # ---- tables

    def print_times(self) -> None:
        names = list(dict.fromkeys(case for case, _ in self.timed))
        if not names:
            return
        copy = self.facts.get("copy_rate")
        if self.facts.get("device") == "the simulator":
            print("\nThe simulator's times say nothing about a GPU; they only show that the timing works.", end="")
        print(f"\n{'':26s}{'':>10s}{'as called, x eager':>24s}{'':>8s}{'':>7s}   {'as a CUDA graph, x eager':>34s}")
        print(f"{'forward + backward':26s}{'eager ms':>10s}{'inductor':>12s}{'trace':>12s}{'GB/s':>8s}{'copy':>7s}   "
              f"{'eager ms':>10s}{'inductor':>12s}{'trace':>12s}")
        for name in names:
            line = f"{name:26s}"
            for how in ("called", "graph"):
                row = self.timed.get((name, how), {})
                line += cell(row.get("eager"), "ms", 10, 3) + cell(row.get("inductor"), "ratio", 12, 2)
                line += cell(row.get("trace"), "ratio", 12, 2)
                if how == "called":
                    rate = row.get("trace", {}).get("rate")
                    line += f"{rate / 1e9:8,.0f}" if rate else f"{'-':>8s}"
                    line += f"{rate / copy:7.0%}   " if rate and copy else f"{'-':>7s}   "
            print(line)
        for how, backend in (("called", "inductor"), ("called", "trace"), ("graph", "inductor"), ("graph", "trace")):
            ratios = [r[backend]["ratio"] for (_, h), r in self.timed.items()
                      if h == how and backend in r and r[backend]["ratio"]]
            if ratios:
                product = 1.0
                for ratio in ratios:
                    product *= ratio ** (1 / len(ratios))
                print(f"geometric mean of {len(ratios)}, {'as called' if how == 'called' else 'as a CUDA graph'}: "
                      f"{backend} {product:.2f} x eager")

    def print_kernels(self, count: int = 25) -> None:
        if not self.kernels:
            return
        total = sum(k["us"] for k in self.kernels)
        print(f"\nKernels: {len(self.kernels)} timed one by one, the {min(count, len(self.kernels))} with the largest "
              f"share of the time\n(bytes are those of all of a kernel's buffers: one that reads a part of a table, or "
              f"finds its data\nin the cache from the launch before, seems faster than memory is)")
        print(f"{'case':22s}{'us':>10s}{'share':>7s}{'MB':>10s}{'GB/s':>8s}{'copy':>7s}  kernel")
        for k in sorted(self.kernels, key=lambda k: -k["us"])[:count]:
            part = f"{k['rate'] / self.facts['copy_rate']:7.0%}" if self.facts else f"{'-':>7s}"
            print(f"{k['case']:22s}{k['us']:10.1f}{k['us'] / total:7.1%}{k['bytes'] / 1e6:10.1f}{k['rate'] / 1e9:8,.0f}"
                  f"{part}  {k['name']}")

    def print_end(self) -> int:
        self.print_times()
        self.print_kernels()
        if self.not_run:
            print("\nCould not be run:")
            for line in self.not_run:
                print(f"  {line}")
        if self.failed:
            print("\nFailed:")
            for line in self.failed:
                print(f"  {line}")
        print(f"\n{len(self.passed)} passed, {len(self.failed)} failed, {len(self.not_run)} not run", flush=True)
        return 1 if self.failed or not self.passed else 0


def cell(result: dict[str, Any] | None, key: str, width: int, digits: int) -> str:
    value = result and result[key]
    return f"{value:{width},.{digits}f}" if value else f"{'-':>{width}s}"


def describe(task: dict[str, Any]) -> str:
    if task["kind"] == "facts":
        return "the device"
    backends = ", ".join(task.get("backends", ()))
    what = {"check": "check", "time": f"timing of {backends}", "kernels": "timing of kernels"}
    return f"{what[task['kind']]}, {task['case']}, size {task['size']}"


class Manager:
    """Gives tasks to a worker process and another when that one has ended, until all are done or the time is over."""

    def __init__(self, options: dict[str, Any], report: Report, deadline: float) -> None:
        self.options, self.report, self.deadline = options, report, deadline
        self.log = tempfile.TemporaryFile()

    def run(self, tasks: list[dict[str, Any]]) -> None:
        left = {task["number"]: task for task in tasks}
        fruitless = 0
        while left and time.monotonic() < self.deadline:
            before = len(left)
            reason = self.worker(left)
            # A worker that does not even begin a task will not do so the next time.
            fruitless = fruitless + 1 if len(left) == before else 0
            if fruitless == 2:
                return self.give_up(left, f"the worker process ends at once: {reason}")
        self.give_up(left, "the time was over")

    def give_up(self, left: dict[int, dict[str, Any]], why: str) -> None:
        for task in left.values():
            self.report.skip(describe(task), why)

    def worker(self, left: dict[int, dict[str, Any]]) -> str:
        """Runs one worker to its end; takes what it has done, or died of, out of `left`. Returns what it said last."""
        reading, writing = os.pipe()
        order = {"options": self.options, "tasks": list(left.values()), "pipe": writing}
        self.log.seek(0)
        self.log.truncate()
        process = subprocess.Popen([sys.executable, os.path.join(HERE, "worker.py")], stdin=subprocess.PIPE,
                                   stdout=self.log, stderr=self.log, pass_fds=[writing])
        os.close(writing)
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(order).encode())
            process.stdin.close()
        except BrokenPipeError:
            pass
        current, reason, killed = None, "", ""
        for event in self.events(reading, process, lambda: current):
            if event["event"] == "begin":
                current = left[event["task"]]
            elif event["event"] == "end":
                left.pop(event["task"], None)
                current = None
            elif event["event"] == "broken":
                reason = event["text"]
            elif event["event"] == "killed":
                killed = event["text"]
            else:
                self.report.take(left[event["task"]], event)
        process.wait()
        if current is not None:
            left.pop(current["number"], None)
            text = killed or reason or f"the process ended with status {process.returncode}: {self.tail()}"
            if killed or current["kind"] != "check":
                self.report.skip(describe(current), text)
            else:
                self.report.fail(describe(current), text)
        elif process.returncode and not killed:
            reason = reason or self.tail()
        return reason

    def events(self, reading: int, process: subprocess.Popen, current: Any) -> Any:
        """The worker's events; it is killed when its task takes too long or the time is over."""
        import select

        data, begun = b"", time.monotonic()
        with os.fdopen(reading, "rb", buffering=0) as pipe:
            while True:
                now = time.monotonic()
                task = current()
                limit = begun + (task["limit"] if task else 120)
                end = min(limit, self.deadline)
                if now >= end:
                    process.kill()
                    why = "the time was over" if end == self.deadline else f"it took more than {now - begun:.0f} s"
                    yield {"event": "killed", "text": why}
                    return
                if not select.select([pipe], [], [], min(1.0, end - now))[0]:
                    continue
                chunk = pipe.read(1 << 16)
                if not chunk:
                    return
                data += chunk
                *lines, data = data.split(b"\n")
                for line in lines:
                    event = json.loads(line)
                    if event["event"] in ("begin", "end"):
                        begun = time.monotonic()
                    yield event

    def tail(self) -> str:
        self.log.seek(0)
        lines = [line.strip() for line in self.log.read().decode(errors="replace").splitlines() if line.strip()]
        return " | ".join(lines[-3:])[-500:] or "it said nothing"


def make_tasks(info: dict[str, Any], options: argparse.Namespace) -> list[dict[str, Any]]:
    names, dtypes = (text.split(",") if text else [] for text in (options.cases, options.dtypes))
    cases = [c for c in info["cases"] if (not names or c["name"] in names) and (not dtypes or c["dtype"] in dtypes)]
    limit = 600 if options.emulated else 90
    tasks: list[dict[str, Any]] = [{"kind": "facts", "limit": limit}]
    for size in sorted(info["sizes"], key=("small", "medium", "large").index):
        tasks += [{"kind": "check", "case": c["folder"], "size": size, "limit": limit} for c in cases]
    if options.no_timing:
        return tasks
    # What is wanted most comes first, as the time may end.
    size = "large" if "large" in info["sizes"] else info["sizes"][0]
    cases = sorted(cases, key=lambda c: (c["dtype"] != "bf16", c["name"] == "long_chain", not c["model"]))
    ours = [b for b in options.backends.split(",") if b in ("eager", "trace")]
    others = [b for b in options.backends.split(",") if b not in ours]
    timed = [{"case": c["folder"], "size": size, "limit": limit} for c in cases]
    # These are replaced where inductor is compiled in time.
    tasks += [{"kind": "time", "backends": ours, **t, **({"rounds": 5} if others else {})} for t in timed]
    tasks += [{"kind": "kernels", **t} for t in timed]
    if others:
        tasks += [{"kind": "time", "backends": [*ours, *others], **t, "limit": max(limit, 120)} for t in timed]
    return tasks


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="", help="only these blocks and models (default: all)")
    parser.add_argument("--dtypes", default="", help="only f32 or bf16")
    parser.add_argument("--backends", help="timed (default: eager,trace,inductor; without a GPU eager,trace)")
    parser.add_argument("--rounds", type=int, help="turns of each backend (default: 11; without a GPU 1)")
    parser.add_argument("--no-timing", action="store_true", help="checks only")
    parser.add_argument("--budget", type=float, default=450, help="seconds in all; what does not fit is not run")
    parser.add_argument("--driver", default=os.environ.get("TORCH_TRACE_CUDA_DRIVER", "libcuda.so.1"))
    parser.add_argument("--emulated", action="store_true", help="the driver is the emulated one; tensors are the CPU's")
    parser.add_argument("--json", help="write all numbers to this file")
    options = parser.parse_args()
    begin = time.monotonic()
    with open(os.path.join(HERE, "package.json")) as file:
        info = json.load(file)
    options.backends = options.backends or ("eager,trace" if options.emulated else "eager,trace,inductor")
    rounds = options.rounds or (1 if options.emulated else 11)
    settings = {"emulated": options.emulated, "driver": options.driver, "rounds": rounds,
                "seconds": 0 if options.emulated else 0.02}
    report = Report(info)
    print(f"Kernels for {info['target']} ({', '.join(info['formats'])}), compiled with torch {info['torch']}", flush=True)
    for case, why in info["missing"].items():
        report.skip(f"{case} is not in the package", why)
    if options.emulated:
        report.skip("CUDA graphs and anything of a GPU's speed", "there is the simulator only, whose times mean nothing")
    trouble = unfit(info, options)
    if trouble:
        report.skip("everything", trouble)
    else:
        tasks = [{"number": n, **task} for n, task in enumerate(make_tasks(info, options))]
        Manager(settings, report, begin + options.budget).run(tasks)
    status = report.print_end()
    print(f"{time.monotonic() - begin:.0f} s of {options.budget:.0f} s", flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"package": info, "facts": report.facts, "passed": report.passed, "failed": report.failed,
                       "not_run": report.not_run, "kernels": report.kernels,
                       "timed": [{"case": c, "how": h, "backends": b} for (c, h), b in report.timed.items()]},
                      file, indent=1)
    return status


def unfit(info: dict[str, Any], options: argparse.Namespace) -> str | None:
    """Why nothing at all can run, if so."""
    if options.emulated:
        if "bitcode" not in info["formats"]:
            return "the package has no bitcode for the simulator (build it with --emulated)"
        return None
    if set(info["formats"]) == {"bitcode"}:
        return "the package is for the simulator (run it with --emulated)"
    try:
        library = ctypes.CDLL(options.driver)
    except OSError as error:
        return f"the CUDA driver cannot be loaded: {error}"
    if library.cuInit(0):
        return f"{options.driver} finds no GPU"
    code = ("import torch; v = tuple(int(x) for x in torch.__version__.split('+')[0].split('.')[:2]); "
            "assert v >= (2, 11), f'torch {torch.__version__} is older than 2.11'; "
            "assert torch.cuda.is_available(), f'torch {torch.__version__} finds no GPU'; "
            "print(*torch.cuda.get_device_capability())")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["torch cannot be imported"])[-1]
    major, minor = (int(x) for x in done.stdout.split()[-2:])
    wanted = int("".join(filter(str.isdigit, info["target"])))
    if 10 * major + minor < wanted:
        chip = f"sm_{major}{minor}"
        return f"the GPU is an {chip}, and the kernels are for {info['target']}: build with --target {chip}"
    return None


if __name__ == "__main__":
    sys.exit(main())
