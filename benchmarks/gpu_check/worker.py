"""The process that uses the GPU: takes tasks from its standard input, and writes what came of them to a pipe.

A fault of a kernel leaves a CUDA process useless. run.py therefore starts this one, and another where it has ended."""

from __future__ import annotations

import json
import math
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import cases as case_list
import torch
from checking import DTYPES, Reference, make_step
from problems import Problem
from timing import take_turns
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves
from trace_standalone import Driver, Package

HERE = os.path.dirname(os.path.abspath(__file__))


class Broken(Exception):
    """The GPU's context is of no more use."""


def tensors_of(fn: Any) -> dict[str, Tensor]:
    if not isinstance(fn, nn.Module):
        return {}
    return {**dict(fn.named_parameters(remove_duplicate=False)), **dict(fn.named_buffers(remove_duplicate=False))}


def bytes_of(tensor: Tensor) -> int:
    """Of all elements, those that an expanded dimension repeats once."""
    strides = zip(tensor.shape, tensor.stride(), strict=True)
    return tensor.element_size() * math.prod(n if stride or n == 0 else 1 for n, stride in strides)


def traffic(problem: Problem, result: Any) -> int:
    """Bytes that a step cannot avoid: what it is given is read, what it gives and changes is written, each once."""
    state = problem.fn.state_dict().values() if isinstance(problem.fn, nn.Module) else ()
    given = [*problem.args, *(problem.cotangents or ()), *state]
    return sum(bytes_of(t) for t in (*given, *problem.written(), *tree_leaves(result)) if isinstance(t, Tensor))


class Worker:
    def __init__(self, options: dict[str, Any], emit: Callable[..., None]) -> None:
        self.emit, self.options = emit, options
        self.emulated = options["emulated"]
        self.device = torch.device("cpu" if self.emulated else "cuda")
        if self.emulated:
            torch.set_num_threads(1)
        else:
            torch.cuda.init()
            # Eager, inductor and our library calls round alike.
            torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        self.driver = Driver(options["driver"])
        self.cases = {c.folder: c for c in case_list.all_cases()}
        self.packages: dict[tuple[str, str], Package] = {}

    def run(self, task: dict[str, Any]) -> None:
        """Does one task. What goes wrong is a result; Broken is raised where nothing more can be done here."""
        self.emit(task=task["number"], event="begin")
        try:
            getattr(self, task["kind"])(task)
        except Exception as error:  # noqa: BLE001  (whatever it is, it is to be reported)
            lines = [line for line in str(error).strip().splitlines() if line.strip()]
            text = f"{type(error).__name__}: {' | '.join(lines[:4])}"[:800]
            self.emit(task=task["number"], event="failed", text=text)
        self.emit(task=task["number"], event="end")
        if not self.emulated:
            try:
                torch.cuda.synchronize()
                torch.cuda.empty_cache()
            except RuntimeError as error:
                raise Broken(str(error).splitlines()[0]) from None

    # ---- pieces

    def clock(self) -> float:
        if not self.emulated:
            torch.cuda.synchronize()
        return time.perf_counter()

    def package(self, case: str, size: str) -> Package:
        if (case, size) not in self.packages:
            self.packages[case, size] = Package(os.path.join(HERE, "packages", size, case), self.driver, self.device)
        return self.packages[case, size]

    def problem(self, task: dict[str, Any], dtype: torch.dtype | None = None) -> Problem:
        case = self.cases[task["case"]]
        # Only here: a default device that stays would make each call of PyTorch slower.
        with self.device:
            return case.problem(dtype or DTYPES[case.dtype], task["size"])

    def reference(self, task: dict[str, Any]) -> Reference:
        return Reference(lambda dtype: self.problem(task, dtype), self.cases[task["case"]].dtype)

    def step(self, problem: Problem, task: dict[str, Any], backend: str) -> Callable[[], Any]:
        if backend == "eager":
            return make_step(problem, problem.fn)
        if backend != "trace":
            torch.compiler.reset()
            return make_step(problem, torch.compile(problem.fn, backend=backend))
        package, tensors = self.package(task["case"], task["size"]), tensors_of(problem.fn)
        return make_step(problem, lambda *args: package(*args, tensors=tensors))

    # ---- tasks

    def facts(self, task: dict[str, Any]) -> None:
        """What the device is, and how fast it copies."""
        found: dict[str, Any] = {"torch": torch.__version__, "device": "the simulator"}
        if not self.emulated:
            properties = torch.cuda.get_device_properties(self.device)
            found |= {"device": properties.name, "capability": list(torch.cuda.get_device_capability()),
                      "memory": properties.total_memory, "cuda": torch.version.cuda}
        elements = 1 << (12 if self.emulated else 28)
        source, target = (torch.zeros(elements, dtype=torch.float32, device=self.device) for _ in range(2))
        rounds = self.options["rounds"]
        times = take_turns({"copy": lambda: target.copy_(source)}, rounds, self.clock, self.options["seconds"])["copy"]
        self.emit(task=task["number"], event="facts", copy_rate=8 * elements / statistics.median(times), **found)

    def check(self, task: dict[str, Any]) -> None:
        """A step of the package, with all of its kernels, against eager's."""
        package = self.package(task["case"], task["size"])
        reference, problem = self.reference(task), self.problem(task)
        torch.manual_seed(0)
        complaint = reference.complaint(problem, self.step(problem, task, "trace")())
        idle = [name for name, kernel in package.kernels.items() if not kernel.launches]
        if not complaint and idle:
            complaint = f"kernels that were not launched: {', '.join(idle[:3])}{' ...' if len(idle) > 3 else ''}"
        self.emit(task=task["number"], event="checked", complaint=complaint, worst=reference.worst,
                  kernels=len(package.kernels))

    def time(self, task: dict[str, Any]) -> None:
        """Backends in turns, after a check of each: as Python calls them and, on a GPU, as CUDA graphs."""
        reference, steps, traffics = self.reference(task), {}, {}
        for backend in task["backends"]:
            problem = self.problem(task)
            try:
                step = self.step(problem, task, backend)
                torch.manual_seed(0)
                result = step()
                traffics[backend] = traffic(problem, result)
                complaint = None if backend == "eager" else reference.complaint(problem, result)
                del result
            except Exception as error:  # noqa: BLE001
                complaint = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
            if complaint:
                self.emit(task=task["number"], event="refused", backend=backend, text=complaint)
            else:
                steps[backend] = step
        del reference
        self.measure(task, "called", steps, traffics)
        if self.emulated:
            return
        graphs = {}
        for backend, step in steps.items():
            try:
                graphs[backend] = graphed(step)
            except Exception as error:  # noqa: BLE001
                text = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
                self.emit(task=task["number"], event="refused", backend=f"{backend} as a CUDA graph", text=text)
                torch.cuda.synchronize()
        self.measure(task, "graph", graphs, traffics)

    def measure(self, task: dict[str, Any], how: str, steps: dict[str, Callable[[], Any]],
                traffics: dict[str, int]) -> None:
        if not steps:
            return
        rounds, seconds = min(self.options["rounds"], task.get("rounds", math.inf)), self.options["seconds"]
        times = take_turns(steps, rounds, self.clock, seconds, limit=20 * seconds * rounds)
        base = times.get("eager")
        found = {
            backend: {"ms": 1e3 * statistics.median(taken), "rate": traffics[backend] / statistics.median(taken),
                      "ratio": statistics.median(e / t for e, t in zip(base, taken)) if base else None}
            for backend, taken in times.items()
        }
        self.emit(task=task["number"], event="timed", how=how, backends=found)

    def kernels(self, task: dict[str, Any]) -> None:
        """Each kernel by itself, launched again and again where the step launches it."""
        package, problem = self.package(task["case"], task["size"]), self.problem(task)
        found: list[dict[str, Any]] = []

        def observe(launch: Any, held: Sequence[Tensor]) -> None:
            size = sum(bytes_of(held[slot]) for slot in launch.slots)
            pointers = [held[slot].data_ptr() for slot in launch.slots]
            stream = 0 if self.emulated else torch.cuda.current_stream().cuda_stream

            def again() -> None:
                launch.kernel.launch(launch.grid, launch.block, launch.shared, stream, pointers)

            taken = self.stopwatch(again, 1 if self.emulated else 20)
            found.append({"name": launch.kernel.name, "us": 1e6 * taken, "bytes": size, "rate": size / taken})

        for fusion in package.fusions.values():
            fusion.observer = observe
        try:
            self.step(problem, task, "trace")()
        finally:
            for fusion in package.fusions.values():
                fusion.observer = None
        self.emit(task=task["number"], event="kernels", kernels=found)

    def stopwatch(self, call: Callable[[], None], count: int) -> float:
        """Seconds for one of `count` calls in a row, by the GPU's own clock."""
        call()
        if self.emulated:
            start = time.perf_counter()
            for _ in range(count):
                call()
            return (time.perf_counter() - start) / count
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(count):
            call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / 1e3 / count


def graphed(step: Callable[[], Any]) -> Callable[[], Any]:
    """The step as a CUDA graph: what it costs without Python and without launching kernels one by one."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(2):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        held = step()

    def replay() -> Any:
        graph.replay()
        return held

    return replay


def main() -> int:
    order = json.load(sys.stdin)
    pipe = os.fdopen(order["pipe"], "w", buffering=1)

    def emit(**event: Any) -> None:
        pipe.write(json.dumps(event) + "\n")

    try:
        worker = Worker(order["options"], emit)
        for task in order["tasks"]:
            worker.run(task)
    except Broken as error:
        emit(event="broken", text=str(error))
        return 1
    except Exception as error:  # noqa: BLE001
        emit(event="broken", text=f"{type(error).__name__}: {error}")
        raise
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # A broken context makes destructors fail; there is nothing left to do.
    os._exit(status)
