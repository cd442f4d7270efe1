"""Reductions and scans. Half precision accumulates in f32; integer sums in i64, as PyTorch's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ..dtypes import compute_dtype
from ..emitter import Emitter, Tensor
from .registry import NotApplicable, register
from .shape import positive

aten = torch.ops.aten


def reduced_dims(dims: Sequence[int] | int | None, ndim: int) -> list[int]:
    """The dimensions that a `dim` argument names: all of them for None and for an empty list."""
    if dims is None or (not isinstance(dims, int) and len(dims) == 0):
        return list(range(ndim))
    if isinstance(dims, int):
        dims = [dims]
    return sorted(positive(d, ndim) for d in dims) if ndim else []


def count(x: Tensor, dims: Sequence[int]) -> int:
    """How many elements go into one result."""
    n = 1
    for d in dims:
        n *= x.shape[d]
    return n


@register(aten.sum.default, aten.sum.dim_IntList)
def sum_(e: Emitter, out: torch.Tensor, x: Tensor, dim: Sequence[int] | None = None, keepdim: bool = False,
         dtype: torch.dtype | None = None) -> Tensor:
    y = e.convert(x, compute_dtype(out.dtype))
    return e.convert(e.sum(y, reduced_dims(dim, x.ndim), keepdim), out.dtype)


@register(aten.mean.default, aten.mean.dim)
def mean(e: Emitter, out: torch.Tensor, x: Tensor, dim: Sequence[int] | None = None, keepdim: bool = False,
         dtype: torch.dtype | None = None) -> Tensor:
    dims = reduced_dims(dim, x.ndim)
    total = e.sum(e.convert(x, compute_dtype(out.dtype)), dims, keepdim)
    return e.convert(e.div(total, e.like(total, count(x, dims))), out.dtype)


@register(aten.prod.default, aten.prod.dim_int)
def prod(e: Emitter, out: torch.Tensor, x: Tensor, dim: int | None = None, keepdim: bool = False,
         dtype: torch.dtype | None = None) -> Tensor:
    y = e.convert(x, compute_dtype(out.dtype))
    return e.convert(e.reduce("reduce_prod", y, reduced_dims(dim, x.ndim), keepdim), out.dtype)


@register(aten.amax.default)
def amax(e: Emitter, out: torch.Tensor, x: Tensor, dim: Sequence[int] = (), keepdim: bool = False) -> Tensor:
    return _extreme(e, x, reduced_dims(dim, x.ndim), keepdim, "reduce_max")


@register(aten.amin.default)
def amin(e: Emitter, out: torch.Tensor, x: Tensor, dim: Sequence[int] = (), keepdim: bool = False) -> Tensor:
    return _extreme(e, x, reduced_dims(dim, x.ndim), keepdim, "reduce_min")


@register(aten.max.default)
def max_all(e: Emitter, out: torch.Tensor, x: Tensor) -> Tensor:
    return _extreme(e, x, list(range(x.ndim)), False, "reduce_max")


@register(aten.min.default)
def min_all(e: Emitter, out: torch.Tensor, x: Tensor) -> Tensor:
    return _extreme(e, x, list(range(x.ndim)), False, "reduce_min")


def _extreme(e: Emitter, x: Tensor, dims: list[int], keepdim: bool, prim: str) -> Tensor:
    if x.dtype == torch.bool:
        prim = "reduce_any" if prim == "reduce_max" else "reduce_all"
    if any(x.shape[d] == 0 for d in dims):
        raise NotApplicable
    return e.reduce(prim, x, dims, keepdim)


@register(aten.max.dim)
def max_dim(e: Emitter, out: Sequence[torch.Tensor], x: Tensor, dim: int, keepdim: bool = False
            ) -> tuple[Tensor, Tensor]:
    return _with_index(e, x, dim, keepdim, "argmax")


@register(aten.min.dim)
def min_dim(e: Emitter, out: Sequence[torch.Tensor], x: Tensor, dim: int, keepdim: bool = False
            ) -> tuple[Tensor, Tensor]:
    return _with_index(e, x, dim, keepdim, "argmin")


def _with_index(e: Emitter, x: Tensor, dim: int, keepdim: bool, prim: str) -> tuple[Tensor, Tensor]:
    """The value is gathered at the index, so that its gradient goes to that one element as PyTorch's does."""
    if x.ndim == 0:
        return x, e.splat(0, (), torch.int64)
    dim = positive(dim, x.ndim)
    if x.shape[dim] == 0:
        raise NotApplicable
    index = e.argreduce(prim, e.convert(x, torch.uint8) if x.dtype == torch.bool else x, dim, keepdim=True)
    values = e.gather(x, index, dim)
    if not keepdim:
        shape = x.shape[:dim] + x.shape[dim + 1:]
        values, index = e.reshape(values, shape), e.reshape(index, shape)
    return values, index


@register(aten.argmax.default)
def argmax(e: Emitter, out: torch.Tensor, x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    return _arg(e, out, x, dim, keepdim, "argmax")


@register(aten.argmin.default)
def argmin(e: Emitter, out: torch.Tensor, x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    return _arg(e, out, x, dim, keepdim, "argmin")


def _arg(e: Emitter, out: torch.Tensor, x: Tensor, dim: int | None, keepdim: bool, prim: str) -> Tensor:
    if x.dtype == torch.bool:
        raise NotApplicable
    if x.ndim == 0:
        return e.splat(0, out.shape, torch.int64)
    if dim is None:
        x, dim = e.reshape(x, (x.numel,)), 0
    dim = positive(dim, x.ndim)
    if x.shape[dim] == 0:
        raise NotApplicable
    return e.reshape(e.argreduce(prim, x, dim), out.shape)


@register(aten.any.default, aten.any.dim, aten.any.dims)
def any_(e: Emitter, out: torch.Tensor, x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    reduced = e.reduce("reduce_any", e.convert(x, torch.bool), reduced_dims(dim, x.ndim), keepdim)
    return e.convert(reduced, out.dtype)


@register(aten.all.default, aten.all.dim, aten.all.dims)
def all_(e: Emitter, out: torch.Tensor, x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    reduced = e.reduce("reduce_all", e.convert(x, torch.bool), reduced_dims(dim, x.ndim), keepdim)
    return e.convert(reduced, out.dtype)


@register(aten.cumsum.default)
def cumsum(e: Emitter, out: torch.Tensor, x: Tensor, dim: int, dtype: torch.dtype | None = None) -> Tensor:
    if x.ndim == 0:
        return e.convert(x, out.dtype)
    return e.scan("cumsum", e.convert(x, out.dtype), positive(dim, x.ndim))


@register(aten.cumprod.default)
def cumprod(e: Emitter, out: torch.Tensor, x: Tensor, dim: int, dtype: torch.dtype | None = None) -> Tensor:
    if x.ndim == 0:
        return e.convert(x, out.dtype)
    return e.scan("cumprod", e.convert(x, out.dtype), positive(dim, x.ndim))


def mean_and_variance(e: Emitter, x: Tensor, dims: Sequence[int], correction: float) -> tuple[Tensor, Tensor]:
    """Two passes, dimensions kept; x in the dtype to compute in."""
    n = count(x, dims)
    total = e.sum(x, dims, keepdim=True)
    average = e.div(total, e.like(total, n))
    difference = e.sub(x, average)
    squares = e.sum(e.mul(difference, difference), dims, keepdim=True)
    # Fewer elements than the correction: x / 0, as PyTorch gives (NaN or an infinity).
    return average, e.div(squares, e.like(squares, max(float(n) - correction, 0.0)))


@register(aten.var.correction, aten.std.correction, eager_gradient=True)
def var(e: Emitter, out: torch.Tensor, x: Tensor, dim: Sequence[int] | None = None, *,
        correction: float | None = None, keepdim: bool = False) -> Tensor:
    _, variance = _moments(e, x, dim, correction, keepdim)
    return e.convert(variance, out.dtype)


def _moments(e: Emitter, x: Tensor, dim: Sequence[int] | None, correction: float | None, keepdim: bool
             ) -> tuple[Tensor, Tensor]:
    dims = reduced_dims(dim, x.ndim)
    average, variance = mean_and_variance(e, e.convert(x, compute_dtype(x.dtype)), dims,
                                          1.0 if correction is None else float(correction))
    if not keepdim:
        shape = [n for i, n in enumerate(x.shape) if i not in dims]
        average, variance = e.reshape(average, shape), e.reshape(variance, shape)
    return average, variance


@register(aten.var_mean.correction, eager_gradient=True)
def var_mean(e: Emitter, out: Sequence[torch.Tensor], x: Tensor, dim: Sequence[int] | None = None, *,
             correction: float | None = None, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    average, variance = _moments(e, x, dim, correction, keepdim)
    return e.convert(variance, out[0].dtype), e.convert(average, out[1].dtype)


from .registry import TABLE, Entry  # noqa: E402


def std(e: Emitter, out: torch.Tensor, x: Tensor, dim: Sequence[int] | None = None, *,
        correction: float | None = None, keepdim: bool = False) -> Tensor:
    """The root of the variance, taken before rounding to half precision."""
    _, variance = _moments(e, x, dim, correction, keepdim)
    return e.convert(e.unary("sqrt", variance), out.dtype)


TABLE[aten.std.correction] = Entry(std, True)
