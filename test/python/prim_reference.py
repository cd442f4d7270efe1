"""The prims, run by PyTorch: an Emitter that computes instead of writing IR.

What the translation tables emit can so be compared with eager PyTorch, values and gradients, without a compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch_trace.emitter import Emitter, Tensor

aten = torch.ops.aten


class _Builder:
    """The few calls that a translator makes on the builder itself."""

    def set_location(self, *arguments: Any) -> None:
        pass

    def operand_ref(self, index: int) -> tuple[str, int]:
        return ("operand", index)

    def symbol(self, name: str) -> str:
        return name


def _index(x: torch.Tensor, indices: Sequence[torch.Tensor], dims: Sequence[int]) -> tuple[Any, ...]:
    return tuple(indices[list(dims).index(d)] if d in dims else slice(None) for d in range(x.dim()))


def _check_index(i: torch.Tensor, size: int, wrap: bool, ignore: int | None = None) -> torch.Tensor:
    bad = (i >= size) | (i < (-size if wrap else 0))
    if ignore is not None:
        bad = bad & (i != ignore)
    if bool(bad.any()):
        raise IndexError("index out of range")
    return torch.where((i < 0) & (i != (ignore if ignore is not None else 0)), i + size, i) if wrap else i


def _pad(x: torch.Tensor, value: torch.Tensor, low: Sequence[int], high: Sequence[int], interior: Sequence[int]
         ) -> torch.Tensor:
    shape = [n + max(n - 1, 0) * i for n, i in zip(x.shape, interior, strict=True)]
    wide = value.expand(shape).clone()
    wide[tuple(slice(None, None, i + 1) for i in interior)] = x
    flat = [p for a, b in reversed(list(zip(low, high, strict=True))) for p in (a, b)]
    return aten.constant_pad_nd(wide, flat, value.item())


class _Stop(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> None:
        return None


def _scalar_reduce(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def run(x: torch.Tensor, dims: list[int]) -> torch.Tensor:
        for d in sorted(dims, reverse=True):
            x = function(x, d)
        return x

    return run


_UNARY = (
    "abs neg sign exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal sin cos tan asin acos atan sinh cosh tanh "
    "asinh acosh atanh erf erfc erfinv lgamma digamma sigmoid relu ceil floor round trunc bitwise_not isnan isinf "
    "isfinite signbit logical_not"
).split()
_BINARY = (
    "add sub mul div remainder fmod pow atan2 hypot copysign nextafter maximum minimum fmax fmin bitwise_and bitwise_or "
    "bitwise_xor eq ne lt le gt ge"
).split()

OPS: dict[str, Callable[..., Any]] = {
    **{n: getattr(torch, n) for n in _UNARY},
    **{n: getattr(torch, n) for n in _BINARY},
    "div_floor": lambda a, b: torch.div(a, b, rounding_mode="floor"),
    "div_trunc": lambda a, b: torch.div(a, b, rounding_mode="trunc"),
    "shift_left": torch.bitwise_left_shift,
    "shift_right": torch.bitwise_right_shift,
    "where": torch.where,
    "clamp": lambda x, a, b: torch.clamp(x, a, b),
    "stop_gradient": _Stop.apply,
    "broadcast_in_dim": None,
    "transpose": lambda x, perm: x.permute(perm),
    "slice": lambda x, starts, limits, strides: x[
        tuple(slice(a, b, s) for a, b, s in zip(starts, limits, strides, strict=True))
    ],
    "pad": _pad,
    "cat": lambda *xs, dim: torch.cat(xs, dim),
    "reverse": lambda x, dims: x.flip(dims),
    "reduce_sum": lambda x, dims: x.sum(dims, dtype=x.dtype),
    "reduce_prod": _scalar_reduce(lambda x, d: x.prod(d, dtype=x.dtype)),
    "reduce_max": lambda x, dims: x.amax(dims),
    "reduce_min": lambda x, dims: x.amin(dims),
    "reduce_any": _scalar_reduce(lambda x, d: x.any(d)),
    "reduce_all": _scalar_reduce(lambda x, d: x.all(d)),
    "argmax": lambda x, dim: x.argmax(dim),
    "argmin": lambda x, dim: x.argmin(dim),
    "cumsum": lambda x, dim: x.cumsum(dim, dtype=x.dtype),
    "cumprod": lambda x, dim: x.cumprod(dim, dtype=x.dtype),
    "check_index": _check_index,
    "gather": lambda x, i, dim: x.gather(dim, i),
    "take": lambda x, i, dim: x.index_select(dim, i.reshape(-1)).reshape(x.shape[:dim] + i.shape + x.shape[dim + 1:]),
    "index_add": lambda x, i, s, dim: x.index_add(
        dim, i.reshape(-1), s.reshape(x.shape[:dim] + (i.numel(),) + x.shape[dim + 1:])
    ),
    "scatter": lambda x, i, s, dim: x.scatter(dim, i, s),
    "scatter_add": lambda x, i, s, dim: x.scatter_add(dim, i, s),
    "index": lambda x, *i, dims: x[_index(x, i, dims)],
    "index_put": lambda x, s, *i, dims, accumulate: aten.index_put(
        x, [i[list(dims).index(d)] if d in dims else None for d in range(x.dim())], s, accumulate
    ),
    "sort": lambda x, dim, descending, stable: torch.sort(x, stable=stable, dim=dim, descending=descending),
    "topk": lambda x, dim, k, largest, sorted: torch.topk(x, k, dim, largest, sorted),
    "matmul": torch.matmul,
    "convolution": lambda x, w, stride, padding, dilation, transposed, output_padding, groups: aten.convolution(
        x, w, None, stride, padding, dilation, transposed, output_padding, groups
    ),
}


class EagerEmitter(Emitter):
    """Computes each prim at once; `Tensor.value` is a torch.Tensor."""

    def __init__(self) -> None:
        super().__init__(_Builder())

    def type(self, shape: Sequence[int], dtype: torch.dtype) -> Any:
        return (tuple(shape), dtype)

    def splat(self, value: Any, shape: Sequence[int], dtype: torch.dtype) -> Tensor:
        if not dtype.is_floating_point and dtype != torch.bool:
            full = torch.full(tuple(shape), int(value), dtype=torch.int64).to(dtype)
        else:
            full = torch.full(tuple(shape), float(value) if dtype.is_floating_point else bool(value), dtype=dtype)
        return Tensor(full, tuple(shape), dtype, value)

    def constant(self, tensor: torch.Tensor) -> Tensor:
        return Tensor(tensor, tuple(tensor.shape), tensor.dtype)

    def op(self, name: str, operands: Sequence[Tensor], attributes: dict[str, Any],
           results: Sequence[tuple[Sequence[int], torch.dtype]], regions: Sequence[int] = ()) -> list[Tensor]:
        values = [t.value for t in operands]
        for t in operands:
            assert tuple(t.value.shape) == tuple(t.shape) and t.value.dtype == t.dtype, (name, t, t.value.shape)
        if not results:  # an operator that is there for its effect
            _call(attributes["name"], attributes["arguments"], values)
            return []
        (shape, dtype), *_ = results
        if name == "bsym":
            computed = _call(attributes["name"], attributes["arguments"], values)
        elif name == "convert":
            computed = values[0] != 0 if dtype == torch.bool else values[0].to(dtype)
        elif name == "bitcast":
            computed = values[0].view(dtype)
        elif name == "reshape":
            computed = values[0].reshape(tuple(shape))
        elif name == "iota":
            dim = attributes["dim"]
            view = [shape[dim] if i == dim else 1 for i in range(len(shape))]
            computed = torch.arange(shape[dim], dtype=dtype).view(view).expand(tuple(shape))
        elif name == "broadcast_in_dim":
            view = [1] * len(shape)
            for i, d in enumerate(attributes["dims"]):
                view[d] = values[0].shape[i]
            computed = values[0].reshape(view).expand(tuple(shape))
        elif name in ("random_uniform", "random_normal"):
            generator = torch.Generator().manual_seed(attributes["stream"] + 1)
            draw = torch.rand if name == "random_uniform" else torch.randn
            computed = draw(tuple(shape), dtype=dtype, generator=generator)
        else:
            computed = OPS[name](*values, **attributes)
        computed = list(computed) if isinstance(computed, tuple | list) else [computed]
        tensors = []
        for value, (shape, dtype) in zip(computed, results, strict=True):
            assert tuple(value.shape) == tuple(shape), (name, tuple(value.shape), tuple(shape))
            assert value.dtype == dtype, (name, value.dtype, dtype)
            tensors.append(Tensor(value, tuple(shape), dtype))
        return tensors

    def symbol(self, name: str, operands: Sequence[Tensor], body: Callable[..., list[Tensor]], attributes: Any = None,
               uses_seed: bool = False, op: str = "bsym") -> list[Tensor]:
        return body(list(operands))

    def custom_grad(self, operands: Sequence[Tensor], primal: Callable[..., Any], backward: Callable[..., Any],
                    grad_operands: Sequence[int], non_differentiable: Sequence[int] = (), uses_seed: bool = False
                    ) -> list[Tensor]:
        results: list[Tensor] = []
        saved: list[Tensor] = []

        class Custom(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, *values: torch.Tensor) -> Any:
                inner = [Tensor(v, o.shape, o.dtype) for v, o in zip(values, operands, strict=True)]
                first, second = primal(inner)
                results[:], saved[:] = first, second
                fresh = [r.value.clone() for r in first]
                ctx.mark_non_differentiable(*[fresh[i] for i in non_differentiable])
                return tuple(fresh)

            @staticmethod
            def backward(ctx: Any, *cotangents: torch.Tensor) -> Any:
                given = [Tensor(c, tuple(c.shape), c.dtype) for c in cotangents]
                gradients = backward(given, list(saved))
                full: list[Any] = [None] * len(operands)
                for i, g in zip(grad_operands, gradients, strict=True):
                    full[i] = g.value
                return tuple(full)

        values = Custom.apply(*[o.value for o in operands])
        return [Tensor(v, tuple(v.shape), v.dtype) for v in values]


def _call(name: str, arguments: Any, values: Sequence[torch.Tensor]) -> Any:
    """An opaque symbol, by its schema name."""
    namespace, operator, overload = name.split(".")
    target = getattr(getattr(getattr(torch.ops, namespace), operator), overload)

    def decode(value: Any) -> Any:
        if isinstance(value, tuple) and len(value) == 2 and value[0] == "operand":
            return values[value[1]]
        if isinstance(value, tuple):
            return [decode(v) for v in value]
        if isinstance(value, str) and value.startswith("torch.") and value.count(".") == 1:
            return getattr(torch, value.split(".")[1])
        return value

    positional, named = [], {}
    for parameter, value in zip(target._schema.arguments, arguments, strict=True):
        if parameter.kwarg_only:
            named[parameter.name] = decode(value)
        else:
            positional.append(decode(value))
    result = target(*positional, **named)
    return [r for r in result if isinstance(r, torch.Tensor)] if isinstance(result, tuple | list) else result
