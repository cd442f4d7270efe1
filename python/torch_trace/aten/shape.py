"""Views, data movement and factories. A view of LibTorch is a pure function of values here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from ..emitter import Emitter, Tensor
from .elementwise import Operand, finish, operand
from .registry import NotApplicable, register

aten = torch.ops.aten


def positive(dim: int, ndim: int) -> int:
    """A dimension counted from the front."""
    return dim + ndim if dim < 0 else dim


# ---- views


@register(
    aten.view.default, aten._unsafe_view.default, aten.reshape.default, aten.unsqueeze.default, aten.squeeze.default,
    aten.squeeze.dim, aten.squeeze.dims, aten.view_copy.default, aten.unsqueeze_copy.default,
    aten.squeeze_copy.default, aten.squeeze_copy.dim, aten.squeeze_copy.dims, aten._reshape_copy.default,
)
def view(e: Emitter, out: torch.Tensor, x: Tensor, *arguments: Any) -> Tensor:
    return e.reshape(x, out.shape)


@register(aten.view.dtype)
def view_dtype(e: Emitter, out: torch.Tensor, x: Tensor, dtype: torch.dtype) -> Tensor:
    if dtype.itemsize != x.dtype.itemsize or torch.bool in (dtype, x.dtype):
        raise NotApplicable
    return e.bitcast(x, dtype)


@register(aten.permute.default, aten.permute_copy.default)
def permute(e: Emitter, out: torch.Tensor, x: Tensor, dims: Sequence[int]) -> Tensor:
    return e.transpose(x, [positive(d, x.ndim) for d in dims])


@register(aten.transpose.int, aten.transpose_copy.int)
def transpose(e: Emitter, out: torch.Tensor, x: Tensor, a: int, b: int) -> Tensor:
    if x.ndim == 0:
        return x
    perm = list(range(x.ndim))
    a, b = positive(a, x.ndim), positive(b, x.ndim)
    perm[a], perm[b] = perm[b], perm[a]
    return e.transpose(x, perm)


@register(aten.t.default, aten.t_copy.default)
def t(e: Emitter, out: torch.Tensor, x: Tensor) -> Tensor:
    return e.transpose(x, list(range(x.ndim))[::-1])


@register(aten.expand.default, aten.expand_copy.default)
def expand(e: Emitter, out: torch.Tensor, x: Tensor, size: Sequence[int], implicit: bool = False) -> Tensor:
    return e.broadcast_to(x, out.shape)


def _bounds(size: int, start: int | None, end: int | None) -> tuple[int, int]:
    """start and end of a Python slice, clamped to the dimension."""
    begin, stop = (0 if start is None else start), (size if end is None else end)
    begin = max(0, begin + size if begin < 0 else begin)
    stop = max(0, stop + size if stop < 0 else stop)
    begin, stop = min(begin, size), min(stop, size)
    return begin, max(begin, stop)


@register(aten.slice.Tensor, aten.slice_copy.Tensor)
def slice_(e: Emitter, out: torch.Tensor, x: Tensor, dim: int = 0, start: int | None = None, end: int | None = None,
           step: int = 1) -> Tensor:
    dim = positive(dim, x.ndim)
    begin, stop = _bounds(x.shape[dim], start, end)
    return e.narrow(x, dim, begin, stop, step)


@register(aten.select.int, aten.select_copy.int)
def select(e: Emitter, out: torch.Tensor, x: Tensor, dim: int, index: int) -> Tensor:
    dim = positive(dim, x.ndim)
    index = positive(index, x.shape[dim])
    return e.reshape(e.narrow(x, dim, index, index + 1), out.shape)


@register(aten.split.Tensor, aten.split_with_sizes.default, aten.unsafe_split.Tensor,
          aten.unsafe_split_with_sizes.default, aten.split_with_sizes_copy.default, aten.split_copy.Tensor)
def split(e: Emitter, out: Sequence[torch.Tensor], x: Tensor, sizes: int | Sequence[int], dim: int = 0
          ) -> tuple[Tensor, ...]:
    dim = positive(dim, x.ndim)
    pieces, begin = [], 0
    for piece in out:
        stop = begin + piece.shape[dim]
        pieces.append(e.narrow(x, dim, begin, stop))
        begin = stop
    return tuple(pieces)


@register(aten.unbind.int, aten.unbind_copy.int)
def unbind(e: Emitter, out: Sequence[torch.Tensor], x: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    dim = positive(dim, x.ndim)
    return tuple(e.reshape(e.narrow(x, dim, i, i + 1), piece.shape) for i, piece in enumerate(out))


def strided_index(e: Emitter, size: Sequence[int], stride: Sequence[int], offset: int) -> Tensor:
    """offset + sum of i_d * stride_d, as an i64 tensor of shape `size`."""
    index = e.splat(offset, size, torch.int64)
    for dim, step in enumerate(stride):
        if step and size[dim] > 1:
            index = e.add(index, e.scaled(e.iota(dim, size), step))
    return index


def flat_take(e: Emitter, x: Tensor, size: Sequence[int], stride: Sequence[int], offset: int) -> Tensor:
    """Elements of x at row-major positions offset + sum of i_d * stride_d."""
    return e.take(e.reshape(x, (x.numel,)), strided_index(e, size, stride, offset), 0)


@register(aten.diagonal.default, aten.diagonal_copy.default)
def diagonal(e: Emitter, out: torch.Tensor, x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    if out.numel() == 0:
        return e.splat(0, out.shape, out.dtype)
    a, b = positive(dim1, x.ndim), positive(dim2, x.ndim)
    strides = _contiguous(x.shape)
    kept = [s for i, s in enumerate(strides) if i not in (a, b)] + [strides[a] + strides[b]]
    start = offset * strides[b] if offset >= 0 else -offset * strides[a]
    return flat_take(e, x, out.shape, kept, start)


@register(aten.unfold.default, aten.unfold_copy.default)
def unfold(e: Emitter, out: torch.Tensor, x: Tensor, dim: int, size: int, step: int) -> Tensor:
    if out.numel() == 0 or x.ndim == 0:
        return e.reshape(x, out.shape) if out.numel() else e.splat(0, out.shape, out.dtype)
    dim = positive(dim, x.ndim)
    strides = _contiguous(x.shape)
    strides.append(strides[dim])
    strides[dim] *= step
    return flat_take(e, x, out.shape, strides, 0)


def _contiguous(shape: Sequence[int]) -> list[int]:
    strides, step = [0] * len(shape), 1
    for i in range(len(shape) - 1, -1, -1):
        strides[i] = step
        step *= max(shape[i], 1)
    return strides


# ---- data movement


@register(aten.cat.default)
def cat(e: Emitter, out: torch.Tensor, tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    # A 1-d tensor without elements is skipped whatever the others' rank, as PyTorch has it.
    parts = [e.convert(x, out.dtype) for x in tensors if x.shape != (0,) or out.ndim == 1]
    return e.cat(parts, positive(dim, out.ndim))


@register(aten.stack.default)
def stack(e: Emitter, out: torch.Tensor, tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    dim = positive(dim, out.ndim)
    parts = [e.convert(x, out.dtype) for x in tensors]
    return e.cat([e.reshape(x, (*x.shape[:dim], 1, *x.shape[dim:])) for x in parts], dim)


@register(aten.flip.default)
def flip(e: Emitter, out: torch.Tensor, x: Tensor, dims: Sequence[int]) -> Tensor:
    return e.reverse(x, [d for d in (positive(d, x.ndim) for d in dims) if x.ndim])


@register(aten.roll.default)
def roll(e: Emitter, out: torch.Tensor, x: Tensor, shifts: Sequence[int], dims: Sequence[int] = ()) -> Tensor:
    if x.numel == 0 or x.ndim == 0:
        return x
    if not dims:
        return e.reshape(roll(e, out, e.reshape(x, (x.numel,)), shifts, [0]), x.shape)
    for shift, dim in zip(shifts, dims, strict=True):
        dim = positive(dim, x.ndim)
        size = x.shape[dim]
        start = (-shift) % size
        if start:
            x = e.cat([e.narrow(x, dim, start, size), e.narrow(x, dim, 0, start)], dim)
    return x


@register(aten.repeat.default)
def repeat(e: Emitter, out: torch.Tensor, x: Tensor, repeats: Sequence[int]) -> Tensor:
    lead = len(repeats) - x.ndim
    shape = (1,) * lead + x.shape
    if out.numel() == 0:
        return e.splat(0, out.shape, out.dtype)
    wide = [n for pair in zip(repeats, shape, strict=True) for n in pair]
    spread = e.broadcast_in_dim(e.reshape(x, shape), wide, [2 * i + 1 for i in range(len(repeats))])
    return e.reshape(spread, out.shape)


@register(aten.constant_pad_nd.default)
def constant_pad_nd(e: Emitter, out: torch.Tensor, x: Tensor, pad: Sequence[int], value: int | float = 0) -> Tensor:
    low, high = [0] * x.ndim, [0] * x.ndim
    for i in range(len(pad) // 2):
        low[x.ndim - 1 - i], high[x.ndim - 1 - i] = pad[2 * i], pad[2 * i + 1]
    return e.pad(x, e.splat(value, (), x.dtype), low, high)


@register(aten.slice_scatter.default)
def slice_scatter(e: Emitter, out: torch.Tensor, x: Tensor, source: Tensor, dim: int = 0, start: int | None = None,
                  end: int | None = None, step: int = 1) -> Tensor:
    dim = positive(dim, x.ndim)
    begin, stop = _bounds(x.shape[dim], start, end)
    source = e.convert(source, x.dtype)
    wanted = list(x.shape)
    wanted[dim] = len(range(begin, stop, step))
    if wanted[dim] == 0:
        return x
    source = e.broadcast_to(source, wanted)
    if step == 1:
        parts = [e.narrow(x, dim, 0, begin), source, e.narrow(x, dim, stop, x.shape[dim])]
        return e.cat([p for p in parts if p.shape[dim]], dim)
    low, high, interior = [0] * x.ndim, [0] * x.ndim, [0] * x.ndim
    low[dim], interior[dim] = begin, step - 1
    high[dim] = x.shape[dim] - begin - (wanted[dim] - 1) * step - 1
    inside = e.pad(e.splat(True, wanted, torch.bool), e.splat(False, (), torch.bool), low, high, interior)
    return e.where(inside, e.pad(source, 0, low, high, interior), x)


@register(aten.select_scatter.default)
def select_scatter(e: Emitter, out: torch.Tensor, x: Tensor, source: Tensor, dim: int, index: int) -> Tensor:
    dim = positive(dim, x.ndim)
    index = positive(index, x.shape[dim])
    wanted = list(x.shape)
    wanted[dim] = 1
    return slice_scatter(e, out, x, e.reshape(source, wanted), dim, index, index + 1)


@register(aten.diagonal_scatter.default)
def diagonal_scatter(e: Emitter, out: torch.Tensor, x: Tensor, source: Tensor, offset: int = 0, dim1: int = 0,
                     dim2: int = 1) -> Tensor:
    if source.numel == 0:
        return x
    a, b = positive(dim1, x.ndim), positive(dim2, x.ndim)
    on = e.compare("eq", e.add(e.iota(a, x.shape), e.splat(offset, x.shape, torch.int64)), e.iota(b, x.shape))
    # The diagonal's elements along dimension b (or a, whichever is indexed directly), shifted into place.
    front = [i for i in range(x.ndim) if i not in (a, b)]
    along = a if offset >= 0 else b
    low, high = [0] * source.ndim, [0] * source.ndim
    high[-1] = x.shape[along] - source.shape[-1]
    spread = e.broadcast_in_dim(_reordered(e, e.pad(source, 0, low, high), [*front, along]), x.shape,
                                sorted([*front, along]))
    return e.where(on, spread, x)


def _reordered(e: Emitter, x: Tensor, dims: Sequence[int]) -> Tensor:
    """Dimensions of x sorted by the numbers that they stand for."""
    return e.transpose(x, sorted(range(len(dims)), key=lambda i: dims[i]))


@register(aten.tril.default)
def tril(e: Emitter, out: torch.Tensor, x: Tensor, diagonal: int = 0) -> Tensor:
    return e.where(_triangle(e, x, diagonal, "le"), x, e.splat(0, (), x.dtype))


@register(aten.triu.default)
def triu(e: Emitter, out: torch.Tensor, x: Tensor, diagonal: int = 0) -> Tensor:
    return e.where(_triangle(e, x, diagonal, "ge"), x, e.splat(0, (), x.dtype))


def _triangle(e: Emitter, x: Tensor, diagonal: int, relation: str) -> Tensor:
    shape = x.shape[-2:]
    rows = e.add(e.iota(0, shape), e.splat(diagonal, shape, torch.int64))
    return e.compare(relation, e.iota(1, shape), rows)


# ---- factories


def _plain(out: torch.Tensor) -> None:
    if out.device.type not in ("cpu", "cuda") or out.layout != torch.strided:
        raise NotApplicable


@register(aten.full.default, aten.scalar_tensor.default)
def full(e: Emitter, out: torch.Tensor, *arguments: Any, **options: Any) -> Tensor:
    _plain(out)
    value = options.pop("fill_value", arguments[-1] if arguments else None)
    return e.splat(value, out.shape, out.dtype)


@register(aten.full_like.default, aten.new_full.default)
def full_like(e: Emitter, out: torch.Tensor, *arguments: Any, **options: Any) -> Tensor:
    _plain(out)
    return e.splat(options.get("fill_value", arguments[-1]), out.shape, out.dtype)


@register(aten.fill.Scalar, aten.fill.Tensor)
def fill(e: Emitter, out: torch.Tensor, x: Tensor, value: Operand) -> Tensor:
    return finish(e, operand(e, value, out.dtype), out)


def _filled(value: int, *operators: Any) -> None:
    @register(*operators)
    def translate(e: Emitter, out: torch.Tensor, *arguments: Any, **options: Any) -> Tensor:
        _plain(out)
        return e.splat(value, out.shape, out.dtype)


# Memory that nobody wrote reads as zero: any value would do.
_filled(
    0, aten.zeros.default, aten.zeros_like.default, aten.new_zeros.default, aten.empty.memory_format,
    aten.empty_like.default, aten.new_empty.default, aten.new_empty_strided.default, aten.empty_strided.default,
    aten.zero.default, aten.empty_permuted.default, aten._efficientzerotensor.default,
)
_filled(1, aten.ones.default, aten.ones_like.default, aten.new_ones.default)


@register(aten.arange.default, aten.arange.start, aten.arange.start_step)
def arange(e: Emitter, out: torch.Tensor, *arguments: Any, **options: Any) -> Tensor:
    _plain(out)
    start, step = 0, 1
    if len(arguments) >= 2:
        start = arguments[0]
    if len(arguments) >= 3:
        step = arguments[2]
    if out.numel() == 0:
        return e.splat(0, out.shape, out.dtype)
    if out.dtype.is_floating_point:
        # PyTorch's kernel: start + step * i in double (float for half precision), then rounded.
        dtype = torch.float32 if out.dtype != torch.float64 else torch.float64
        if any(isinstance(v, float) and not float(v).is_integer() for v in (start, step)):
            dtype = torch.float64
        counted = e.add(e.scaled(e.iota(0, out.shape, dtype), step), e.splat(start, out.shape, dtype))
        return e.convert(counted, out.dtype)
    counted = e.scaled(e.iota(0, out.shape), int(step))
    if start:
        counted = e.add(counted, e.splat(int(start), out.shape, torch.int64))
    return e.convert(counted, out.dtype)


@register(aten.eye.default, aten.eye.m)
def eye(e: Emitter, out: torch.Tensor, *arguments: Any, **options: Any) -> Tensor:
    _plain(out)
    if out.numel() == 0:
        return e.splat(0, out.shape, out.dtype)
    return e.convert(e.compare("eq", e.iota(0, out.shape), e.iota(1, out.shape)), out.dtype)


def dense_order(x: torch.Tensor) -> list[int] | None:
    """Dimensions from the outermost in memory to the innermost, where the fake tensor is dense; None otherwise."""
    order = sorted(range(x.dim()), key=lambda i: (-x.stride(i), -x.size(i), i))
    expected = 1
    for dim in reversed(order):
        if x.size(dim) != 1 and x.stride(dim) != expected:
            return None
        expected *= max(x.size(dim), 1)
    return order


def as_strided_value(e: Emitter, x: Tensor, fake: torch.Tensor, size: Sequence[int], stride: Sequence[int],
                     offset: int) -> Tensor:
    """as_strided of a value whose storage, by its fake tensor's strides, it fills without gaps."""
    order = dense_order(fake)
    if order is None:
        raise NotApplicable
    if math.prod(size) == 0:
        return e.splat(0, size, x.dtype)
    return flat_take(e, e.transpose(x, order), size, stride, offset - fake.storage_offset())
