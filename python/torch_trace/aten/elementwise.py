"""Elementwise operators: type promotion and broadcasting made explicit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..dtypes import compute_dtype, is_low_precision
from ..emitter import Emitter, Tensor
from .registry import NotApplicable, register

aten = torch.ops.aten
Scalar = bool | int | float
Operand = Tensor | Scalar


def operand(e: Emitter, x: Operand, dtype: torch.dtype) -> Tensor:
    """A tensor or number as a tensor of `dtype`."""
    return e.convert(x, dtype) if isinstance(x, Tensor) else e.splat(x, (), dtype)


def working_dtype(dtype: torch.dtype, *operands: Operand) -> torch.dtype:
    """Where a half-precision op has a Python number, eager keeps the number in f32: so do we, by computing in f32."""
    return compute_dtype(dtype) if any(not isinstance(x, Tensor) for x in operands) else dtype


def finish(e: Emitter, x: Tensor, out: torch.Tensor) -> Tensor:
    """A result in the shape and dtype that the operator gives."""
    return e.broadcast_to(e.convert(x, out.dtype), out.shape)


# ---- unary

_UNARY = {
    "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2", "log10": "log10", "log1p": "log1p",
    "sqrt": "sqrt", "rsqrt": "rsqrt", "reciprocal": "reciprocal", "sin": "sin", "cos": "cos", "tan": "tan",
    "asin": "asin", "acos": "acos", "atan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "asinh",
    "acosh": "acosh", "atanh": "atanh", "erf": "erf", "erfc": "erfc", "erfinv": "erfinv", "lgamma": "lgamma",
    "digamma": "digamma", "sigmoid": "sigmoid",
}
_UNARY_SAME = {"neg": "neg", "abs": "abs", "relu": "relu"}
_ROUNDING = {"ceil": "ceil", "floor": "floor", "trunc": "trunc", "round": "round"}


def _float_unary(prim: str) -> Callable[..., Tensor]:
    def translate(e: Emitter, out: torch.Tensor, x: Tensor) -> Tensor:
        return e.unary(prim, e.convert(x, out.dtype))

    return translate


def _same_unary(prim: str) -> Callable[..., Tensor]:
    def translate(e: Emitter, out: torch.Tensor, x: Tensor) -> Tensor:
        if x.dtype == torch.bool:
            raise NotApplicable
        return e.unary(prim, x)

    return translate


def _rounding(prim: str) -> Callable[..., Tensor]:
    def translate(e: Emitter, out: torch.Tensor, x: Tensor) -> Tensor:
        return e.unary(prim, x) if x.dtype.is_floating_point else x

    return translate


for _name, _prim in _UNARY.items():
    register(getattr(aten, _name).default)(_float_unary(_prim))
for _name, _prim in _UNARY_SAME.items():
    register(getattr(aten, _name).default)(_same_unary(_prim))
for _name, _prim in _ROUNDING.items():
    register(getattr(aten, _name).default)(_rounding(_prim))


@register(aten.sign.default, aten.sgn.default)
def sign(e: Emitter, out: torch.Tensor, x: Tensor) -> Tensor:
    return x if x.dtype == torch.bool else e.unary("sign", x)


@register(aten.bitwise_not.default)
def bitwise_not(e: Emitter, out: torch.Tensor, x: Tensor) -> Tensor:
    return e.unary("bitwise_not", x)


@register(aten.logical_not.default)
def logical_not(e: Emitter, out: torch.Tensor, x: Tensor) -> Tensor:
    return e.unary("bitwise_not", x) if x.dtype == torch.bool else e.predicate("logical_not", x)


@register(aten.isnan.default, aten.isinf.default)
def float_predicate(e: Emitter, out: torch.Tensor, x: Tensor, prim: str = "isnan") -> Tensor:
    return e.predicate(prim, x) if x.dtype.is_floating_point else e.splat(False, x.shape, torch.bool)


# isinf shares the shape of isnan but not the prim.
from .registry import TABLE, Entry  # noqa: E402

TABLE[aten.isinf.default] = Entry(lambda e, out, x: float_predicate(e, out, x, "isinf"), False)


@register(aten.isfinite.default)
def isfinite(e: Emitter, out: torch.Tensor, x: Tensor) -> Tensor:
    return e.predicate("isfinite", x) if x.dtype.is_floating_point else e.splat(True, x.shape, torch.bool)


@register(aten.signbit.default)
def signbit(e: Emitter, out: torch.Tensor, x: Tensor) -> Tensor:
    if x.dtype.is_floating_point:
        return e.predicate("signbit", x)
    if x.dtype == torch.bool:
        return e.splat(False, x.shape, torch.bool)
    return e.compare("lt", x, e.like(x, 0))


# ---- binary arithmetic


@register(aten.add.Tensor, aten.add.Scalar)
def add(e: Emitter, out: torch.Tensor, a: Operand, b: Operand, alpha: Scalar = 1) -> Tensor:
    return _sum(e, out, "add", a, b, alpha)


@register(aten.sub.Tensor, aten.sub.Scalar)
def sub(e: Emitter, out: torch.Tensor, a: Operand, b: Operand, alpha: Scalar = 1) -> Tensor:
    return _sum(e, out, "sub", a, b, alpha)


@register(aten.rsub.Tensor, aten.rsub.Scalar)
def rsub(e: Emitter, out: torch.Tensor, a: Operand, b: Operand, alpha: Scalar = 1) -> Tensor:
    return _sum(e, out, "sub", b, a, alpha)


def _sum(e: Emitter, out: torch.Tensor, prim: str, a: Operand, b: Operand, alpha: Scalar) -> Tensor:
    if out.dtype == torch.bool:
        # add of bools is or; sub is an error in eager.
        if prim != "add" or alpha is not True and alpha != 1:
            raise NotApplicable
        return e.binary("bitwise_or", operand(e, a, torch.bool), operand(e, b, torch.bool))
    dtype = working_dtype(out.dtype, a, b) if alpha == 1 else compute_dtype(out.dtype)
    x, y = operand(e, a, dtype), operand(e, b, dtype)
    if alpha != 1:
        y = e.mul(y, e.splat(alpha, (), dtype))
    return finish(e, e.binary(prim, x, y), out)


@register(aten.mul.Tensor, aten.mul.Scalar)
def mul(e: Emitter, out: torch.Tensor, a: Operand, b: Operand) -> Tensor:
    if out.dtype == torch.bool:
        return e.binary("bitwise_and", operand(e, a, torch.bool), operand(e, b, torch.bool))
    dtype = working_dtype(out.dtype, a, b)
    return finish(e, e.mul(operand(e, a, dtype), operand(e, b, dtype)), out)


def _reciprocal_scalar(e: Emitter, out: torch.Tensor, a: Operand, b: Operand) -> Tensor:
    dtype = working_dtype(out.dtype, a, b)
    return finish(e, e.div(operand(e, a, dtype), operand(e, b, dtype)), out)


@register(aten.div.Tensor, aten.div.Scalar)
def div(e: Emitter, out: torch.Tensor, a: Operand, b: Operand) -> Tensor:
    return _reciprocal_scalar(e, out, a, b)


def _integer_divisor(out: torch.Tensor, b: Operand) -> None:
    """Integer division raises for a zero divisor: LibTorch does it, except where the divisor is a known number."""
    if not out.dtype.is_floating_point and (isinstance(b, Tensor) or int(b) in (0, -1)):
        raise NotApplicable


@register(aten.div.Tensor_mode, aten.div.Scalar_mode)
def div_mode(e: Emitter, out: torch.Tensor, a: Operand, b: Operand, rounding_mode: str | None = None) -> Tensor:
    if rounding_mode is None:
        return div(e, out, a, b)
    _integer_divisor(out, b)
    dtype = working_dtype(out.dtype, a, b)
    prim = "div_floor" if rounding_mode == "floor" else "div_trunc"
    return finish(e, e.binary(prim, operand(e, a, dtype), operand(e, b, dtype)), out)


@register(aten.floor_divide.default, aten.floor_divide.Scalar)
def floor_divide(e: Emitter, out: torch.Tensor, a: Operand, b: Operand) -> Tensor:
    return div_mode(e, out, a, b, "floor")


@register(aten.remainder.Tensor, aten.remainder.Scalar, aten.remainder.Scalar_Tensor)
def remainder(e: Emitter, out: torch.Tensor, a: Operand, b: Operand) -> Tensor:
    return _modulo(e, out, a, b, "remainder")


@register(aten.fmod.Tensor, aten.fmod.Scalar)
def fmod(e: Emitter, out: torch.Tensor, a: Operand, b: Operand) -> Tensor:
    return _modulo(e, out, a, b, "fmod")


def _modulo(e: Emitter, out: torch.Tensor, a: Operand, b: Operand, prim: str) -> Tensor:
    _integer_divisor(out, b)
    dtype = working_dtype(out.dtype, a, b)
    return finish(e, e.binary(prim, operand(e, a, dtype), operand(e, b, dtype)), out)


@register(aten.pow.Tensor_Scalar)
def pow_scalar(e: Emitter, out: torch.Tensor, x: Tensor, exponent: Scalar) -> Tensor:
    """With PyTorch's special exponents, which its CPU kernel computes without pow."""
    if exponent == 0:
        return e.splat(1, out.shape, out.dtype)
    if exponent == 1:
        return e.convert(x, out.dtype)
    if not out.dtype.is_floating_point:
        if exponent not in (2, 3) or out.dtype == torch.bool:
            raise NotApplicable
        y = e.convert(x, out.dtype)
        return e.mul(y, y) if exponent == 2 else e.mul(e.mul(y, y), y)
    y = e.convert(x, compute_dtype(out.dtype))
    if exponent == 2:
        result = e.mul(y, y)
    elif exponent == 3:
        result = e.mul(e.mul(y, y), y)
    elif exponent == 0.5:
        result = e.unary("sqrt", y)
    elif exponent == -0.5:
        result = e.unary("rsqrt", y)
    elif exponent == -1:
        result = e.unary("reciprocal", y)
    elif exponent == -2:
        result = e.unary("reciprocal", e.mul(y, y))
    else:
        result = e.binary("pow", y, e.splat(exponent, (), y.dtype))
    return e.convert(result, out.dtype)


@register(aten.pow.Tensor_Tensor, aten.pow.Scalar)
def pow_tensor(e: Emitter, out: torch.Tensor, a: Operand, b: Operand) -> Tensor:
    if not out.dtype.is_floating_point:
        raise NotApplicable
    dtype = working_dtype(out.dtype, a, b)
    return finish(e, e.binary("pow", operand(e, a, dtype), operand(e, b, dtype)), out)


def _promoted(prim: str) -> Callable[..., Tensor]:
    def translate(e: Emitter, out: torch.Tensor, a: Operand, b: Operand) -> Tensor:
        if out.dtype == torch.bool:
            raise NotApplicable
        return finish(e, e.binary(prim, operand(e, a, out.dtype), operand(e, b, out.dtype)), out)

    return translate


for _name in ("maximum", "minimum", "fmax", "fmin", "atan2", "hypot", "nextafter"):
    register(getattr(aten, _name).default)(_promoted(_name))
for _name in ("copysign.Tensor", "copysign.Scalar"):
    register(getattr(aten.copysign, _name.split(".")[1]))(_promoted("copysign"))
for _name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
    def _bitwise(e: Emitter, out: torch.Tensor, a: Operand, b: Operand, _prim: str = _name) -> Tensor:
        return finish(e, e.binary(_prim, operand(e, a, out.dtype), operand(e, b, out.dtype)), out)

    _packet = getattr(aten, _name)
    register(_packet.Tensor, _packet.Scalar, _packet.Scalar_Tensor)(_bitwise)
for _name, _prim in (("bitwise_left_shift", "shift_left"), ("bitwise_right_shift", "shift_right")):
    _packet = getattr(aten, _name)
    register(_packet.Tensor, _packet.Tensor_Scalar, _packet.Scalar_Tensor)(_promoted(_prim))


def _truth(e: Emitter, x: Tensor) -> Tensor:
    return e.convert(x, torch.bool)


for _name, _prim in (("logical_and", "bitwise_and"), ("logical_or", "bitwise_or"), ("logical_xor", "bitwise_xor")):
    def _logical(e: Emitter, out: torch.Tensor, a: Tensor, b: Tensor, _prim: str = _prim) -> Tensor:
        return finish(e, e.binary(_prim, _truth(e, a), _truth(e, b)), out)

    register(getattr(aten, _name).default)(_logical)


# ---- comparisons


def common_dtype(a: Operand, b: Operand) -> torch.dtype:
    """torch.result_type."""

    def sample(x: Operand) -> Any:
        return torch.empty((1,) * min(x.ndim, 1), dtype=x.dtype) if isinstance(x, Tensor) else x

    return torch.result_type(sample(a), sample(b))


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    def _comparison(e: Emitter, out: torch.Tensor, a: Operand, b: Operand, _prim: str = _name) -> Tensor:
        dtype = common_dtype(a, b)
        if isinstance(b, int | float) and is_low_precision(dtype):
            dtype = torch.float32
        if isinstance(b, int) and not isinstance(b, bool) and not dtype.is_floating_point and dtype != torch.bool:
            limits = torch.iinfo(dtype)
            if not limits.min <= b <= limits.max:
                raise NotApplicable
        if dtype == torch.bool and _prim not in ("eq", "ne"):
            dtype = torch.uint8
        return finish(e, e.compare(_prim, operand(e, a, dtype), operand(e, b, dtype)), out)

    _packet = getattr(aten, _name)
    register(_packet.Tensor, _packet.Scalar)(_comparison)


# ---- selection


@register(aten.where.self)
def where(e: Emitter, out: torch.Tensor, condition: Tensor, a: Operand, b: Operand) -> Tensor:
    chosen = e.where(_truth(e, condition), operand(e, a, out.dtype), operand(e, b, out.dtype))
    return e.broadcast_to(chosen, out.shape)


@register(aten.masked_fill.Scalar, aten.masked_fill.Tensor)
def masked_fill(e: Emitter, out: torch.Tensor, x: Tensor, mask: Tensor, value: Operand) -> Tensor:
    return finish(e, e.where(mask, operand(e, value, x.dtype), x), out)


@register(aten.clamp.default, aten.clamp.Tensor, aten.clamp_min.default, aten.clamp_min.Tensor, aten.hardtanh.default)
def clamp(e: Emitter, out: torch.Tensor, x: Tensor, low: Operand | None = None, high: Operand | None = None) -> Tensor:
    if out.dtype == torch.bool:
        raise NotApplicable
    y = e.convert(x, out.dtype)
    floating = out.dtype.is_floating_point
    limits = None if floating else torch.iinfo(out.dtype)
    lowest = float("-inf") if floating else limits.min
    highest = float("inf") if floating else limits.max
    bottom = operand(e, lowest if low is None else low, out.dtype)
    top = operand(e, highest if high is None else high, out.dtype)
    return finish(e, e.clamp(y, bottom, top), out)


TABLE[aten.hardtanh.default] = Entry(
    lambda e, out, x, low=-1.0, high=1.0: clamp(e, out, x, low, high), eager_gradient=True
)


@register(aten.clamp_max.default, aten.clamp_max.Tensor)
def clamp_max(e: Emitter, out: torch.Tensor, x: Tensor, high: Operand) -> Tensor:
    return clamp(e, out, x, None, high)


# ---- conversions and copies


@register(aten._to_copy.default)
def to_copy(e: Emitter, out: torch.Tensor, x: Tensor, **options: Any) -> Tensor:
    if out.device.type not in ("cpu", "cuda") or out.layout != torch.strided:
        raise NotApplicable
    return e.convert(x, out.dtype)


@register(
    aten.clone.default, aten.alias.default, aten.detach.default, aten.lift_fresh_copy.default, aten.lift_fresh.default,
    aten.contiguous.default, aten.alias_copy.default, aten.detach_copy.default,
)
def identity(e: Emitter, out: torch.Tensor, x: Tensor, **options: Any) -> Tensor:
    return x


@register(aten.copy.default)
def copy(e: Emitter, out: torch.Tensor, x: Tensor, source: Tensor, non_blocking: bool = False) -> Tensor:
    return finish(e, source, out)


@register(aten.lerp.Scalar, aten.lerp.Tensor)
def lerp(e: Emitter, out: torch.Tensor, a: Tensor, b: Tensor, weight: Operand) -> Tensor:
    """As at::native::lerp: from the nearer end, so that both ends are exact."""
    dtype = compute_dtype(out.dtype)
    a, b, w = operand(e, a, dtype), operand(e, b, dtype), operand(e, weight, dtype)
    difference = e.sub(b, a)
    one = e.splat(1, (), dtype)
    near = e.add(a, e.mul(w, difference))
    far = e.sub(b, e.mul(difference, e.sub(one, w)))
    if not isinstance(weight, Tensor):
        return finish(e, near if abs(weight) < 0.5 else far, out)
    small = e.compare("lt", e.unary("abs", w), e.splat(0.5, (), dtype))
    return finish(e, e.where(e.broadcast_to(small, out.shape), near, far), out)


@register(aten.addcmul.default)
def addcmul(e: Emitter, out: torch.Tensor, x: Tensor, a: Tensor, b: Tensor, value: Scalar = 1) -> Tensor:
    dtype = compute_dtype(out.dtype)
    product = e.mul(operand(e, a, dtype), operand(e, b, dtype))
    if value != 1:
        product = e.mul(e.mul(e.splat(value, (), dtype), operand(e, a, dtype)), operand(e, b, dtype))
    return finish(e, e.add(operand(e, x, dtype), product), out)
