"""Attention for a GPU, where the graph is captured as one of the CPU.

PyTorch chooses an operator for scaled_dot_product_attention by the device, when the graph is captured. Lowering describes
graphs as the CPU's, whose operator no GPU has; this takes the GPU's memory-efficient one, which has every dtype, masks and
a gradient, or, where that does not fit, the formula.
"""

from __future__ import annotations

import torch

aten = torch.ops.aten


def efficient_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor,
                        attn_mask: torch.Tensor | None = None, dropout_p: float = 0.0, is_causal: bool = False,
                        scale: float | None = None, enable_gqa: bool = False) -> torch.Tensor:
    """torch.nn.functional.scaled_dot_product_attention."""
    mask = attn_mask
    if not _fits(query, key, value, mask, dropout_p, is_causal):
        return aten._scaled_dot_product_attention_math.default(
            query, key, value, mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)[0]
    if enable_gqa:
        key, value = (_repeated(t, query.shape[1] // t.shape[1]) for t in (key, value))
    if mask is not None:
        if mask.dtype == torch.bool:
            mask = torch.where(mask, 0.0, float("-inf")).to(query.dtype)
        mask = mask.expand(*query.shape[:3], key.shape[2])
    return aten._scaled_dot_product_efficient_attention.default(
        query, key, value, mask, torch.is_grad_enabled(), 0.0, is_causal, scale=scale)[0]


# As the captured graph's symbol is called.
efficient_attention.__name__ = "scaled_dot_product_attention"
efficient_attention.__module__ = "torch.nn.functional"


def _fits(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None, dropout_p: float,
          is_causal: bool) -> bool:
    """What the operator takes (ATen/native/transformers/cuda/sdp_utils.cpp)."""
    tensors = (query, key, value)
    if dropout_p or any(t.dim() != 4 or 0 in t.shape or t.dtype != query.dtype for t in tensors):
        return False
    if query.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        return False
    alignment = 4 if query.dtype == torch.float32 else 8
    if any(t.shape[3] % alignment for t in tensors):
        return False
    # A mask's rows have to be aligned, and a causal one is the operator's own.
    return mask is None or (not is_causal and key.shape[2] % 16 == 0)


def _repeated(tensor: torch.Tensor, times: int) -> torch.Tensor:
    batch, heads, length, size = tensor.shape
    if times == 1:
        return tensor
    return tensor[:, :, None].expand(batch, heads, times, length, size).reshape(batch, heads * times, length, size)
