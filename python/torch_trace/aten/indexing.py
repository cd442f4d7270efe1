"""Elements chosen by index tensors. Indices are checked where LibTorch would raise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ..emitter import Emitter, Tensor
from .elementwise import Operand, operand
from .registry import NotApplicable, register
from .shape import positive

aten = torch.ops.aten


def as_index(e: Emitter, index: Tensor) -> Tensor:
    """An index tensor as i64."""
    return e.convert(index, torch.int64)


@register(aten.gather.default)
def gather(e: Emitter, out: torch.Tensor, x: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    if x.ndim == 0 or index.ndim == 0 or index.numel == 0 or x.numel == 0:
        raise NotApplicable
    dim = positive(dim, x.ndim)
    return e.gather(x, e.check_index(as_index(e, index), x.shape[dim], False), dim)


@register(aten.index_select.default)
def index_select(e: Emitter, out: torch.Tensor, x: Tensor, dim: int, index: Tensor) -> Tensor:
    if x.ndim == 0 or index.ndim != 1:
        raise NotApplicable
    dim = positive(dim, x.ndim)
    return e.take(x, e.check_index(as_index(e, index), x.shape[dim], False), dim)


@register(aten.embedding.default)
def embedding(e: Emitter, out: torch.Tensor, weight: Tensor, index: Tensor, padding_idx: int = -1,
              scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:
    if scale_grad_by_freq or sparse:
        raise NotApplicable
    checked = e.check_index(as_index(e, index), weight.shape[0], False)
    rows = e.take(weight, checked, 0)
    if padding_idx >= 0:
        # No gradient for the padding row.
        mask = e.compare("eq", checked, e.like(checked, padding_idx))
        mask = e.reshape(mask, (*mask.shape, 1))
        rows = e.where(mask, e.stop_gradient(rows), rows)
    return rows


def _indices(e: Emitter, x: Tensor, indices: Sequence[Tensor | None]) -> tuple[list[Tensor], list[int]]:
    """Index tensors of one shape, in range, and the dimensions at which they stand."""
    given = [(dim, index) for dim, index in enumerate(indices) if index is not None]
    if not given or any(index.dtype in (torch.bool, torch.uint8) for _, index in given):
        raise NotApplicable
    if any(x.shape[dim] == 0 for dim, _ in given):
        raise NotApplicable
    checked = [e.check_index(as_index(e, index), x.shape[dim], True) for dim, index in given]
    return list(e.broadcast(*checked)), [dim for dim, _ in given]


@register(aten.index.Tensor, aten._unsafe_index.Tensor)
def index(e: Emitter, out: torch.Tensor, x: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    chosen, dims = _indices(e, x, indices)
    if len(dims) == 1:
        return e.take(x, chosen[0], dims[0])
    return e.op1("index", [x, *chosen], {"dims": dims}, out.shape, out.dtype)


def _mask(e: Emitter, x: Tensor, indices: Sequence[Tensor | None]) -> Tensor | None:
    """One boolean mask over the leading dimensions, broadcast to x; None where the indices are something else."""
    if len(indices) != 1 or indices[0] is None or indices[0].dtype != torch.bool:
        return None
    mask = indices[0]
    return e.broadcast_in_dim(mask, x.shape, list(range(mask.ndim)))


@register(aten.index_put.default, aten._unsafe_index_put.default)
def index_put(e: Emitter, out: torch.Tensor, x: Tensor, indices: Sequence[Tensor | None], values: Tensor,
              accumulate: bool = False) -> Tensor:
    mask = _mask(e, x, indices)
    if mask is not None:
        if values.numel != 1:
            raise NotApplicable
        value = e.reshape(values, ())
        return e.where(mask, e.add(x, value) if accumulate else value, x)
    chosen, dims = _indices(e, x, indices)
    shape = _indexed_shape(x, chosen[0].shape, dims)
    source = e.broadcast_to(e.convert(values, x.dtype), shape)
    attributes = {"dims": dims, "accumulate": accumulate}
    return e.op1("index_put", [x, source, *chosen], attributes, x.shape, x.dtype)


def _indexed_shape(x: Tensor, index_shape: tuple[int, ...], dims: list[int]) -> list[int]:
    """The shape of x[.., i, j, ..]."""
    adjacent = dims == list(range(dims[0], dims[-1] + 1))
    rest = [n for i, n in enumerate(x.shape) if i not in dims]
    place = dims[0] if adjacent else 0
    return rest[:place] + list(index_shape) + rest[place:]


@register(aten.index_add.default)
def index_add(e: Emitter, out: torch.Tensor, x: Tensor, dim: int, index: Tensor, source: Tensor, *,
              alpha: int | float = 1) -> Tensor:
    if x.ndim == 0 or index.ndim != 1:
        raise NotApplicable
    dim = positive(dim, x.ndim)
    checked = e.check_index(as_index(e, index), x.shape[dim], False)
    return e.index_add(x, checked, e.scaled(source, alpha), dim)


@register(aten.scatter.src, aten.scatter.value)
def scatter(e: Emitter, out: torch.Tensor, x: Tensor, dim: int, index: Tensor, source: Operand) -> Tensor:
    checked, values = _scattered(e, x, dim, index, source)
    return e.scatter(x, checked, values, positive(dim, x.ndim), add=False)


@register(aten.scatter_add.default)
def scatter_add(e: Emitter, out: torch.Tensor, x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    checked, values = _scattered(e, x, dim, index, source)
    return e.scatter(x, checked, values, positive(dim, x.ndim), add=True)


def _scattered(e: Emitter, x: Tensor, dim: int, index: Tensor, source: Operand) -> tuple[Tensor, Tensor]:
    if x.ndim == 0 or index.ndim == 0 or index.numel == 0:
        raise NotApplicable
    checked = e.check_index(as_index(e, index), x.shape[positive(dim, x.ndim)], False)
    values = operand(e, source, x.dtype)
    if isinstance(source, Tensor) and values.shape != index.shape:
        values = e.slice(values, [0] * index.ndim, index.shape, [1] * index.ndim)
    return checked, e.broadcast_to(values, index.shape)


@register(aten.sort.default, aten.sort.stable)
def sort(e: Emitter, out: Sequence[torch.Tensor], x: Tensor, *arguments: Any, **options: Any) -> tuple[Tensor, ...]:
    # sort.default(x, dim, descending), sort.stable(x, *, stable, dim, descending)
    dim = options.get("dim", arguments[0] if arguments else -1)
    descending = options.get("descending", arguments[1] if len(arguments) > 1 else False)
    if x.ndim == 0:
        return x, e.splat(0, (), torch.int64)
    attributes = {"dim": positive(dim, x.ndim), "descending": bool(descending), "stable": True}
    return tuple(e.op("sort", [x], attributes, [(x.shape, x.dtype), (x.shape, torch.int64)]))


@register(aten.topk.default)
def topk(e: Emitter, out: Sequence[torch.Tensor], x: Tensor, k: int, dim: int = -1, largest: bool = True,
         sorted: bool = True) -> tuple[Tensor, ...]:
    if x.ndim == 0:
        raise NotApplicable
    attributes = {"dim": positive(dim, x.ndim), "k": k, "largest": largest, "sorted": sorted}
    shape = tuple(out[0].shape)
    return tuple(e.op("topk", [x], attributes, [(shape, x.dtype), (shape, torch.int64)]))
