"""Writing prims: a thin layer over the C++ builder that knows shapes and dtypes.

The translation tables in `torch_trace.aten` use it and nothing else. Each method emits one prim (or none where it
would be the identity); broadcasting and conversions are explicit, as the dialect wants them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from . import _C
from .dtypes import element_name, is_low_precision
from .errors import Unsupported

Shape = tuple[int, ...]


@dataclasses.dataclass(slots=True)
class Tensor:
    """A value of the IR with its shape and dtype."""

    value: Any
    shape: Shape
    dtype: torch.dtype
    #: The number, where the value is a splat of one.
    literal: bool | int | float | None = None

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def numel(self) -> int:
        return math.prod(self.shape)


class Emitter:
    """Emits prims into a module under construction."""

    def __init__(self, builder: _C.Builder) -> None:
        self.builder = builder
        self._types: dict[tuple[Shape, torch.dtype], _C.Type] = {}
        #: The 0-d i64 seed where ops are being emitted: the function's argument or the region's.
        self._seed: Tensor | None = None
        self._streams = 0
        self.region_depth = 0

    # ---- types and ops

    def type(self, shape: Sequence[int], dtype: torch.dtype) -> _C.Type:
        """The tensor type of a shape and a dtype."""
        key = (tuple(shape), dtype)
        found = self._types.get(key)
        if found is None:
            name = element_name(dtype)
            if name is None:
                raise Unsupported(f"tensors of {dtype}")
            found = self._types[key] = self.builder.tensor_type(list(shape), name)
        return found

    def op(
        self,
        name: str,
        operands: Sequence[Tensor],
        attributes: dict[str, Any],
        results: Sequence[tuple[Sequence[int], torch.dtype]],
        regions: Sequence[int] = (),
    ) -> list[Tensor]:
        """Emits `trace.<name>` with the given result shapes and dtypes."""
        values = self.builder.op(
            "trace." + name,
            [t.value for t in operands],
            attributes,
            [self.type(shape, dtype) for shape, dtype in results],
            list(regions),
        )
        return [Tensor(v, tuple(shape), dtype) for v, (shape, dtype) in zip(values, results, strict=True)]

    def op1(self, name: str, operands: Sequence[Tensor], attributes: dict[str, Any], shape: Sequence[int],
            dtype: torch.dtype) -> Tensor:
        """Emits an op with one result."""
        return self.op(name, operands, attributes, [(shape, dtype)])[0]

    # ---- constants

    def splat(self, value: bool | int | float, shape: Sequence[int], dtype: torch.dtype) -> Tensor:
        """A tensor with one value everywhere, converted to `dtype` as PyTorch converts a Python number."""
        if dtype.is_floating_point:
            integer, floating = 0, float(value)
        else:
            integer, floating = int(bool(value)) if dtype == torch.bool else _wrap(int(value), dtype), 0.0
        result = self.builder.splat(self.type(shape, dtype), integer, floating)
        return Tensor(result, tuple(shape), dtype, value)

    def constant(self, tensor: torch.Tensor) -> Tensor:
        """A literal with a tensor's elements."""
        data = tensor.detach().contiguous().cpu()
        if data.numel() and data.dtype in _SPLATTABLE and bool((data == data.reshape(-1)[0]).all()):
            return self.splat(data.reshape(-1)[0].item(), data.shape, data.dtype)
        raw = data.reshape(-1).view(torch.uint8).numpy().tobytes() if data.numel() else b""
        value = self.builder.constant(self.type(data.shape, data.dtype), raw)
        return Tensor(value, tuple(data.shape), data.dtype)

    def like(self, x: Tensor, value: bool | int | float) -> Tensor:
        """A splat of x's shape and dtype."""
        return self.splat(value, x.shape, x.dtype)

    def iota(self, dim: int, shape: Sequence[int], dtype: torch.dtype = torch.int64) -> Tensor:
        """0, 1, 2, .. along one dimension."""
        return self.op1("iota", [], {"dim": dim}, shape, dtype)

    # ---- elementwise

    def convert(self, x: Tensor, dtype: torch.dtype) -> Tensor:
        """x in another dtype."""
        if x.dtype == dtype:
            return x
        return self.op1("convert", [x], {}, x.shape, dtype)

    def bitcast(self, x: Tensor, dtype: torch.dtype) -> Tensor:
        """The same bits as another dtype of the same width."""
        return x if x.dtype == dtype else self.op1("bitcast", [x], {}, x.shape, dtype)

    def unary(self, name: str, x: Tensor) -> Tensor:
        """An elementwise prim of one operand."""
        return self.op1(name, [x], {}, x.shape, x.dtype)

    def predicate(self, name: str, x: Tensor) -> Tensor:
        """isnan, isinf, isfinite, signbit, logical_not."""
        return self.op1(name, [x], {}, x.shape, torch.bool)

    def binary(self, name: str, a: Tensor, b: Tensor) -> Tensor:
        """An elementwise prim of two operands, which are broadcast against each other."""
        a, b = self.broadcast(a, b)
        return self.op1(name, [a, b], {}, a.shape, a.dtype)

    def compare(self, name: str, a: Tensor, b: Tensor) -> Tensor:
        """eq, ne, lt, le, gt, ge."""
        a, b = self.broadcast(a, b)
        return self.op1(name, [a, b], {}, a.shape, torch.bool)

    def add(self, a: Tensor, b: Tensor) -> Tensor:
        return self.binary("add", a, b)

    def sub(self, a: Tensor, b: Tensor) -> Tensor:
        return self.binary("sub", a, b)

    def mul(self, a: Tensor, b: Tensor) -> Tensor:
        return self.binary("mul", a, b)

    def div(self, a: Tensor, b: Tensor) -> Tensor:
        return self.binary("div", a, b)

    def scaled(self, a: Tensor, factor: int | float) -> Tensor:
        """a * factor, factor in a's dtype."""
        return a if factor == 1 else self.mul(a, self.like(a, factor))

    def where(self, condition: Tensor, a: Tensor, b: Tensor) -> Tensor:
        """condition ? a : b, all broadcast against each other."""
        condition, a, b = self.broadcast(condition, a, b)
        return self.op1("where", [condition, a, b], {}, a.shape, a.dtype)

    def clamp(self, x: Tensor, low: Tensor, high: Tensor) -> Tensor:
        """min(max(x, low), high)."""
        x, low, high = self.broadcast(x, low, high)
        return self.op1("clamp", [x, low, high], {}, x.shape, x.dtype)

    def stop_gradient(self, x: Tensor) -> Tensor:
        """The identity through which no gradient flows."""
        return self.unary("stop_gradient", x)

    # ---- shapes

    def broadcast_to(self, x: Tensor, shape: Sequence[int]) -> Tensor:
        """x expanded to `shape`, aligned at the last dimension."""
        shape = tuple(shape)
        if x.shape == shape:
            return x
        if x.literal is not None:
            return self.splat(x.literal, shape, x.dtype)
        lead = len(shape) - x.ndim
        return self.op1("broadcast_in_dim", [x], {"dims": [lead + i for i in range(x.ndim)]}, shape, x.dtype)

    def broadcast(self, *tensors: Tensor) -> tuple[Tensor, ...]:
        """All tensors in their common shape."""
        first = tensors[0].shape
        if all(t.shape == first for t in tensors):
            return tensors
        shape = torch.broadcast_shapes(*(t.shape for t in tensors))
        return tuple(self.broadcast_to(t, shape) for t in tensors)

    def broadcast_in_dim(self, x: Tensor, shape: Sequence[int], dims: Sequence[int]) -> Tensor:
        """Dimension i of x at dimension dims[i] of the result."""
        if x.shape == tuple(shape) and list(dims) == list(range(x.ndim)):
            return x
        if x.literal is not None:
            return self.splat(x.literal, shape, x.dtype)
        return self.op1("broadcast_in_dim", [x], {"dims": list(dims)}, shape, x.dtype)

    def reshape(self, x: Tensor, shape: Sequence[int]) -> Tensor:
        """The same elements in row-major order under another shape."""
        shape = tuple(shape)
        if x.literal is not None and x.shape != shape:
            return self.splat(x.literal, shape, x.dtype)
        return x if x.shape == shape else self.op1("reshape", [x], {}, shape, x.dtype)

    def transpose(self, x: Tensor, perm: Sequence[int]) -> Tensor:
        """Dimension i of the result is dimension perm[i] of x."""
        perm = list(perm)
        if perm == list(range(x.ndim)):
            return x
        return self.op1("transpose", [x], {"perm": perm}, [x.shape[p] for p in perm], x.dtype)

    def slice(self, x: Tensor, starts: Sequence[int], limits: Sequence[int], strides: Sequence[int]) -> Tensor:
        """Elements starts, starts + strides, .. below limits, in every dimension."""
        shape = [max(0, -(-(b - a) // s)) for a, b, s in zip(starts, limits, strides, strict=True)]
        if tuple(shape) == x.shape:
            return x
        attributes = {"starts": list(starts), "limits": list(limits), "strides": list(strides)}
        return self.op1("slice", [x], attributes, shape, x.dtype)

    def narrow(self, x: Tensor, dim: int, start: int, stop: int, step: int = 1) -> Tensor:
        """Elements [start, stop) by step of one dimension."""
        starts, limits, strides = [0] * x.ndim, list(x.shape), [1] * x.ndim
        starts[dim], limits[dim], strides[dim] = start, max(start, stop), step
        return self.slice(x, starts, limits, strides)

    def pad(self, x: Tensor, value: Tensor | int | float, low: Sequence[int], high: Sequence[int],
            interior: Sequence[int] | None = None) -> Tensor:
        """Adds elements of one value before, after and between."""
        interior = [0] * x.ndim if interior is None else list(interior)
        if not any(low) and not any(high) and not any(interior):
            return x
        fill = value if isinstance(value, Tensor) else self.splat(value, (), x.dtype)
        shape = [n + a + b + max(n - 1, 0) * i for n, a, b, i in zip(x.shape, low, high, interior, strict=True)]
        attributes = {"low": list(low), "high": list(high), "interior": interior}
        return self.op1("pad", [x, fill], attributes, shape, x.dtype)

    def cat(self, tensors: Sequence[Tensor], dim: int) -> Tensor:
        """Tensors joined along one dimension."""
        if len(tensors) == 1:
            return tensors[0]
        shape = list(tensors[0].shape)
        shape[dim] = sum(t.shape[dim] for t in tensors)
        return self.op1("cat", tensors, {"dim": dim}, shape, tensors[0].dtype)

    def reverse(self, x: Tensor, dims: Sequence[int]) -> Tensor:
        """x with the order along some dimensions reversed."""
        return self.op1("reverse", [x], {"dims": sorted(dims)}, x.shape, x.dtype) if dims else x

    # ---- reductions

    def reduce(self, name: str, x: Tensor, dims: Sequence[int], keepdim: bool = False) -> Tensor:
        """reduce_sum, reduce_prod, reduce_max, reduce_min, reduce_any, reduce_all over `dims`."""
        dims = sorted(dims)
        if dims:
            shape = [n for i, n in enumerate(x.shape) if i not in dims]
            result = self.op1(name, [x], {"dims": dims}, shape, x.dtype)
        else:
            result = x
        if keepdim:
            result = self.reshape(result, [1 if i in dims else n for i, n in enumerate(x.shape)])
        return result

    def sum(self, x: Tensor, dims: Sequence[int], keepdim: bool = False) -> Tensor:
        return self.reduce("reduce_sum", x, dims, keepdim)

    def argreduce(self, name: str, x: Tensor, dim: int, keepdim: bool = False) -> Tensor:
        """argmax or argmin along one dimension."""
        shape = [n for i, n in enumerate(x.shape) if i != dim]
        result = self.op1(name, [x], {"dim": dim}, shape, torch.int64)
        if keepdim:
            result = self.reshape(result, [1 if i == dim else n for i, n in enumerate(x.shape)])
        return result

    def scan(self, name: str, x: Tensor, dim: int) -> Tensor:
        """cumsum or cumprod along one dimension."""
        return self.op1(name, [x], {"dim": dim}, x.shape, x.dtype)

    # ---- indexing

    def check_index(self, index: Tensor, size: int, wrap: bool, ignore: int | None = None) -> Tensor:
        """Raises where an index is out of range; wraps negative ones if asked."""
        attributes: dict[str, Any] = {"size": size, "wrap": wrap}
        if ignore is not None:
            attributes["ignore"] = ignore
        return self.op1("check_index", [index], attributes, index.shape, torch.int64)

    def gather(self, x: Tensor, index: Tensor, dim: int) -> Tensor:
        """torch.gather."""
        return self.op1("gather", [x, index], {"dim": dim}, index.shape, x.dtype)

    def take(self, x: Tensor, index: Tensor, dim: int) -> Tensor:
        """Slices of x along `dim`, chosen by an index tensor of any rank."""
        shape = x.shape[:dim] + index.shape + x.shape[dim + 1:]
        return self.op1("take", [x, index], {"dim": dim}, shape, x.dtype)

    def index_add(self, x: Tensor, index: Tensor, source: Tensor, dim: int) -> Tensor:
        """x with slices added at places chosen along `dim`."""
        return self.op1("index_add", [x, index, source], {"dim": dim}, x.shape, x.dtype)

    def scatter(self, x: Tensor, index: Tensor, source: Tensor, dim: int, add: bool) -> Tensor:
        """torch.scatter or torch.scatter_add."""
        return self.op1("scatter_add" if add else "scatter", [x, index, source], {"dim": dim}, x.shape, x.dtype)

    # ---- products

    def matmul(self, a: Tensor, b: Tensor) -> Tensor:
        """B.. x M x K times B.. x K x N."""
        return self.op1("matmul", [a, b], {}, a.shape[:-1] + b.shape[-1:], a.dtype)

    # ---- random numbers

    def bind_seed(self, seed: Tensor | None) -> None:
        """Sets the function's rng_state argument."""
        self._seed = seed

    def seed(self) -> Tensor:
        """The seed that random prims draw from."""
        if self._seed is None:
            raise Unsupported("random numbers where no seed reaches (a gradient rule)")
        return self._seed

    def random(self, kind: str, shape: Sequence[int], dtype: torch.dtype) -> Tensor:
        """uniform in [0, 1) or normal, from a stream of its own."""
        seed = self.seed()
        self._streams += 1
        compute = torch.float32 if is_low_precision(dtype) else dtype
        drawn = self.op1(f"random_{kind}", [seed], {"stream": self._streams - 1}, shape, compute)
        return self.convert(drawn, dtype)

    # ---- regions

    def custom_grad(
        self,
        operands: Sequence[Tensor],
        primal: Callable[[list[Tensor]], tuple[list[Tensor], list[Tensor]]],
        backward: Callable[[list[Tensor], list[Tensor]], list[Tensor]],
        grad_operands: Sequence[int],
        non_differentiable: Sequence[int] = (),
        uses_seed: bool = False,
    ) -> list[Tensor]:
        """A computation with its own backward.

        `primal` maps the operands to (results, what the backward wants); `backward` maps (cotangents of the results,
        those values) to the cotangents of `grad_operands`. With `uses_seed` the primal may draw random numbers.
        """
        seed = self._seed
        inner = self.enter_region([*operands, self.seed()] if uses_seed else operands)
        self._seed = inner.pop() if uses_seed else None
        results, saved = primal(inner)
        first = self.leave_region([*results, *saved])
        self._seed = None
        inner = self.enter_region([*results, *saved])
        gradients = backward(inner[: len(results)], inner[len(results):])
        second = self.leave_region(gradients)
        self._seed = seed
        attributes: dict[str, Any] = {"grad_operands": list(grad_operands)}
        if non_differentiable:
            attributes["non_differentiable"] = list(non_differentiable)
        return self.op("custom_grad", [*operands, self.seed()] if uses_seed else operands, attributes,
                       [(r.shape, r.dtype) for r in results], [first, second])

    def symbol(
        self,
        name: str,
        operands: Sequence[Tensor],
        body: Callable[[list[Tensor]], list[Tensor]],
        attributes: dict[str, Any] | None = None,
        uses_seed: bool = False,
        op: str = "bsym",
    ) -> list[Tensor]:
        """A bound symbol (or another op with one region, e.g. a checkpoint) whose decomposition `body` emits."""
        seed = self._seed
        outer = [*operands, self.seed()] if uses_seed else list(operands)
        inner = self.enter_region(outer)
        self._seed = inner.pop() if uses_seed else None
        results = body(inner)
        region = self.leave_region(results)
        self._seed = seed
        return self.op(op, outer, {"name": name, **(attributes or {})} if op == "bsym" else attributes or {},
                       [(r.shape, r.dtype) for r in results], [region])

    def enter_region(self, arguments: Sequence[Tensor]) -> list[Tensor]:
        """Opens a region with block arguments like the given values."""
        self.region_depth += 1
        values = self.builder.begin_region([self.type(a.shape, a.dtype) for a in arguments])
        return [Tensor(v, a.shape, a.dtype) for v, a in zip(values, arguments, strict=True)]

    def leave_region(self, results: Sequence[Tensor]) -> int:
        """Ends it with a trace.yield."""
        self.region_depth -= 1
        return self.builder.end_region([r.value for r in results])


_SPLATTABLE = frozenset({torch.bool, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8})


def _wrap(value: int, dtype: torch.dtype) -> int:
    """A Python int as two's complement of the dtype's width."""
    bits = dtype.itemsize * 8
    value &= (1 << bits) - 1
    if dtype.is_signed and value >> (bits - 1):
        value -= 1 << bits
    return value - (1 << 64) if value >= 1 << 63 else value
