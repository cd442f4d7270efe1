"""PyTorch's own gradient formulas: the forward and backward of one ATen call, traced on fake tensors.

`make_fx` over `torch.func.vjp` runs the operator's autograd formula and records the ATen operators of both halves,
decomposed by PyTorch's tables wherever this compiler has no translation of its own.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch._decomp import core_aten_decompositions
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._pytree import tree_flatten, tree_unflatten

from .aten import TABLE
from .devices import on_cpu
from .errors import Unsupported

Node = torch.fx.Node
aten = torch.ops.aten

# Decompositions that lose what the operator is for, or its accuracy: the operator runs through LibTorch instead.
_KEPT_WHOLE = {
    aten._scaled_dot_product_flash_attention_for_cpu.default,
    aten.matrix_exp.default,
    aten.max_pool2d_with_indices_backward.default,
    aten.nan_to_num.out,
    aten.linalg_matrix_norm.default,
    aten.cdist.default,
    # Its decomposition takes the -1 that ends a target row for a class (pytorch/pytorch#185464).
    aten.multilabel_margin_loss_forward.default,
}

_decompositions: dict[Any, Callable[..., Any]] | None = None


def decompositions() -> dict[Any, Callable[..., Any]]:
    """PyTorch's decompositions of operators that have no translation of ours."""
    global _decompositions
    if _decompositions is None:
        _decompositions = {
            op: function
            for op, function in core_aten_decompositions().items()
            if op not in TABLE and op not in _KEPT_WHOLE and not _draws(op)
        }
    return _decompositions


def _draws(op: Any) -> bool:
    return torch.Tag.nondeterministic_seeded in getattr(op, "tags", ())


@dataclasses.dataclass
class Trace:
    """The ATen nodes of one call."""

    graph: torch.fx.GraphModule
    inputs: list[Node]
    results: list[Node | None]
    body: list[Node]


@dataclasses.dataclass
class Rule:
    """A call and its gradient."""

    graph: torch.fx.GraphModule
    inputs: list[Node]
    #: The tensor results of the operator, flat; None where it gives None.
    results: list[Node | None]
    forward: list[Node]
    #: Values of the forward (or inputs) that the backward reads.
    saved: list[Node]
    #: One per result, None for those without a cotangent.
    cotangents: list[Node | None]
    backward: list[Node]
    #: Input number and the node of its gradient.
    gradients: list[tuple[int, Node]]


def split_tensors(args: Any, kwargs: Any) -> tuple[list[torch.Tensor], Callable[[Sequence[Any]], tuple[Any, Any]]]:
    """The tensors of an argument list, and how to put others in their place."""
    leaves, spec = tree_flatten((args, kwargs))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]

    def rebuild(tensors: Sequence[Any]) -> tuple[Any, Any]:
        filled = list(leaves)
        for place, tensor in zip(places, tensors, strict=True):
            filled[place] = tensor
        return tree_unflatten(filled, spec)

    return [leaves[i] for i in places], rebuild


def _flat_results(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple | list) else [value]


def _trace(function: Callable[..., Any], inputs: Sequence[torch.Tensor], mode: FakeTensorMode) -> torch.fx.GraphModule:
    with mode, torch._C._DisableAutocast(), torch.enable_grad():
        return make_fx(torch.func.functionalize(function, remove="mutations"), tracing_mode="real",
                       decomposition_table=decompositions())(*inputs)


def trace_call(op: Any, args: Any, kwargs: Any, mode: FakeTensorMode) -> Trace:
    """The decomposition of a call, without a gradient."""
    args, kwargs = on_cpu(args, mode), on_cpu(kwargs, mode)
    tensors, rebuild = split_tensors(args, kwargs)

    def function(*inputs: torch.Tensor) -> list[Any]:
        a, k = rebuild(inputs)
        return _flat_results(op(*a, **k))

    graph = _trace(function, tensors, mode)
    nodes = list(graph.graph.nodes)
    outputs = nodes[-1].args[0]
    return Trace(graph, [n for n in nodes if n.op == "placeholder"], list(outputs), _calls(nodes))


def _calls(nodes: Sequence[Node]) -> list[Node]:
    return [n for n in nodes if n.op in ("call_function", "get_attr")]


def trace_rule(op: Any, args: Any, kwargs: Any, results: Sequence[Any], wanted: Sequence[int], mode: FakeTensorMode
               ) -> Rule:
    """A call and PyTorch's gradient of it with respect to the tensors number `wanted`.

    `results` are the call's fake results; floating-point ones get cotangents.
    """
    args, kwargs = on_cpu(args, mode), on_cpu(kwargs, mode)
    tensors, rebuild = split_tensors(args, kwargs)
    floating = [i for i, r in enumerate(results) if isinstance(r, torch.Tensor) and r.dtype.is_floating_point]
    with mode:
        cotangents = [torch.empty_strided(results[i].size(), _dense_strides(results[i]), dtype=results[i].dtype)
                      for i in floating]

    def function(once: bool, *inputs: torch.Tensor) -> tuple[list[Any], list[Any]]:
        primals, given = list(inputs[: len(tensors)]), inputs[len(tensors):]

        def call(*differentiable: torch.Tensor) -> tuple[tuple[torch.Tensor, ...], list[Any]]:
            filled = list(primals)
            for place, tensor in zip(wanted, differentiable, strict=True):
                filled[place] = tensor
            a, k = rebuild(filled)
            flat = _flat_results(op(*a, **k))
            return tuple(flat[i] for i in floating), flat

        _, pullback, flat = torch.func.vjp(call, *(primals[i] for i in wanted), has_aux=True)
        with torch.set_grad_enabled(not once):
            return flat, list(pullback(tuple(given)))

    try:
        # With gradients on, PyTorch makes the pullback from formulas that can be differentiated again, which round half
        # precision at every step. Those that eager's first backward uses may look at values (cumprod's zeros), which a
        # trace has not.
        try:
            graph = _trace(partial(function, True), [*tensors, *cotangents], mode)
        except Unsupported:
            raise
        except Exception:
            graph = _trace(partial(function, False), [*tensors, *cotangents], mode)
    except Unsupported:
        raise
    except Exception as error:
        raise Unsupported(f"the gradient of {op} ({type(error).__name__}: {str(error).splitlines()[0][:200]})") from error
    return _partition(graph, len(tensors), floating, wanted, len(results))


def _dense_strides(x: torch.Tensor) -> tuple[int, ...]:
    """x's strides where it is dense, contiguous ones otherwise."""
    from .aten.shape import dense_order

    if dense_order(x) is not None:
        return tuple(x.stride())
    with torch._C._DisableTorchDispatch():
        return tuple(torch.empty(x.size(), device="meta").stride())


def _partition(graph: torch.fx.GraphModule, primals: int, floating: Sequence[int], wanted: Sequence[int], results: int
               ) -> Rule:
    """What the results need is forward; everything else that the gradients need is backward."""
    nodes = list(graph.graph.nodes)
    placeholders = [n for n in nodes if n.op == "placeholder"]
    flat, gradients = nodes[-1].args[0]
    forward: set[Node] = set()
    stack = [n for n in flat if isinstance(n, Node)]
    while stack:
        node = stack.pop()
        if node not in forward:
            forward.add(node)
            stack.extend(node.all_input_nodes)
    inputs = placeholders[:primals]
    backward: set[Node] = set()
    saved: dict[Node, None] = {}
    stack = [n for n in gradients if isinstance(n, Node)]
    given = set(placeholders[primals:])
    while stack:
        node = stack.pop()
        if node in backward or node in given:
            continue
        if node in forward or node in inputs:
            saved[node] = None
            continue
        if node.target is operator.getitem and node.args[0] in forward:
            forward.add(node)
            saved[node] = None
            continue
        backward.add(node)
        stack.extend(node.all_input_nodes)
    order = {n: i for i, n in enumerate(nodes)}
    by_result: list[Node | None] = [None] * results
    for i, node in zip(floating, placeholders[primals:], strict=True):
        by_result[i] = node
    return Rule(
        graph, inputs, [n if isinstance(n, Node) else None for n in flat],
        [n for n in _calls(nodes) if n in forward], sorted(saved, key=order.__getitem__), by_result,
        [n for n in _calls(nodes) if n in backward],
        [(i, g) for i, g in zip(wanted, gradients, strict=True) if isinstance(g, Node)],
    )
