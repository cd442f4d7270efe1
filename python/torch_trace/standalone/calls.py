"""Library calls: the text that the compiler writes, as a call of PyTorch's dispatcher.

The grammar is `namespace::name|overload|arguments`, the arguments in the schema's order, separated by blanks:
T<i> a tensor, N None, I<n> an integer, D<x> a float, B0 and B1 booleans, S<n>:<text> a string, [ ... ] a list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from . import attention


class _Tensor(int):
    """Operand number so many."""


def _float(text: str) -> float:
    return float.fromhex(text) if "0x" in text else float(text)


def _parse(text: str, at: int) -> tuple[Any, int]:
    """The argument at `at`, and where the next one begins."""
    kind = text[at]
    if kind == "[":
        items, at = [], at + 2
        while text[at] != "]":
            item, at = _parse(text, at)
            items.append(item)
        return items, at + 2
    if kind == "S":
        colon = text.index(":", at)
        end = colon + 1 + int(text[at + 1:colon])
        return text[colon + 1:end], end + 1
    end = text.find(" ", at)
    end = len(text) if end < 0 else end
    word = text[at + 1:end]
    value: Any = {
        "T": lambda: _Tensor(word), "N": lambda: None, "I": lambda: int(word), "D": lambda: _float(word),
        "B": lambda: word == "1",
    }[kind]()
    return value, end + 1


def _constant(value: Any, name: str, device: torch.device) -> Any:
    """A string as what the schema means by it."""
    if isinstance(value, list):
        return [_constant(item, name, device) for item in value]
    if not isinstance(value, str):
        return value
    if name == "device":
        return device
    if value.startswith("torch."):
        return getattr(torch, value.removeprefix("torch."))
    return value


def prepare(text: str, device: torch.device) -> Callable[[Sequence[torch.Tensor]], Any]:
    """A function of the operands that calls the operator."""
    target, overload, rest = text.split("|", 2)
    space, name = target.split("::")
    operator: Any = getattr(getattr(getattr(torch.ops, space), name), overload or "default")
    schema = operator._schema.arguments
    if device.type == "cpu":
        operator = attention.ON_CPU.get(operator, operator)
    values, at = [], 0
    while at < len(rest):
        if rest[at] == " ":
            at += 1
            continue
        value, at = _parse(rest, at)
        values.append(value)
    values = [_constant(value, argument.name, device) for value, argument in zip(values, schema, strict=False)]

    def fill(value: Any, operands: Sequence[torch.Tensor]) -> Any:
        if isinstance(value, _Tensor):
            return operands[value]
        if isinstance(value, list):
            return [fill(item, operands) for item in value]
        return value

    positional = [v for v, a in zip(values, schema, strict=False) if not a.kwarg_only]
    named = {a.name: v for v, a in zip(values, schema, strict=False) if a.kwarg_only}
    # A factory without a device of its own makes its tensor where the graph runs.
    if any(a.name == "device" for a in schema) and named.get("device") is None and not any(
        isinstance(v, _Tensor) for v in positional
    ):
        named["device"] = device

    def call(operands: Sequence[torch.Tensor]) -> Any:
        return operator(*[fill(v, operands) for v in positional], **{k: fill(v, operands) for k, v in named.items()})

    return call
