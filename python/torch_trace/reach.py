"""Which outputs' cotangents reach which arguments, by the captured operators as eager's autograd would link them.

The compiler knows this of its own ops (`trace.reached_by`), but not of what capturing and folding leave out: a tensor
that is wholly overwritten, or the branch that a constant condition never takes, has a gradient of zeros in eager, where
an optimizer tells zeros from None.
"""

from __future__ import annotations

import operator

import torch

from .capture import Captured, Symbol

Node = torch.fx.Node
aten = torch.ops.aten

#: Results that autograd does not link with the operands, although they are floats.
_UNLINKED = frozenset({
    aten.detach.default, aten.zeros_like.default, aten.ones_like.default, aten.full_like.default,
    aten.empty_like.default, aten.rand_like.default, aten.randn_like.default, aten.randint_like.default,
    aten.randint_like.low_dtype, aten.new_zeros.default, aten.new_ones.default, aten.new_full.default,
    aten.new_empty.default, aten.new_empty_strided.default, aten.nextafter.default, aten.scalar_tensor.default,
    aten.multinomial.default,
})


def reached_by(captured: Captured) -> list[frozenset[int]]:
    """For each argument that requires grad, the results whose cotangents make its gradient a tensor."""
    found: dict[Node, set[int]] = {}
    for number, result in enumerate(captured.results):
        if result.requires_grad:
            found.setdefault(result.node, set()).add(number)
    _walk(captured.root, found)
    return [frozenset(found.get(a.node, ())) if a.requires_grad else frozenset() for a in captured.arguments]


def _walk(symbol: Symbol, found: dict[Node, set[int]]) -> None:
    if not symbol.grad_enabled:
        return
    if symbol.kind == "custom_grad":
        results = [n for i, n in enumerate(symbol.results) if i not in symbol.non_differentiable]
        outputs = set().union(*(found.get(n, ()) for n in results))
        for node, gradient in zip(symbol.operands, symbol.gradients, strict=False):
            if node is not None and gradient is not None:
                _link(node, outputs, found)
        return
    for item in reversed(symbol.items):
        if isinstance(item, Symbol):
            _walk(item, found)
        elif outputs := found.get(item):
            if item.target is operator.getitem:
                _link(item.args[0], outputs, found)
            elif item.target not in _UNLINKED:
                for node in item.all_input_nodes:
                    _link(node, outputs, found)


def _link(node: Node, outputs: set[int], found: dict[Node, set[int]]) -> None:
    value = node.meta.get("val")
    if outputs and not (isinstance(value, torch.Tensor) and not value.dtype.is_floating_point):
        found.setdefault(node, set()).update(outputs)
