"""CUDA graphs of compiled functions: `mode="reduce-overhead"`, or `config.cudagraphs`.

A forward and each of its backwards are captured whole, at their second call, and replayed from then on. A captured
function reads and writes the same memory at every replay:

* Parameters, buffers and constants are read where they are; one that has moved makes a new capture.
* Other arguments, cotangents too, are copied into *slots* first.
* What the forward keeps for the backward stays in the graph's memory, where the backward's graph reads it. So a forward
  is replayed only if the backward of the last replay has run, or can no longer run; otherwise it runs without its graph.
* Results and gradients are copies of the graph's: they are the caller's for as long as it likes.

What cannot be captured runs without a graph, with one warning that says why.

Capture and replay are behind `Recorder`. `CudaRecorder` is PyTorch's own capture; `EmulatedRecorder` captures the
launches of the emulated device through the driver's functions, so that all the rest can be tested without a GPU.
"""

from __future__ import annotations

import ctypes
import functools
import os
import threading
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch

from . import config
from .capture import Captured
from .standalone.cuda import Driver

#: Calls without a graph before the one that captures: they compile, and let libraries set themselves up.
WARM_UP = 1

Tensors = Sequence[torch.Tensor]
Function = Callable[[Tensors], list[Any]]

_warned: set[str] = set()


class NotCapturable(Exception):
    """Why there is no graph."""


class Recorder(Protocol):
    """Capture and replay on one device."""

    def check(self, code: Callable[[], str]) -> None:
        """Raises NotCapturable for compiled code (stage "lowered") that cannot be captured here."""

    def is_busy(self) -> bool:
        """Somebody else's capture is going on."""

    def capture(self, work: Callable[[], list[Any]]) -> tuple[Any, list[Any]]:
        """The graph of what `work` enqueues, and what it returns. `work` has run before, with the same effect."""

    def replay(self, graph: Any) -> None:
        """Enqueues a graph on the current stream."""


class CudaRecorder:
    """torch.cuda.graph, with one pool of memory and one side stream for each device."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        with torch.cuda.device(device):
            self.pool = torch.cuda.graph_pool_handle()
            self.stream = torch.cuda.Stream()
        self.last: torch.cuda.Event | None = None

    def check(self, code: Callable[[], str]) -> None:
        pass

    def is_busy(self) -> bool:
        return torch.cuda.is_current_stream_capturing()

    def capture(self, work: Callable[[], list[Any]]) -> tuple[Any, list[Any]]:
        with torch.cuda.device(self.device):
            # Once more on the side stream: libraries keep workspaces by stream.
            self.stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(self.stream):
                work()
            torch.cuda.current_stream().wait_stream(self.stream)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=self.pool, stream=self.stream, capture_error_mode="thread_local"):
                outputs = work()
        return graph, outputs

    def replay(self, graph: Any) -> None:
        # Graphs share memory: one after the other, on whatever streams they are replayed.
        stream = torch.cuda.current_stream(self.device)
        if self.last is not None:
            stream.wait_event(self.last)
        graph.replay()
        self.last = stream.record_event(self.last)


class EmulatedRecorder:
    """The driver's own capture of launches on the emulated device. Nothing that the host does is captured: only graphs
    whose code launches kernels and does nothing else qualify."""

    #: What compiled code may call while it is captured.
    _ALLOWED = frozenset((
        "adapt", "align", "buffer", "buffer_free", "buffers_free", "data", "delete", "empty", "error_at", "frame",
        "free_adapted", "launch", "new_handle", "unwind", "view",
    ))

    def __init__(self) -> None:
        folder = os.path.dirname(os.path.abspath(__file__))
        path = os.environ.get("TORCH_TRACE_CUDA_DRIVER") or os.path.join(folder, "libtrace_emulated_cuda.so")
        self.driver = Driver(path)
        self.runtime = ctypes.CDLL(os.path.join(folder, "libtrace_runtime.so"))
        self.driver.enter()
        self.stream = ctypes.c_void_p()
        self._call("cuStreamCreate", ctypes.byref(self.stream), ctypes.c_uint(1))

    def _call(self, name: str, *arguments: Any) -> None:
        self.driver.check(getattr(self.driver.library, name)(*arguments), name)

    def check(self, code: Callable[[], str]) -> None:
        called = {word.split("(")[0] for word in code().split("call @trace_rt_")[1:]}
        others = sorted(called - self._ALLOWED)
        if others:
            raise NotCapturable(f"the host takes part in it ({', '.join(others)}), which only a GPU's streams capture")

    def is_busy(self) -> bool:
        return False

    def capture(self, work: Callable[[], list[Any]]) -> tuple[Any, list[Any]]:
        graph, executable, memory = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self._call("cuStreamBeginCapture_v2", self.stream, ctypes.c_int(1))
        self.runtime.trace_rt_emulated_capture_begin(self.stream)
        try:
            outputs = work()
        finally:
            self.runtime.trace_rt_emulated_capture_end(ctypes.byref(memory))
            self._call("cuStreamEndCapture", self.stream, ctypes.byref(graph))
        self._call("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, ctypes.c_ulonglong(0))
        self._call("cuGraphDestroy", graph)
        handle = _EmulatedGraph()
        handle.executable = executable
        weakref.finalize(handle, self._free, executable, memory)
        return handle, outputs

    def _free(self, executable: ctypes.c_void_p, memory: ctypes.c_void_p) -> None:
        self._call("cuGraphExecDestroy", executable)
        self.runtime.trace_rt_emulated_capture_free(memory)

    def replay(self, graph: Any) -> None:
        self._call("cuGraphLaunch", graph.executable, self.stream)


class _EmulatedGraph:
    executable: ctypes.c_void_p


@functools.cache
def _cuda_recorder(device: torch.device) -> CudaRecorder:
    return CudaRecorder(device)


def recorder_for(captured: Captured) -> Recorder:
    """Raises NotCapturable."""
    if captured.has_effects:
        raise NotCapturable("it has an operator with side effects on the host")
    if captured.device.type == "cuda":
        return _cuda_recorder(captured.device)
    if config.device_emulation:
        return EmulatedRecorder()
    raise NotCapturable("its tensors are on the CPU")


# ---- one function


class Slot:
    """Memory of a captured function's own for an argument like `like`."""

    def __init__(self, like: torch.Tensor, stride: Sequence[int], device: torch.device) -> None:
        # Along dimensions that are expanded there is one element.
        size = [1 if step == 0 else n for n, step in zip(like.shape, stride, strict=True)]
        extents = sorted((step, n) for n, step in zip(size, stride, strict=True) if n > 1)
        reach = 0
        for step, n in extents:
            if step <= reach:
                raise NotCapturable("an argument overlaps with itself")
            reach += step * (n - 1)
        self.size = size
        self.own = torch.empty_strided(size, stride, dtype=like.dtype, device=device)
        self.tensor = self.own.expand(like.shape)

    def source(self, value: torch.Tensor) -> torch.Tensor:
        """What of an argument is copied into `own`."""
        for dim, n in enumerate(self.size):
            if n != value.shape[dim]:
                value = value.narrow(dim, 0, 1)
        return value


class GraphedFunction:
    """A function of tensors, captured. `fixed` says which arguments are read where they are."""

    def __init__(self, recorder: Recorder, function: Function, fixed: Sequence[bool], device: torch.device,
                 strides: Sequence[Sequence[int] | None], code: Callable[[], str]) -> None:
        self.recorder, self.function, self.device, self.code = recorder, function, device, code
        self.fixed, self.strides = list(fixed), list(strides)
        self.graph: Any = None
        self.slots: list[Slot | None] = []
        #: The captured function's own arguments and results.
        self.arguments: list[torch.Tensor] = []
        self.outputs: list[Any] = []

    def prepare(self, arguments: Tensors) -> bool:
        """Captures where that is needed; whether it was."""
        if self.graph is not None:
            moved = [i for i, (given, own) in enumerate(zip(arguments, self.arguments, strict=True))
                     if self.slots[i] is None and given.data_ptr() != own.data_ptr()]
            if not moved:
                return False
            # What moves once may move again.
            for i in moved:
                self.fixed[i] = False
        self.graph, self.outputs = None, []
        self.recorder.check(self.code)
        self.slots = [
            None if fixed else Slot(tensor, stride if stride is not None else tensor.stride(), self.device)
            for tensor, fixed, stride in zip(arguments, self.fixed, self.strides, strict=True)
        ]
        # Detached: the graph keeps the memory alive, not what it was part of.
        self.arguments = [tensor.detach() if slot is None else slot.tensor
                          for tensor, slot in zip(arguments, self.slots, strict=True)]
        self._fill(arguments)
        self.graph, self.outputs = self.recorder.capture(lambda: self.function(self.arguments))
        return True

    def _fill(self, arguments: Tensors) -> None:
        targets, sources = [], []
        for tensor, slot in zip(arguments, self.slots, strict=True):
            if slot is not None and slot.own.numel():
                targets.append(slot.own)
                sources.append(slot.source(tensor))
        if targets:
            with torch.no_grad():
                torch._foreach_copy_(targets, sources)

    def __call__(self, arguments: Tensors) -> list[Any]:
        """After `prepare`: results that the next call overwrites."""
        self._fill(arguments)
        self.recorder.replay(self.graph)
        return self.outputs


def copies(tensors: Sequence[torch.Tensor | None]) -> list[Any]:
    """Tensors of the same layouts with the values of now."""
    made: list[Any] = [None if t is None else torch.empty_strided(t.shape, t.stride(), dtype=t.dtype, device=t.device)
                       for t in tensors]
    pairs = [(a, b) for a, b in zip(made, tensors, strict=True) if b is not None and b.numel()]
    if pairs:
        with torch.no_grad():
            torch._foreach_copy_([a for a, _ in pairs], [b for _, b in pairs])
    return made


# ---- a forward with its backwards


class Replay:
    """What a replayed forward gives: its own arguments and values, and results for the caller."""

    def __init__(self, arguments: list[torch.Tensor], values: list[torch.Tensor], results: list[torch.Tensor],
                 generation: int) -> None:
        self.arguments, self.values, self.results, self.generation = arguments, values, results, generation


class Graphs:
    """The graphs of one compiled graph."""

    def __init__(self, captured: Captured, code: Callable[[], str], forward: Function,
                 backward: Callable[[list[bool], Tensors], list[Any]], fixed: Sequence[bool]) -> None:
        self.captured, self.code, self.backward_function = captured, code, backward
        self.num_results = len(captured.results)
        self.lock = threading.Lock()
        self.calls = 0
        self.generation = 0
        #: The autograd node whose backward needs the values of the last replay.
        self.pending: Callable[[], Any] = lambda: None
        self.backwards: dict[tuple[bool, ...], GraphedFunction] = {}
        self.backward_calls: dict[tuple[bool, ...], int] = {}
        #: "captured", or why not.
        self.status = "not called often enough yet"
        self.backward_status = ""
        self.forward_function: GraphedFunction | None = None
        try:
            self.recorder = recorder_for(captured)
            self.forward_function = GraphedFunction(self.recorder, forward, fixed, captured.device, [None] * len(fixed),
                                                    code)
        except NotCapturable as error:
            self._give_up(error)

    def _give_up(self, error: Exception, backward: bool = False) -> None:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        if backward:
            self.backward_status = reason
        else:
            self.status, self.forward_function = reason, None
        text = f"a {'backward' if backward else 'graph'} runs without a CUDA graph: {reason}"
        if text not in _warned:
            _warned.add(text)
            warnings.warn(f"torch_trace: {text}", stacklevel=2)

    def _is_pending(self) -> bool:
        """A backward may still come that reads what the last replay kept."""
        node = self.pending()
        if node is None:
            return False
        try:
            _ = node.saved_tensors
        except RuntimeError:
            return False  # it has run, and has let go of what it kept
        return True

    def forward(self, arguments: Tensors) -> Replay | None:
        """None where the forward has to run without its graph."""
        function = self.forward_function
        if function is None or not self.lock.acquire(blocking=False):
            return None
        try:
            self.calls += 1
            if self.calls <= WARM_UP or self.recorder.is_busy() or self._is_pending():
                return None
            try:
                if function.prepare(arguments):
                    # They read the memory of the graph before.
                    self.backwards.clear()
                    self.status = "captured"
            except Exception as error:
                self._give_up(error)
                return None
            values = function(arguments)
            self.generation += 1
            self.pending = lambda: None
            return Replay(function.arguments, values, copies(values[: self.num_results]), self.generation)
        finally:
            self.lock.release()

    def keep_for(self, node: Any) -> None:
        """The autograd node of the last replay."""
        self.pending = weakref.ref(node)

    def count_backward(self, mask: list[bool]) -> None:
        """Before each backward, with a graph or without."""
        key = tuple(mask)
        self.backward_calls[key] = self.backward_calls.get(key, 0) + 1

    def backward(self, generation: int, mask: list[bool], arguments: Tensors, strides: Sequence[Any]) -> list[Any] | None:
        """Gradients for what replay number `generation` kept; None where they have to be computed without a graph."""
        if generation != self.generation:
            raise RuntimeError("a backward through a CUDA graph comes after the forward has been replayed, which has "
                               "overwritten what it needs")
        key = tuple(mask)
        warm = self.backward_calls.get(key, 0) > WARM_UP
        if self.backward_status not in ("", "captured") or not warm or self.recorder.is_busy():
            return None
        with self.lock:
            function = self.backwards.get(key)
            if function is None:
                # What the forward kept is in its graph's memory; cotangents come from anywhere.
                fixed = [stride is None for stride in strides]
                function = GraphedFunction(self.recorder, functools.partial(self.backward_function, mask), fixed,
                                           self.captured.device, strides, self.code)
                self.backwards[key] = function
            try:
                function.prepare(arguments)
                self.backward_status = "captured"
            except Exception as error:
                self._give_up(error, backward=True)
                return None
            return copies(function(arguments))
