"""A host function's plan (lib/Codegen/Host/DescribeHost.cpp) as a Python function: allocations, views, launches and library
calls in order, every value dropped behind its last use."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from .calls import prepare
from .cuda import Driver, DriverError, Kernel

Tensors = list[Any]
Step = Callable[[Tensors], None]

#: Kernels use 16-byte accesses at the start of every operand.
ALIGNMENT = 16


class Launch:
    """One kernel of a fusion: its launch and which of the fusion's pointers it takes."""

    def __init__(self, kernel: Kernel, grid: Sequence[int], block: Sequence[int], shared: int,
                 slots: Sequence[int]) -> None:
        self.kernel, self.grid, self.block, self.shared, self.slots = kernel, grid, block, shared, slots


class Fusion:
    """The kernels of a fusion in order. Pointers are operands, results, then scratch of so many bytes each."""

    def __init__(self, driver: Driver, launches: Sequence[Launch], scratch: Sequence[int]) -> None:
        self.driver, self.launches, self.scratch = driver, launches, scratch
        #: Called with each launch and the fusion's tensors behind the launch, by who wants to see or time it.
        self.observer: Callable[[Launch, Sequence[torch.Tensor]], None] | None = None

    def run(self, operands: Sequence[torch.Tensor], results: Sequence[torch.Tensor], device: torch.device) -> None:
        """Enqueues the kernels on the device's current stream."""
        if not self.launches:
            return
        scratch = [torch.empty(n, dtype=torch.uint8, device=device) for n in self.scratch]
        self.driver.enter(device.index or 0)
        held = [*operands, *results, *scratch]
        if not self.driver.emulated:
            return self._launch(held, current_stream(device))
        ranges = [(t.data_ptr(), extent(t)) for t in held]
        with self.driver.bounds(ranges[:len(operands)], ranges[len(operands):]):
            self._launch(held, 0)

    def _launch(self, held: Sequence[torch.Tensor], stream: int) -> None:
        pointers = [t.data_ptr() for t in held]
        for launch in self.launches:
            launch.kernel.launch(launch.grid, launch.block, launch.shared, stream,
                                 [pointers[slot] for slot in launch.slots])
            if self.observer:
                self.observer(launch, held)


def extent(tensor: torch.Tensor) -> int:
    """Bytes from the first element to behind the last."""
    if tensor.numel() == 0:
        return 0
    last = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    return (last + 1) * tensor.element_size()


def current_stream(device: torch.device) -> int:
    return torch.cuda.current_stream(device).cuda_stream if device.type == "cuda" else 0


def aligned(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor, or a copy of the same layout that starts where kernels expect it to."""
    if tensor.numel() == 0 or tensor.data_ptr() % ALIGNMENT == 0:
        return tensor
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=tensor.device).copy_(tensor)


def with_layout(tensor: torch.Tensor, shape: Sequence[int], strides: Sequence[int]) -> torch.Tensor:
    """The tensor, or a copy with these strides (those of dimensions of size 1 do not count)."""
    if all(n == 1 or s == t for n, s, t in zip(shape, strides, tensor.stride(), strict=True)) or tensor.numel() == 0:
        return tensor
    return torch.empty_strided(shape, strides, dtype=tensor.dtype, device=tensor.device).copy_(tensor)


class Program:
    """A host function on a device: takes tensors in the order of its arguments, gives its results."""

    def __init__(self, plan: Mapping[str, Any], fusions: Mapping[str, Fusion], device: torch.device,
                 read: Callable[[str], bytes] | None = None) -> None:
        """`read` gives the bytes of a file that the plan names."""
        self.name = plan["name"]
        self.read = read
        self.device = device
        self.values = plan["values"]
        self.dtypes = [getattr(torch, v["dtype"]) for v in self.values]
        self.arguments, self.results, self.roles = plan["arguments"], plan["results"], plan["roles"]
        self.fusions = fusions
        self.steps: list[tuple[Step, list[int]]] = []
        steps = self.plan_steps = list(plan["steps"])
        makers = [getattr(self, "_" + step["op"])(step) for step in steps]
        last: dict[int, int] = {}
        for number, step in enumerate(steps):
            for value in _named(step):
                last[value] = number
        kept = set(self.results)
        dead: list[list[int]] = [[] for _ in steps]
        for value, number in last.items():
            if value not in kept:
                dead[number].append(value)
        self.steps = list(zip(makers, dead, strict=True))

    def __call__(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        values: Tensors = [None] * len(self.values)
        for number, tensor in zip(self.arguments, tensors, strict=True):
            spec = self.values[number]
            if list(tensor.shape) != spec["shape"] or tensor.dtype != self.dtypes[number]:
                raise ValueError(
                    f"{self.name}: argument {number} is {tensor.dtype}{list(tensor.shape)}, not "
                    f"{spec['dtype']}{spec['shape']}"
                )
            values[number] = aligned(with_layout(tensor.detach(), spec["shape"], spec["strides"]))
        for step, dead in self.steps:
            step(values)
            for number in dead:
                values[number] = None
        return [values[number] for number in self.results]

    # ---- steps

    def _empty(self, number: int) -> torch.Tensor:
        spec = self.values[number]
        return torch.empty_strided(spec["shape"], spec["strides"], dtype=self.dtypes[number], device=self.device)

    def _constant(self, step: Mapping[str, Any]) -> Step:
        number, spec = step["result"], self.values[step["result"]]
        if "file" in step:
            assert self.read is not None, "the plan's literals are in files"
            data = bytearray(self.read(step["file"]))
        else:
            data = bytearray(base64.b64decode(step["data"]))
        size = torch.empty((), dtype=self.dtypes[number]).element_size()
        if len(data) == 0:
            tensor = self._empty(number)
        elif len(data) == size:
            tensor = torch.frombuffer(data, dtype=self.dtypes[number]).reshape(()).expand(spec["shape"]).clone()
        else:
            tensor = torch.frombuffer(data, dtype=self.dtypes[number]).reshape(spec["shape"])
        # An expanded constant keeps its strides of zero.
        target = torch.empty_strided(spec["shape"], spec["strides"], dtype=tensor.dtype)
        if tensor.numel():
            target = target if 0 in spec["strides"] else target.copy_(tensor)
            if 0 in spec["strides"]:
                target = tensor.reshape(-1)[:1].reshape(()).clone().expand(spec["shape"])
        constant = target.to(self.device)

        def run(values: Tensors) -> None:
            values[number] = constant

        return run

    def _view(self, step: Mapping[str, Any]) -> Step:
        source, number, offset = step["of"], step["result"], step["offset"]
        shape, strides = self.values[number]["shape"], self.values[number]["strides"]

        def run(values: Tensors) -> None:
            base = values[source]
            values[number] = base.as_strided(shape, strides, base.storage_offset() + offset)

        return run

    def _check_index(self, step: Mapping[str, Any]) -> Step:
        source, number, size, wrap = step["of"], step["result"], step["size"], step["wrap"]

        # Indices out of range are an assertion of the device in eager; nothing is read back here either.
        def run(values: Tensors) -> None:
            index = values[source]
            values[number] = torch.where(index < 0, index + size, index) if wrap else index

        return run

    def _fusion(self, step: Mapping[str, Any]) -> Step:
        fusion, operands, results = self.fusions[step["name"]], step["operands"], step["results"]
        where = step["where"]

        def run(values: Tensors) -> None:
            held = [aligned(values[v]) for v in operands]
            for number in results:
                values[number] = self._empty(number)
            try:
                fusion.run(held, [values[number] for number in results], self.device)
            except DriverError as error:
                raise DriverError(f"{where}: {error}" if where else str(error)) from None

        return run

    def _library(self, step: Mapping[str, Any]) -> Step:
        call = prepare(step["call"], self.device)
        operands, results = step["operands"], step["results"]

        def run(values: Tensors) -> None:
            made = call([values[v] for v in operands])
            tensors = _flatten(made)
            for number, tensor in zip(results, tensors, strict=False):
                if number is None:
                    continue
                spec = self.values[number]
                if list(tensor.shape) != spec["shape"] or tensor.dtype != self.dtypes[number]:
                    raise RuntimeError(
                        f"{step['where']}: {step['call'].split('|')[0]} gave {tensor.dtype}{list(tensor.shape)}, not "
                        f"{spec['dtype']}{spec['shape']}"
                    )
                values[number] = with_layout(tensor, spec["shape"], spec["strides"])

        return run


def _flatten(made: Any) -> list[Any]:
    if isinstance(made, torch.Tensor) or made is None:
        return [made]
    return [t for item in made for t in _flatten(item)] if isinstance(made, (list, tuple)) else []


def _named(step: Mapping[str, Any]) -> list[int]:
    """All values that a step reads or makes."""
    named = [step[key] for key in ("of", "result") if key in step]
    for key in ("operands", "results"):
        named += [v for v in step.get(key, ()) if v is not None]
    return named
