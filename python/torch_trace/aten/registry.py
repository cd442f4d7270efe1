"""The table of ATen operators that have a translation of ours into prims."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

Translation = Callable[..., Any]


class Entry(NamedTuple):
    """How an operator is translated.

    `function(e, out, *arguments)` emits prims with the Emitter `e`; `out` is the operator's fake result (a tensor or
    a tuple), tensors among the arguments are `emitter.Tensor`s. It returns a Tensor, or a tuple as the operator does.

    `eager_gradient`: the gradient is not that of the prims but PyTorch's own formula (numerically better, or saving
    less), imported as the backward of a `trace.custom_grad`.
    """

    function: Translation
    eager_gradient: bool


TABLE: dict[torch._ops.OpOverload, Entry] = {}


def register(*operators: torch._ops.OpOverload, eager_gradient: bool = False) -> Callable[[Translation], Translation]:
    """Registers a translation for some operators."""

    def decorate(function: Translation) -> Translation:
        for operator in operators:
            if operator in TABLE:
                raise ValueError(f"{operator} has two translations")
            TABLE[operator] = Entry(function, eager_gradient)
        return function

    return decorate


class NotApplicable(Exception):
    """Raised by a translation that does not cover these arguments: the operator is decomposed or opaque instead."""
