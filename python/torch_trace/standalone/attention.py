"""The GPU's attention operators as formulas, for the emulated device: the CPU has no such operators."""

from __future__ import annotations

import math

import torch
from torch import Tensor

aten = torch.ops.aten

#: Rows of the log-sum-exp are padded to a multiple of this.
_ALIGNMENT = 32


def _scores(query: Tensor, key: Tensor, bias: Tensor | None, is_causal: bool, scale: float) -> Tensor:
    scores = query.float() @ key.float().transpose(-1, -2) * scale
    if bias is not None:
        scores = scores + bias.float()
    if is_causal:
        kept = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        scores = scores.masked_fill(~kept, float("-inf"))
    return scores


def _like(tensor: Tensor) -> Tensor:
    """The result's memory has the heads inside the positions, as the operators give it."""
    return tensor.transpose(1, 2).contiguous().transpose(1, 2)


def _forward(query: Tensor, key: Tensor, value: Tensor, attn_bias: Tensor | None, compute_log_sumexp: bool,
             dropout_p: float = 0.0, is_causal: bool = False, *, scale: float | None = None) -> tuple[Tensor, ...]:
    assert not dropout_p, "dropout inside attention is not emulated"
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = _scores(query, key, attn_bias, is_causal, scale)
    out = _like((torch.softmax(scores, -1) @ value.float()).to(query.dtype))
    length = query.shape[2]
    padded = -(-length // _ALIGNMENT) * _ALIGNMENT if compute_log_sumexp else 0
    logs = torch.full((*query.shape[:2], padded), float("inf"))
    if padded:
        logs[..., :length] = torch.logsumexp(scores, -1)
    return out, logs, torch.zeros((), dtype=torch.int64), torch.zeros((), dtype=torch.int64)


def _backward(grad: Tensor, query: Tensor, key: Tensor, value: Tensor, attn_bias: Tensor | None, out: Tensor,
              logsumexp: Tensor, seed: Tensor, offset: Tensor, dropout_p: float, wanted: list[bool],
              is_causal: bool = False, *, scale: float | None = None) -> tuple[Tensor | None, ...]:
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    logs = logsumexp[..., : query.shape[2], None]
    weights = torch.exp(_scores(query, key, attn_bias, is_causal, scale) - logs)
    wide = grad.float()
    of_scores = weights * (wide @ value.float().transpose(-1, -2) - (wide * out.float()).sum(-1, keepdim=True))
    gradients = (
        of_scores @ key.float() * scale,
        of_scores.transpose(-1, -2) @ query.float() * scale,
        weights.transpose(-1, -2) @ wide,
    )
    bias = of_scores.to(query.dtype) if wanted[3] and attn_bias is not None else None
    return *(_like(g.to(query.dtype)) for g in gradients), bias


#: By operator.
ON_CPU = {
    aten._scaled_dot_product_efficient_attention.default: _forward,
    aten._scaled_dot_product_efficient_attention_backward.default: _backward,
}
