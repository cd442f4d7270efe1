"""The blocks that blocks.py times: what transformers and their optimisers are made of, at sizes between cache and memory.

Each is a function of a dtype, and of sizes if others are wanted, that returns a Problem with fresh, seeded arguments on
PyTorch's default device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass
class Problem:
    """fn(*args) -> a tensor or a tuple of tensors."""

    fn: Callable  # or a module, whose parameters are differentiated for and whose buffers may be written to
    args: tuple[Tensor, ...]
    cotangents: tuple[Tensor, ...] | None = None  # None: one scalar output
    grad: bool = True
    mutated: tuple[int, ...] = ()  # arguments that fn writes
    random: Callable | None = None  # (outputs, gradients) -> complaint or None, where eager's numbers cannot be had
    tolerance: float | None = None  # of f32, where the usual one is too tight

    def leaves(self) -> list[Tensor]:
        parameters = self.fn.parameters() if isinstance(self.fn, nn.Module) else ()
        return [*(a for a in self.args if a.requires_grad), *parameters]

    def written(self) -> list[Tensor]:
        buffers = self.fn.buffers() if isinstance(self.fn, nn.Module) else ()
        return [*(self.args[i] for i in self.mutated), *buffers]


class Random:
    """Seeded tensors of one dtype."""

    def __init__(self, dtype: torch.dtype):
        self.dtype, device = dtype, torch.get_default_device()
        # Tensors of the device meta have no numbers.
        self.generator = None if device.type == "meta" else torch.Generator(device).manual_seed(1)

    def leaf(self, *shape: int, scale: float = 1.0) -> Tensor:
        return self.constant(*shape, scale=scale).requires_grad_()

    def constant(self, *shape: int, scale: float = 1.0) -> Tensor:
        return (scale * torch.randn(*shape, generator=self.generator)).to(self.dtype)

    def labels(self, count: int, classes: int) -> Tensor:
        return torch.randint(classes, (count,), generator=self.generator)


def residual_rmsnorm(dtype: torch.dtype, shape=(4, 256, 1024)) -> Problem:
    r = Random(dtype)

    def fn(x, residual, weight):
        h = x + residual
        f = h.float()
        return (f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-6)).to(h.dtype) * weight, h

    return Problem(fn, (r.leaf(*shape), r.leaf(*shape), r.leaf(shape[-1])), (r.constant(*shape), r.constant(*shape)))


def layer_norm(dtype: torch.dtype, shape=(4, 256, 1024)) -> Problem:
    r, width = Random(dtype), shape[-1]
    args = r.leaf(*shape), r.leaf(width), r.leaf(width)
    return Problem(lambda x, w, b: F.layer_norm(x, (width,), w, b), args, (r.constant(*shape),))


def swiglu(dtype: torch.dtype, rows=512, width=512, hidden=1408) -> Problem:
    r, scale = Random(dtype), width**-0.5
    args = (r.leaf(rows, width), r.leaf(hidden, width, scale=scale), r.leaf(hidden, width, scale=scale),
            r.leaf(width, hidden, scale=hidden**-0.5))  # fmt: skip

    def fn(x, gate, up, down):
        return F.linear(F.silu(F.linear(x, gate)) * F.linear(x, up), down)

    return Problem(fn, args, (r.constant(rows, width),))


def gelu_mlp(dtype: torch.dtype, rows=512, width=512, hidden=2048) -> Problem:
    r = Random(dtype)
    args = (r.leaf(rows, width), r.leaf(hidden, width, scale=width**-0.5), r.leaf(hidden),
            r.leaf(width, hidden, scale=hidden**-0.5), r.leaf(width))  # fmt: skip

    def fn(x, w1, b1, w2, b2):
        return F.linear(F.gelu(F.linear(x, w1, b1)), w2, b2)

    return Problem(fn, args, (r.constant(rows, width),))


def rotary(dtype: torch.dtype, shape=(4, 512, 8, 64)) -> Problem:
    r, half = Random(dtype), shape[-1] // 2
    angles = torch.outer(torch.arange(float(shape[1])), 10000.0 ** (-torch.arange(half) / half))
    cos, sin = (torch.cat([f(angles)] * 2, -1)[None, :, None].to(dtype) for f in (torch.cos, torch.sin))

    def rotate(x, cos, sin):
        return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin

    def fn(q, k, cos, sin):
        return rotate(q, cos, sin), rotate(k, cos, sin)

    return Problem(fn, (r.leaf(*shape), r.leaf(*shape), cos, sin), (r.constant(*shape), r.constant(*shape)))


def attention_by_hand(dtype: torch.dtype, shape=(2, 8, 256, 64)) -> Problem:
    r = Random(dtype)
    q, k, v = (r.leaf(*shape) for _ in range(3))
    mask = torch.full((shape[2], shape[2]), float("-inf")).triu(1).to(dtype)

    def fn(q, k, v, mask):
        return torch.softmax(q @ k.transpose(-1, -2) * shape[3] ** -0.5 + mask, -1) @ v

    return Problem(fn, (q, k, v, mask), (r.constant(*shape),))


def attention(dtype: torch.dtype, shape=(2, 8, 256, 64)) -> Problem:
    r = Random(dtype)
    q, k, v = (r.leaf(*shape) for _ in range(3))

    def fn(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    return Problem(fn, (q, k, v), (r.constant(*shape),))


def cross_entropy(dtype: torch.dtype, rows=512, classes=32000) -> Problem:
    r = Random(dtype)
    return Problem(lambda x, t: F.cross_entropy(x.float(), t), (r.leaf(rows, classes), r.labels(rows, classes)))


def head_cross_entropy(dtype: torch.dtype, rows=128, width=512, classes=32000) -> Problem:
    r = Random(dtype)
    args = r.leaf(rows, width), r.leaf(classes, width, scale=width**-0.5), r.labels(rows, classes)
    return Problem(lambda x, w, t: F.cross_entropy(F.linear(x, w).float(), t), args)


def dropout_residual(dtype: torch.dtype, shape=(4, 256, 1024), p: float = 0.1) -> Problem:
    r = Random(dtype)
    x, residual, bias = r.leaf(*shape), r.leaf(*shape), r.leaf(shape[-1])
    cotangent = r.constant(*shape)
    tolerance = 1e-4 if dtype == torch.float32 else 5e-2

    def complaint(outputs, gradients) -> str | None:
        """Whose random numbers they are is open: the mask seen in the gradient must be the forward's, at the right rate."""
        dx, dr, db = (g.float() for g in gradients)
        kept = dx != 0
        if abs(kept.float().mean().item() - (1 - p)) > 0.005 + 2 / kept.numel() ** 0.5:
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


def long_chain(dtype: torch.dtype, shape=(128, 256), length=200) -> Problem:
    r = Random(dtype)

    def fn(x, y):
        for i in range(length):
            t = torch.tanh(x * (0.9 + 0.0005 * i) + y) * 0.25
            x = x - t if i % 2 else x + t
        return x

    return Problem(fn, (r.leaf(*shape), r.leaf(*shape)), (r.constant(*shape),))


def adamw_update(p, g, m, v, lr=1e-3, b1=0.9, b2=0.95, eps=1e-8, decay=0.1, step=10):
    gf, pf = g.float(), p.float()
    m = m * b1 + gf * (1 - b1)
    v = v * b2 + gf * gf * (1 - b2)
    update = (m / (1 - b1**step)) / (torch.sqrt(v / (1 - b2**step)) + eps)
    return pf * (1 - lr * decay) - lr * update, m, v


def adamw_args(dtype: torch.dtype, n: int) -> tuple[Tensor, ...]:
    r, f = Random(dtype), Random(torch.float32)
    return r.constant(n), r.constant(n), f.constant(n, scale=0.1), f.constant(n, scale=0.1).abs()


def adamw(dtype: torch.dtype, n=2 << 20) -> Problem:
    def fn(p, g, m, v):
        new, m, v = adamw_update(p, g, m, v)
        return new.to(p.dtype), m, v

    return Problem(fn, adamw_args(dtype, n), grad=False)


def adamw_in_place(dtype: torch.dtype, n=2 << 20) -> Problem:
    def fn(p, g, m, v):
        for old, new in zip((p, m, v), adamw_update(p, g, m, v)):
            old.copy_(new)
        return ()

    return Problem(fn, adamw_args(dtype, n), grad=False, mutated=(0, 2, 3))


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
