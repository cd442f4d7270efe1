"""The blocks that blocks.py times: what transformers and their optimisers are made of, at sizes between cache and memory.

Each is a function of a dtype that returns a Problem with fresh, seeded arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor


@dataclass
class Problem:
    """fn(*args) -> a tensor or a tuple of tensors."""

    fn: Callable
    args: tuple[Tensor, ...]
    cotangents: tuple[Tensor, ...] | None = None  # None: one scalar output
    grad: bool = True
    mutated: tuple[int, ...] = ()  # arguments that fn writes
    random: Callable | None = None  # (outputs, gradients) -> complaint or None, where eager's numbers cannot be had

    def leaves(self) -> list[Tensor]:
        return [a for a in self.args if a.requires_grad]


class Random:
    """Seeded tensors of one dtype."""

    def __init__(self, dtype: torch.dtype):
        self.dtype, self.generator = dtype, torch.Generator().manual_seed(1)

    def leaf(self, *shape: int, scale: float = 1.0) -> Tensor:
        return self.constant(*shape, scale=scale).requires_grad_()

    def constant(self, *shape: int, scale: float = 1.0) -> Tensor:
        return (scale * torch.randn(*shape, generator=self.generator)).to(self.dtype)

    def labels(self, count: int, classes: int) -> Tensor:
        return torch.randint(classes, (count,), generator=self.generator)


def residual_rmsnorm(dtype: torch.dtype) -> Problem:
    r = Random(dtype)

    def fn(x, residual, weight):
        h = x + residual
        f = h.float()
        return (f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-6)).to(h.dtype) * weight, h

    shape = (4, 256, 1024)
    return Problem(fn, (r.leaf(*shape), r.leaf(*shape), r.leaf(1024)), (r.constant(*shape), r.constant(*shape)))


def layer_norm(dtype: torch.dtype) -> Problem:
    r = Random(dtype)
    args = r.leaf(4, 256, 1024), r.leaf(1024), r.leaf(1024)
    return Problem(lambda x, w, b: F.layer_norm(x, (1024,), w, b), args, (r.constant(4, 256, 1024),))


def swiglu(dtype: torch.dtype) -> Problem:
    r = Random(dtype)
    args = (r.leaf(512, 512), r.leaf(1408, 512, scale=0.04), r.leaf(1408, 512, scale=0.04), r.leaf(512, 1408, scale=0.03))

    def fn(x, gate, up, down):
        return F.linear(F.silu(F.linear(x, gate)) * F.linear(x, up), down)

    return Problem(fn, args, (r.constant(512, 512),))


def gelu_mlp(dtype: torch.dtype) -> Problem:
    r = Random(dtype)
    args = (r.leaf(512, 512), r.leaf(2048, 512, scale=0.04), r.leaf(2048), r.leaf(512, 2048, scale=0.02), r.leaf(512))

    def fn(x, w1, b1, w2, b2):
        return F.linear(F.gelu(F.linear(x, w1, b1)), w2, b2)

    return Problem(fn, args, (r.constant(512, 512),))


def rotary(dtype: torch.dtype) -> Problem:
    r = Random(dtype)
    shape, half = (4, 512, 8, 64), 32
    angles = torch.outer(torch.arange(512.0), 10000.0 ** (-torch.arange(half) / half))
    cos, sin = (torch.cat([f(angles)] * 2, -1)[None, :, None].to(dtype) for f in (torch.cos, torch.sin))

    def rotate(x, cos, sin):
        return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin

    def fn(q, k, cos, sin):
        return rotate(q, cos, sin), rotate(k, cos, sin)

    return Problem(fn, (r.leaf(*shape), r.leaf(*shape), cos, sin), (r.constant(*shape), r.constant(*shape)))


def attention_by_hand(dtype: torch.dtype) -> Problem:
    r = Random(dtype)
    q, k, v = (r.leaf(2, 8, 256, 64) for _ in range(3))
    mask = torch.full((256, 256), float("-inf")).triu(1).to(dtype)

    def fn(q, k, v, mask):
        return torch.softmax(q @ k.transpose(-1, -2) * 0.125 + mask, -1) @ v

    return Problem(fn, (q, k, v, mask), (r.constant(2, 8, 256, 64),))


def attention(dtype: torch.dtype) -> Problem:
    r = Random(dtype)
    q, k, v = (r.leaf(2, 8, 256, 64) for _ in range(3))

    def fn(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    return Problem(fn, (q, k, v), (r.constant(2, 8, 256, 64),))


def cross_entropy(dtype: torch.dtype) -> Problem:
    r = Random(dtype)
    return Problem(lambda x, t: F.cross_entropy(x.float(), t), (r.leaf(512, 32000), r.labels(512, 32000)))


def head_cross_entropy(dtype: torch.dtype) -> Problem:
    r = Random(dtype)
    args = r.leaf(128, 512), r.leaf(32000, 512, scale=0.04), r.labels(128, 32000)
    return Problem(lambda x, w, t: F.cross_entropy(F.linear(x, w).float(), t), args)


def dropout_residual(dtype: torch.dtype, p: float = 0.1) -> Problem:
    r = Random(dtype)
    x, residual, bias = r.leaf(4, 256, 1024), r.leaf(4, 256, 1024), r.leaf(1024)
    cotangent = r.constant(4, 256, 1024)
    tolerance = 1e-4 if dtype == torch.float32 else 5e-2

    def complaint(outputs, gradients) -> str | None:
        """Whose random numbers they are is open: the mask seen in the gradient must be the forward's, at the right rate."""
        dx, dr, db = (g.float() for g in gradients)
        kept = dx != 0
        if abs(kept.float().mean().item() - (1 - p)) > 0.005:
            return f"keep rate {kept.float().mean().item():.4f}"
        forward = residual.float() + torch.where(kept, (x + bias).float() / (1 - p), 0.0)
        if ((outputs[0].float() - forward).abs() > tolerance * (4 + forward.abs())).float().mean() > 1e-5:
            return "the forward's mask is not the gradient's"
        if (dx - torch.where(kept, cotangent.float() / (1 - p), 0.0)).abs().max() > 4 * tolerance:
            return "gradient of x"
        if (dr - cotangent.float()).abs().max() > tolerance or (db - dx.sum((0, 1))).abs().max() > 100 * tolerance:
            return "gradient of the residual or the bias"
        return None

    return Problem(lambda x, r, b: r + F.dropout(x + b, p), (x, residual, bias), (cotangent,), random=complaint)


def long_chain(dtype: torch.dtype) -> Problem:
    r = Random(dtype)

    def fn(x, y):
        for i in range(200):
            t = torch.tanh(x * (0.9 + 0.0005 * i) + y) * 0.25
            x = x - t if i % 2 else x + t
        return x

    return Problem(fn, (r.leaf(128, 256), r.leaf(128, 256)), (r.constant(128, 256),))


def adamw_update(p, g, m, v, lr=1e-3, b1=0.9, b2=0.95, eps=1e-8, decay=0.1, step=10):
    gf, pf = g.float(), p.float()
    m = m * b1 + gf * (1 - b1)
    v = v * b2 + gf * gf * (1 - b2)
    update = (m / (1 - b1**step)) / (torch.sqrt(v / (1 - b2**step)) + eps)
    return pf * (1 - lr * decay) - lr * update, m, v


def adamw_args(dtype: torch.dtype) -> tuple[Tensor, ...]:
    r, f = Random(dtype), Random(torch.float32)
    n = 2 << 20
    return r.constant(n), r.constant(n), f.constant(n, scale=0.1), f.constant(n, scale=0.1).abs()


def adamw(dtype: torch.dtype) -> Problem:
    def fn(p, g, m, v):
        new, m, v = adamw_update(p, g, m, v)
        return new.to(p.dtype), m, v

    return Problem(fn, adamw_args(dtype), grad=False)


def adamw_in_place(dtype: torch.dtype) -> Problem:
    def fn(p, g, m, v):
        for old, new in zip((p, m, v), adamw_update(p, g, m, v)):
            old.copy_(new)
        return ()

    return Problem(fn, adamw_args(dtype), grad=False, mutated=(0, 2, 3))


PROBLEMS = {
    "residual_rmsnorm": residual_rmsnorm,
    "layer_norm": layer_norm,
    "swiglu": swiglu,
    "gelu_mlp": gelu_mlp,
    "rotary": rotary,
    "attention_by_hand": attention_by_hand,
    "attention": attention,
    "cross_entropy": cross_entropy,
    "head_cross_entropy": head_cross_entropy,
    "dropout_residual": dropout_residual,
    "long_chain": long_chain,
    "adamw": adamw,
    "adamw_in_place": adamw_in_place,
}
