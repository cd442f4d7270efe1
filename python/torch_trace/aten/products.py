"""Matrix products and convolutions, for LibTorch's kernels."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ..dtypes import compute_dtype
from ..emitter import Emitter, Tensor
from .elementwise import Scalar, finish
from .registry import NotApplicable, register

aten = torch.ops.aten


def _multiplicable(out: torch.Tensor) -> None:
    if not out.dtype.is_floating_point:
        raise NotApplicable


@register(aten.mm.default, aten.bmm.default)
def mm(e: Emitter, out: torch.Tensor, a: Tensor, b: Tensor) -> Tensor:
    _multiplicable(out)
    return e.matmul(a, b)


@register(aten.addmm.default, aten.baddbmm.default)
def addmm(e: Emitter, out: torch.Tensor, bias: Tensor, a: Tensor, b: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1
          ) -> Tensor:
    """beta * bias + alpha * a @ b; with beta 0 the bias is not looked at, NaN or not."""
    _multiplicable(out)
    product = e.matmul(a, b)
    if beta == 0 and alpha == 1:
        return product
    if alpha == 1 and beta == 1:
        return e.add(e.broadcast_to(bias, product.shape), product)
    dtype = compute_dtype(out.dtype)
    total = e.scaled(e.convert(product, dtype), alpha)
    if beta != 0:
        total = e.add(e.broadcast_to(e.scaled(e.convert(bias, dtype), beta), total.shape), total)
    return e.convert(total, out.dtype)


@register(aten.addmv.default)
def addmv(e: Emitter, out: torch.Tensor, bias: Tensor, a: Tensor, b: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1
          ) -> Tensor:
    product = mv(e, out, a, b)
    total = e.scaled(product, alpha)
    return finish(e, total if beta == 0 else e.add(e.scaled(bias, beta), total), out)


@register(aten.mv.default)
def mv(e: Emitter, out: torch.Tensor, a: Tensor, b: Tensor) -> Tensor:
    _multiplicable(out)
    return e.reshape(e.matmul(a, e.reshape(b, (b.shape[0], 1))), (a.shape[0],))


@register(aten.dot.default, aten.vdot.default)
def dot(e: Emitter, out: torch.Tensor, a: Tensor, b: Tensor) -> Tensor:
    _multiplicable(out)
    n = a.shape[0]
    return e.reshape(e.matmul(e.reshape(a, (1, n)), e.reshape(b, (n, 1))), ())


@register(aten.convolution.default)
def convolution(e: Emitter, out: torch.Tensor, x: Tensor, weight: Tensor, bias: Tensor | None, stride: Sequence[int],
                padding: Sequence[int], dilation: Sequence[int], transposed: bool, output_padding: Sequence[int],
                groups: int) -> Tensor:
    spatial = x.ndim - 2
    if spatial < 1 or weight.ndim != x.ndim or not out.dtype.is_floating_point or out.numel() == 0:
        raise NotApplicable

    def expanded(values: Sequence[int]) -> list[int]:
        return list(values) * spatial if len(values) == 1 and spatial > 1 else list(values)

    attributes = {
        "stride": expanded(stride), "padding": expanded(padding), "dilation": expanded(dilation),
        "transposed": transposed, "output_padding": expanded(output_padding), "groups": groups,
    }
    result = e.op1("convolution", [x, weight], attributes, out.shape, out.dtype)
    if bias is not None:
        result = e.add(result, e.broadcast_in_dim(bias, out.shape, [1]))
    return result
