"""Random numbers: streams of the function's seed. Not PyTorch's numbers, but of the same distributions."""

from __future__ import annotations

from typing import Any

import torch

from ..dtypes import compute_dtype
from ..emitter import Emitter, Tensor
from .registry import TABLE, NotApplicable, register

aten = torch.ops.aten


def _default(out: torch.Tensor, options: dict[str, Any]) -> None:
    if options.get("generator") is not None or out.device.type not in ("cpu", "cuda"):
        raise NotApplicable


@register(aten.bernoulli.p, aten.bernoulli_.float)
def bernoulli_p(e: Emitter, out: torch.Tensor, x: Tensor, p: float = 0.5, **options: Any) -> Tensor:
    _default(out, options)
    drawn = e.random("uniform", out.shape, torch.float32)
    return e.convert(e.compare("lt", drawn, e.like(drawn, p)), out.dtype)


@register(aten.bernoulli.default)
def bernoulli(e: Emitter, out: torch.Tensor, x: Tensor, **options: Any) -> Tensor:
    _default(out, options)
    drawn = e.random("uniform", out.shape, compute_dtype(x.dtype))
    return e.convert(e.compare("lt", drawn, e.convert(x, drawn.dtype)), out.dtype)


@register(aten.native_dropout.default)
def native_dropout(e: Emitter, out: tuple[torch.Tensor, ...], x: Tensor, p: float, train: bool | None
                   ) -> tuple[Tensor, Tensor]:
    if not train or p == 0:
        return x, e.splat(True, x.shape, torch.bool)
    if p == 1:
        zero = e.splat(0, x.shape, x.dtype)
        return e.mul(x, zero), e.splat(False, x.shape, torch.bool)
    drawn = e.random("uniform", x.shape, torch.float32)
    mask = e.compare("lt", drawn, e.like(drawn, 1 - p))
    wide = e.convert(x, compute_dtype(x.dtype))
    kept = e.scaled(e.mul(wide, e.convert(mask, wide.dtype)), 1 / (1 - p))
    return e.convert(kept, x.dtype), mask


@register(aten.rand.default, aten.rand_like.default)
def rand(e: Emitter, out: torch.Tensor, *arguments: Any, **options: Any) -> Tensor:
    _default(out, options)
    return e.random("uniform", out.shape, out.dtype)


@register(aten.randn.default, aten.randn_like.default)
def randn(e: Emitter, out: torch.Tensor, *arguments: Any, **options: Any) -> Tensor:
    _default(out, options)
    return e.random("normal", out.shape, out.dtype)


@register(aten.uniform.default)
def uniform(e: Emitter, out: torch.Tensor, x: Tensor, low: float = 0.0, high: float = 1.0, **options: Any) -> Tensor:
    _default(out, options)
    drawn = e.random("uniform", out.shape, compute_dtype(out.dtype))
    return e.convert(e.add(e.scaled(drawn, high - low), e.like(drawn, low)), out.dtype)


@register(aten.normal_functional.default)
def normal(e: Emitter, out: torch.Tensor, x: Tensor, mean: float = 0.0, std: float = 1.0, **options: Any) -> Tensor:
    _default(out, options)
    drawn = e.random("normal", out.shape, compute_dtype(out.dtype))
    return e.convert(e.add(e.scaled(drawn, std), e.like(drawn, mean)), out.dtype)


@register(aten.exponential.default)
def exponential(e: Emitter, out: torch.Tensor, x: Tensor, rate: float = 1.0, **options: Any) -> Tensor:
    _default(out, options)
    drawn = e.random("uniform", out.shape, compute_dtype(out.dtype))
    return e.convert(e.scaled(e.unary("log1p", e.unary("neg", drawn)), -1 / rate), out.dtype)


@register(aten.randint.default, aten.randint.low, aten.randint_like.default, aten.randint_like.low_dtype)
def randint(e: Emitter, out: torch.Tensor, *arguments: Any, **options: Any) -> Tensor:
    _default(out, options)
    numbers = [a for a in arguments if isinstance(a, int)]
    low, high = (0, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])
    span = high - low
    if not 0 < span < 1 << 20:
        raise NotApplicable
    drawn = e.random("uniform", out.shape, torch.float64)
    scaled = e.unary("floor", e.scaled(drawn, span))
    return e.convert(e.add(scaled, e.like(scaled, low)), out.dtype)


def draws(node: torch.fx.Node) -> bool:
    """The call draws from a generator. An attention without dropout does not, although its operator may."""
    operator = node.target
    if torch.Tag.nondeterministic_seeded not in getattr(operator, "tags", ()):
        return False
    for i, parameter in enumerate(operator._schema.arguments):
        if parameter.name == "dropout_p":
            given = node.args[i] if i < len(node.args) else node.kwargs.get("dropout_p", parameter.default_value)
            return given != 0
    return True


def is_random(node: torch.fx.Node) -> bool:
    """The call becomes random prims, which draw from the function's seed. Other random operators run through LibTorch."""
    return draws(node) and node.target in TABLE
