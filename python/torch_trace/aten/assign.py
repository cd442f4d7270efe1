"""torch_trace::assign(old, value): `value`, with the gradient of `old`.

What an in-place operation under no_grad leaves behind: new data, and autograd's history as it was. Capture puts it
where a tensor that requires grad is written to in such a block.
"""

from __future__ import annotations

import torch

from ..emitter import Emitter, Tensor
from .registry import register


@torch.library.custom_op("torch_trace::assign", mutates_args=())
def assign(old: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """A copy of `value`; only the compiler tells `old` apart."""
    return value.clone()


@assign.register_fake
def _(old: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(value)


@register(torch.ops.torch_trace.assign.default)
def translate(e: Emitter, out: torch.Tensor, old: Tensor, value: Tensor) -> Tensor:
    (result,) = e.custom_grad(
        [old, value], lambda operands: ([operands[1]], []), lambda cotangents, saved: list(cotangents), [0]
    )
    return result
