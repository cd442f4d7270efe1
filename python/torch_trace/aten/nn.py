"""Neural-network operators: activations, normalisations, losses, with eager's accuracy.

Their gradients are PyTorch's own formulas (`eager_gradient`): a chain rule over the forward's prims would save more and
be less accurate at the edges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from ..dtypes import compute_dtype
from ..emitter import Emitter, Tensor
from .elementwise import Scalar
from .reduction import mean_and_variance
from .registry import NotApplicable, register
from .shape import positive

aten = torch.ops.aten


def _up(e: Emitter, x: Tensor) -> Tensor:
    """x in the dtype that PyTorch's kernels compute in."""
    return e.convert(x, compute_dtype(x.dtype))


# ---- softmax


def _shifted(e: Emitter, x: Tensor, dim: int) -> Tensor:
    """x minus its maximum along dim."""
    if x.ndim == 0:
        x = e.reshape(x, (1,))
    if x.shape[dim] == 0 or x.numel == 0:
        raise NotApplicable
    return e.sub(x, e.reduce("reduce_max", x, [dim], keepdim=True))


@register(aten._softmax.default, eager_gradient=True)
def softmax(e: Emitter, out: torch.Tensor, x: Tensor, dim: int, half_to_float: bool) -> Tensor:
    dim = positive(dim, max(x.ndim, 1))
    exponential = e.unary("exp", _shifted(e, e.convert(x, compute_dtype(out.dtype)), dim))
    result = e.div(exponential, e.sum(exponential, [dim], keepdim=True))
    return e.convert(e.reshape(result, out.shape), out.dtype)


@register(aten._safe_softmax.default, eager_gradient=True)
def safe_softmax(e: Emitter, out: torch.Tensor, x: Tensor, dim: int, dtype: torch.dtype | None = None) -> Tensor:
    """Softmax in which a row of -inf only gives zeros."""
    dim = positive(dim, max(x.ndim, 1))
    plain = softmax(e, out, x, dim, False)
    if x.ndim == 0:
        raise NotApplicable
    masked = e.reduce("reduce_all", e.compare("eq", x, e.like(x, float("-inf"))), [dim], keepdim=True)
    return e.where(masked, e.splat(0, (), out.dtype), plain)


@register(aten._log_softmax.default, eager_gradient=True)
def log_softmax(e: Emitter, out: torch.Tensor, x: Tensor, dim: int, half_to_float: bool) -> Tensor:
    dim = positive(dim, max(x.ndim, 1))
    shifted = _shifted(e, e.convert(x, compute_dtype(out.dtype)), dim)
    total = e.sum(e.unary("exp", shifted), [dim], keepdim=True)
    return e.convert(e.reshape(e.sub(shifted, e.unary("log", total)), out.shape), out.dtype)


@register(aten._softmax_backward_data.default)
def softmax_backward(e: Emitter, out: torch.Tensor, grad: Tensor, y: Tensor, dim: int, input_dtype: torch.dtype
                     ) -> Tensor:
    if y.ndim == 0:
        return e.splat(0, out.shape, out.dtype)
    dim = positive(dim, y.ndim)
    product = e.mul(_up(e, grad), _up(e, y))
    result = e.sub(product, e.mul(_up(e, y), e.sum(product, [dim], keepdim=True)))
    return e.convert(result, out.dtype)


@register(aten._log_softmax_backward_data.default)
def log_softmax_backward(e: Emitter, out: torch.Tensor, grad: Tensor, y: Tensor, dim: int, input_dtype: torch.dtype
                         ) -> Tensor:
    if y.ndim == 0:
        return e.splat(0, out.shape, out.dtype)
    dim = positive(dim, y.ndim)
    wide = _up(e, grad)
    result = e.sub(wide, e.mul(e.unary("exp", _up(e, y)), e.sum(wide, [dim], keepdim=True)))
    return e.convert(result, out.dtype)


@register(aten.logsumexp.default, eager_gradient=True)
def logsumexp(e: Emitter, out: torch.Tensor, x: Tensor, dim: Sequence[int], keepdim: bool = False) -> Tensor:
    if x.numel == 0 or x.ndim == 0 or not x.dtype.is_floating_point:
        raise NotApplicable
    dims = sorted(positive(d, x.ndim) for d in dim) or list(range(x.ndim))
    y = _up(e, x)
    top = e.reduce("reduce_max", y, dims, keepdim=True)
    # An infinite maximum is not subtracted: inf - inf is NaN.
    top = e.where(e.predicate("isinf", top), e.like(top, 0), top)
    total = e.sum(e.unary("exp", e.sub(y, top)), dims, keepdim=True)
    return e.reshape(e.convert(e.add(e.unary("log", total), top), out.dtype), out.shape)


# ---- activations


@register(aten.gelu.default, eager_gradient=True)
def gelu(e: Emitter, out: torch.Tensor, x: Tensor, *, approximate: str = "none") -> Tensor:
    y = _up(e, x)
    half = e.splat(0.5, (), y.dtype)
    one = e.splat(1, (), y.dtype)
    if approximate == "tanh":
        cube = e.mul(e.mul(y, y), y)
        inner = e.mul(e.splat(math.sqrt(2 / math.pi), (), y.dtype), e.add(y, e.scaled(cube, 0.044715)))
        result = e.mul(e.mul(half, y), e.add(one, e.unary("tanh", inner)))
    else:
        cdf = e.mul(half, e.add(one, e.unary("erf", e.scaled(y, math.sqrt(0.5)))))
        result = e.mul(y, cdf)
    return e.convert(result, out.dtype)


@register(aten.silu.default, eager_gradient=True)
def silu(e: Emitter, out: torch.Tensor, x: Tensor) -> Tensor:
    y = _up(e, x)
    one = e.splat(1, (), y.dtype)
    return e.convert(e.div(y, e.add(one, e.unary("exp", e.unary("neg", y)))), out.dtype)


@register(aten.elu.default, eager_gradient=True)
def elu(e: Emitter, out: torch.Tensor, x: Tensor, alpha: Scalar = 1, scale: Scalar = 1, input_scale: Scalar = 1
        ) -> Tensor:
    y = _up(e, x)
    below = e.scaled(e.unary("expm1", e.scaled(y, input_scale)), alpha * scale)
    # The sign test is false for NaN, which then comes out of expm1.
    return e.convert(e.where(e.compare("gt", y, e.like(y, 0)), e.scaled(y, scale), below), out.dtype)


@register(aten.leaky_relu.default, eager_gradient=True)
def leaky_relu(e: Emitter, out: torch.Tensor, x: Tensor, negative_slope: Scalar = 0.01) -> Tensor:
    y = _up(e, x)
    return e.convert(e.where(e.compare("gt", y, e.like(y, 0)), y, e.scaled(y, negative_slope)), out.dtype)


# ---- normalisation


def _affine(e: Emitter, x: Tensor, weight: Tensor | None, bias: Tensor | None, dims: Sequence[int]) -> Tensor:
    """x * weight + bias, both standing at `dims` of x."""
    if weight is not None:
        x = e.mul(x, e.broadcast_in_dim(_up(e, weight), x.shape, dims))
    if bias is not None:
        x = e.add(x, e.broadcast_in_dim(_up(e, bias), x.shape, dims))
    return x


def _reciprocal_root(e: Emitter, variance: Tensor, eps: float) -> Tensor:
    return e.unary("rsqrt", e.add(variance, e.like(variance, eps)))


@register(aten.native_layer_norm.default, eager_gradient=True)
def layer_norm(e: Emitter, out: Sequence[torch.Tensor], x: Tensor, shape: Sequence[int], weight: Tensor | None,
               bias: Tensor | None, eps: float) -> tuple[Tensor, ...]:
    dims = list(range(x.ndim - len(shape), x.ndim))
    if x.numel == 0:
        raise NotApplicable
    y = _up(e, x)
    average, variance = mean_and_variance(e, y, dims, 0)
    rstd = _reciprocal_root(e, variance, eps)
    result = _affine(e, e.mul(e.sub(y, average), rstd), weight, bias, dims)
    return (e.convert(result, out[0].dtype), e.convert(e.reshape(average, out[1].shape), out[1].dtype),
            e.convert(e.reshape(rstd, out[2].shape), out[2].dtype))


@register(aten.native_group_norm.default, eager_gradient=True)
def group_norm(e: Emitter, out: Sequence[torch.Tensor], x: Tensor, weight: Tensor | None, bias: Tensor | None, n: int,
               channels: int, spatial: int, groups: int, eps: float) -> tuple[Tensor, ...]:
    if x.numel == 0:
        raise NotApplicable
    y = e.reshape(_up(e, x), (n, groups, channels // groups * spatial))
    average, variance = mean_and_variance(e, y, [2], 0)
    rstd = _reciprocal_root(e, variance, eps)
    result = e.reshape(e.mul(e.sub(y, average), rstd), x.shape)
    result = _affine(e, result, weight, bias, [1])
    return (e.convert(result, out[0].dtype), e.convert(e.reshape(average, out[1].shape), out[1].dtype),
            e.convert(e.reshape(rstd, out[2].shape), out[2].dtype))


def _batch_statistics(e: Emitter, x: Tensor, eps: float) -> tuple[Tensor, Tensor, Tensor]:
    dims = [i for i in range(x.ndim) if i != 1]
    average, variance = mean_and_variance(e, x, dims, 0)
    return (e.reshape(average, (x.shape[1],)), e.reshape(variance, (x.shape[1],)),
            e.reshape(_reciprocal_root(e, variance, eps), (x.shape[1],)))


def _batch_normalised(e: Emitter, x: Tensor, average: Tensor, rstd: Tensor, weight: Tensor | None, bias: Tensor | None
                      ) -> Tensor:
    centred = e.sub(x, e.broadcast_in_dim(average, x.shape, [1]))
    return _affine(e, e.mul(centred, e.broadcast_in_dim(rstd, x.shape, [1])), weight, bias, [1])


@register(aten._native_batch_norm_legit_functional.default, eager_gradient=True)
def batch_norm(e: Emitter, out: Sequence[torch.Tensor], x: Tensor, weight: Tensor | None, bias: Tensor | None,
               running_mean: Tensor, running_var: Tensor, training: bool, momentum: float, eps: float
               ) -> tuple[Tensor, ...]:
    """(result, mean, rstd, new running mean, new running variance)."""
    if x.numel == 0 or x.ndim < 2:
        raise NotApplicable
    y = _up(e, x)
    if not training:
        rstd = _reciprocal_root(e, _up(e, running_var), eps)
        result = _batch_normalised(e, y, _up(e, running_mean), rstd, weight, bias)
        empty = [e.splat(0, o.shape, o.dtype) for o in out[1:3]]
        return (e.convert(result, out[0].dtype), *empty, running_mean, running_var)
    average, variance, rstd = _batch_statistics(e, y, eps)
    result = _batch_normalised(e, y, average, rstd, weight, bias)
    n = x.numel // x.shape[1]
    unbiased = e.scaled(variance, n / (n - 1)) if n > 1 else e.div(e.scaled(variance, n), e.like(variance, 0))

    def running(old: Tensor, new: Tensor, like: torch.Tensor) -> Tensor:
        kept = e.add(e.scaled(_up(e, old), 1 - momentum), e.scaled(new, momentum))
        return e.convert(kept, like.dtype)

    return (e.convert(result, out[0].dtype), e.convert(average, out[1].dtype), e.convert(rstd, out[2].dtype),
            running(running_mean, average, out[3]), running(running_var, unbiased, out[4]))


@register(aten._native_batch_norm_legit.no_stats, eager_gradient=True)
def batch_norm_no_stats(e: Emitter, out: Sequence[torch.Tensor], x: Tensor, weight: Tensor | None,
                        bias: Tensor | None, training: bool, momentum: float, eps: float) -> tuple[Tensor, ...]:
    if x.numel == 0 or x.ndim < 2:
        raise NotApplicable
    y = _up(e, x)
    average, _, rstd = _batch_statistics(e, y, eps)
    result = _batch_normalised(e, y, average, rstd, weight, bias)
    return (e.convert(result, out[0].dtype), e.convert(average, out[1].dtype), e.convert(rstd, out[2].dtype))


@register(aten._native_batch_norm_legit_no_training.default, eager_gradient=True)
def batch_norm_inference(e: Emitter, out: Sequence[torch.Tensor], x: Tensor, weight: Tensor | None,
                         bias: Tensor | None, running_mean: Tensor, running_var: Tensor, momentum: float, eps: float
                         ) -> tuple[Tensor, ...]:
    if x.numel == 0 or x.ndim < 2:
        raise NotApplicable
    rstd = _reciprocal_root(e, _up(e, running_var), eps)
    result = _batch_normalised(e, _up(e, x), _up(e, running_mean), rstd, weight, bias)
    return (e.convert(result, out[0].dtype), *(e.splat(0, o.shape, o.dtype) for o in out[1:]))


# ---- losses


@register(aten.nll_loss_forward.default, aten.nll_loss2d_forward.default)
def nll_loss(e: Emitter, out: Sequence[torch.Tensor], x: Tensor, target: Tensor, weight: Tensor | None, reduction: int,
             ignore_index: int) -> tuple[Tensor, Tensor]:
    """(loss, total weight). The class dimension is 1, or 0 for a single sample."""
    if x.ndim == 0 or x.numel == 0:
        raise NotApplicable
    dim = 0 if x.ndim == 1 else 1
    classes = x.shape[dim]
    wide = _up(e, x)
    checked = e.check_index(e.convert(target, torch.int64), classes, False, ignore_index)
    kept = e.compare("ne", checked, e.like(checked, ignore_index))
    safe = e.where(kept, checked, e.splat(0, (), torch.int64))
    # Dimension `dim` of the index has size 1.
    at = e.reshape(safe, (*safe.shape[:dim], 1, *safe.shape[dim:]) if target.ndim >= dim else (1,))
    chosen = e.reshape(e.gather(wide, at, dim), safe.shape)
    loss = e.unary("neg", chosen)
    if weight is None:
        weights = e.convert(kept, wide.dtype)
    else:
        weights = e.where(kept, e.take(_up(e, weight), safe, 0), e.splat(0, (), wide.dtype))
        loss = e.mul(loss, weights)
    loss = e.where(kept, loss, e.splat(0, (), wide.dtype))
    if reduction == 0 and target.ndim:
        return e.convert(loss, out[0].dtype), e.splat(0, out[1].shape, out[1].dtype)
    dims = list(range(loss.ndim))
    total, total_weight = e.sum(loss, dims), e.sum(weights, dims)
    if reduction == 1:
        total = e.div(total, total_weight)
    return e.convert(total, out[0].dtype), e.convert(total_weight, out[1].dtype)


@register(aten.mse_loss.default, eager_gradient=True)
def mse_loss(e: Emitter, out: torch.Tensor, x: Tensor, target: Tensor, reduction: int = 1) -> Tensor:
    difference = e.sub(*(e.convert(v, compute_dtype(out.dtype)) for v in (x, target)))
    loss = e.mul(difference, difference)
    if reduction:
        total = e.sum(loss, list(range(loss.ndim)))
        loss = e.div(total, e.like(total, loss.numel)) if reduction == 1 else total
    return e.convert(loss, out.dtype)


@register(aten.linalg_vector_norm.default, eager_gradient=True)
def vector_norm(e: Emitter, out: torch.Tensor, x: Tensor, order: Scalar = 2, dim: Any = None, keepdim: bool = False, *,
                dtype: torch.dtype | None = None) -> Tensor:
    from .reduction import reduced_dims

    dims = reduced_dims(dim, x.ndim)
    if order not in (1, 2) or not x.dtype.is_floating_point:
        raise NotApplicable
    y = e.convert(x, compute_dtype(out.dtype))
    if order == 1:
        return e.convert(e.sum(e.unary("abs", y), dims, keepdim), out.dtype)
    return e.convert(e.unary("sqrt", e.sum(e.mul(y, y), dims, keepdim)), out.dtype)
