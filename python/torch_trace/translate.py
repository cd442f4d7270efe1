"""From captured ATen nodes to a module of the trace dialect.

Symbols become `trace.bsym`s around the prims of their ATen operators (or stand for themselves where that is one prim);
an operator is translated by our table, or by PyTorch's decomposition, or stays an opaque symbol that LibTorch runs.
Gradients that are not those of the prims come with the operator: `trace.custom_grad`, or gradient-rule functions of an
opaque symbol, both from PyTorch's own formulas (vjp.py).
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

from . import _C, vjp
from .aten import TABLE, NotApplicable
from .aten.random import draws, is_random
from .aten.shape import as_strided_value, dense_order
from .capture import Captured, Symbol
from .emitter import Emitter, Tensor
from .errors import Unsupported

Node = torch.fx.Node
aten = torch.ops.aten

# Symbols of these operators alone are no symbols of interest: their prims stand by themselves.
_PLAIN = frozenset(
    op for op in TABLE
    if op.namespace == "aten" and op._schema.name.split("::")[1] in {
        "view", "_unsafe_view", "reshape", "unsqueeze", "squeeze", "permute", "transpose", "t", "expand", "slice",
        "select", "clone", "alias", "detach", "_to_copy", "split", "split_with_sizes", "unbind", "copy", "contiguous",
        "slice_scatter", "select_scatter", "full", "zeros", "ones", "empty", "arange", "scalar_tensor",
    }
)
_AS_STRIDED = frozenset({aten.as_strided.default, aten.as_strided_copy.default})
_AS_STRIDED_SCATTER = aten.as_strided_scatter.default


class Scope:
    """Values of nodes where ops are being emitted: a function's body or a region's."""

    def __init__(self) -> None:
        self.values: dict[Node, Any] = {}

    def __getitem__(self, node: Node) -> Any:
        found = self.values.get(node)
        if found is None:
            if node.target is operator.getitem:
                return self[node.args[0]][node.args[1]]
            raise KeyError(node)
        return found

    def __setitem__(self, node: Node, value: Any) -> None:
        self.values[node] = value


class Translator:
    """Writes one captured function, and the gradient rules beside it."""

    def __init__(self, captured: Captured, emitter: Emitter | None = None) -> None:
        self.captured = captured
        self.e = Emitter(_C.Builder()) if emitter is None else emitter
        self.builder = self.e.builder
        self.active: set[Node] = set()
        self.rules: dict[Any, Any] = {}
        self.functions = 0
        #: Rule functions to write once the main function is closed: (name, rule, is_forward).
        self.pending: list[tuple[str, str, vjp.Rule]] = []
        self.location = ("", 0)
        self.in_checkpoint = False

    # ---- the function

    def module(self, name: str = "f") -> _C.Builder:
        """Emits everything and verifies it; returns the builder that owns the module."""
        captured, e = self.captured, self.e
        self.builder.set_location("", 0, 0, "")
        types, attributes = [], []
        for index, argument in enumerate(captured.arguments):
            types.append(e.type(argument.fake.shape, argument.fake.dtype))
            attributes.append(self._argument_attributes(argument, index))
        if captured.uses_random:
            types.append(e.type((), torch.int64))
            attributes.append({"trace.role": self._role("rng_state")})
        values = self.builder.begin_function(name, types, attributes)
        scope = Scope()
        for argument, value in zip(captured.arguments, values, strict=False):
            fake = argument.fake
            scope[argument.node] = Tensor(value, tuple(fake.shape), fake.dtype)
            if argument.requires_grad:
                self.active.add(argument.node)
        if captured.uses_random:
            e.bind_seed(Tensor(values[-1], (), torch.int64))
        wanted = {result.node for result in captured.results}
        self._emit_symbol_items(captured.root, scope, wanted)
        results, result_attributes = [], []
        for index, result in enumerate(captured.results):
            value = scope[result.node]
            if not result.requires_grad and result.node in self.active:
                value = e.stop_gradient(value)
            results.append(value.value)
            result_attributes.append(self._result_attributes(result, value, index))
        self.builder.set_location("", 0, 0, "")
        self.builder.end_function(results, result_attributes)
        self._emit_pending()
        self.builder.verify()
        return self.builder

    def _role(self, text: str) -> _C.Attribute:
        return self.builder.attribute(f"#trace.role<{text}>")

    def _argument_attributes(self, argument: Any, index: int) -> dict[str, Any]:
        name = argument.name.replace("\\", "").replace('"', "")
        if argument.kind == "input":
            attributes = {"trace.role": self._role(f'input {argument.position} "{name}"')}
        else:
            attributes = {"trace.role": self._role(f'{argument.kind} "{name}"')}
        if argument.requires_grad:
            attributes["trace.requires_grad"] = None
        if not argument.fake.is_contiguous():
            attributes["trace.strides"] = list(argument.fake.stride())
        return attributes

    def _result_attributes(self, result: Any, value: Tensor, index: int) -> dict[str, Any]:
        if result.mutated is None:
            attributes = {"trace.role": self._role(f"output {index}")}
        else:
            argument = next(i for i, a in enumerate(self.captured.arguments) if a.position == result.mutated)
            attributes = {"trace.role": self._role(f"mutated {argument}")}
        if result.stride and not _is_contiguous(value.shape, result.stride):
            attributes["trace.strides"] = list(result.stride)
        return attributes

    # ---- symbols

    def _emit_symbol_items(self, symbol: Symbol, scope: Scope, wanted: set[Node]) -> None:
        for item in symbol.items:
            if isinstance(item, Symbol):
                self._emit_symbol(item, scope, wanted)
            else:
                self._emit_node(item, scope)

    def _emit_symbol(self, symbol: Symbol, scope: Scope, wanted: set[Node]) -> None:
        self._locate(symbol)
        nodes = list(symbol.nodes())
        if symbol.kind == "custom_grad":
            self._emit_custom_grad(symbol, scope)
            return
        inside = set(nodes)
        results = [n for n in _result_nodes(nodes) if n in wanted or any(u not in inside and not _is_getitem(u)
                                                                         for u in _users(n))]
        if not results and not any(_is_effect(n) or draws(n) for n in nodes):
            return
        computing = [n for n in nodes if not _is_getitem(n)]
        plain = symbol.kind == "bsym" and (
            not symbol.name or len(computing) == 1 and self._is_prim(computing[0])
            or all(n.target in _PLAIN for n in computing)
        )
        if plain:
            before = set(self.active)
            self._emit_symbol_items(symbol, scope, wanted)
        else:
            operands = _free_inputs(nodes)
            before = set(self.active)

            def body(arguments: list[Tensor]) -> list[Tensor]:
                inner = Scope()
                for node, value in zip(operands, arguments, strict=True):
                    inner[node] = value
                outer = self.in_checkpoint
                self.in_checkpoint |= symbol.kind == "checkpoint"
                self._emit_symbol_items(symbol, inner, set(results))
                self.in_checkpoint = outer
                return [inner[n] for n in results]

            values = self.e.symbol(
                symbol.name, [scope[n] for n in operands], body, uses_seed=any(is_random(n) for n in nodes),
                op="bsym" if symbol.kind == "bsym" else symbol.kind,
            )
            for node, value in zip(results, values, strict=True):
                scope[node] = value
        if not symbol.grad_enabled:
            self._locate(symbol)
            for node in results:
                if node in self.active and node not in before:
                    scope[node] = self.e.stop_gradient(scope[node])
            self.active = before

    def _drawn_once(self, nodes: Iterable[Node]) -> None:
        """A checkpoint runs what draws once and saves what it gives; not what a gradient rule holds."""
        if self.in_checkpoint and any(draws(n) and not is_random(n) for n in nodes):
            raise Unsupported("a random operator of LibTorch with a gradient in a checkpoint")

    def _is_prim(self, node: Node) -> bool:
        entry = TABLE.get(node.target)
        if entry is None:
            return node.target not in vjp.decompositions()
        return not entry.eager_gradient

    def _locate(self, symbol: Symbol) -> None:
        if symbol.location[0]:
            self.location = symbol.location
        self.builder.set_location(*self.location, 0, symbol.name)

    def _emit_custom_grad(self, symbol: Symbol, scope: Scope) -> None:
        primal, backward = symbol.items
        assert isinstance(primal, Symbol) and isinstance(backward, Symbol)
        slots = [(i, n) for i, n in enumerate(symbol.operands) if n is not None]
        nodes = list(primal.nodes())
        self._drawn_once(nodes)
        listed = [n for _, n in slots]
        saved = list(dict.fromkeys(symbol.saved))
        # What the backward reads besides its cotangents and the saved values is saved too.
        given = {c for c in symbol.cotangents if c is not None} | set(saved)
        extra = [n for n in _free_inputs(list(backward.nodes()), [g for g in symbol.gradients if g is not None])
                 if n not in given]
        saved += extra
        inside = set(nodes)
        others = [n for n in _free_inputs(nodes, [*symbol.results, *saved]) if n not in listed]
        operands = listed + others
        grads = []
        for slot, (position, node) in enumerate(slots):
            gradient = symbol.gradients[position] if position < len(symbol.gradients) else None
            if gradient is not None and node in self.active:
                grads.append((slot, gradient))
        before = set(self.active)
        self.active = set()

        def forward(arguments: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
            inner = Scope()
            for node, value in zip(operands, arguments, strict=True):
                inner[node] = value
            self._emit_symbol_items(primal, inner, inside)
            return [inner[n] for n in symbol.results], [inner[n] for n in saved]

        def pullback(cotangents: list[Tensor], values: list[Tensor]) -> list[Tensor]:
            inner = Scope()
            for node, value in zip(saved, values, strict=True):
                inner[node] = value
            for node, value in zip(symbol.cotangents, cotangents, strict=True):
                if node is not None:
                    inner[node] = value
            self._emit_symbol_items(backward, inner, set(backward.nodes()) | {g for _, g in grads})
            by_slot = []
            for slot, gradient in grads:
                like = scope[operands[slot]]
                value = self.e.convert(inner[gradient], like.dtype)
                if value.shape != like.shape:
                    raise Unsupported("an autograd.Function whose gradient has another shape than its input")
                by_slot.append(value)
            return by_slot

        results = self.e.custom_grad(
            [scope[n] for n in operands], forward, pullback, [slot for slot, _ in grads], symbol.non_differentiable,
            uses_seed=any(is_random(n) for n in nodes),
        )
        self.active = before
        self._locate(symbol)
        differentiable = symbol.grad_enabled and any(n in before for n in listed)
        for i, (node, value) in enumerate(zip(symbol.results, results, strict=True)):
            if differentiable and i not in symbol.non_differentiable:
                self.active.add(node)
            elif not symbol.grad_enabled and any(n in before for n in listed) and value.dtype.is_floating_point:
                value = self.e.stop_gradient(value)
            scope[node] = value

    # ---- nodes

    def _emit_node(self, node: Node, scope: Scope) -> None:
        if _is_getitem(node):
            if node.args[0] in self.active and _fake(node).dtype.is_floating_point:
                self.active.add(node)
            return
        if node.op == "get_attr":
            scope[node] = self._owned_constant(getattr(self.captured.graph, node.target))
            return
        args = tree_map(lambda a: scope[a] if isinstance(a, Node) else a, node.args)
        kwargs = tree_map(lambda a: scope[a] if isinstance(a, Node) else a, node.kwargs)
        if not isinstance(node.target, torch._ops.OpOverload):
            raise Unsupported(f"the traced function {node.target}")
        if _is_effect(node):
            self._opaque(node, args, kwargs)
            return
        if node.meta.get("val") is None:
            raise Unsupported(f"the operator {node.target}, which gives nothing")
        scope[node] = self._call(node, args, kwargs)
        if any(n in self.active for n in node.all_input_nodes) and node.target is not aten.detach.default:
            outputs = [v for v in tree_leaves(node.meta["val"]) if isinstance(v, torch.Tensor)]
            if any(v.dtype.is_floating_point for v in outputs):
                self.active.add(node)

    def _call(self, node: Node, args: Any, kwargs: Any) -> Any:
        op, out = node.target, node.meta["val"]
        wanted = []
        if any(isinstance(v, torch.Tensor) and v.dtype.is_floating_point for v in tree_leaves(out)):
            wanted = [i for i, n in enumerate(_tensor_nodes(node)) if n in self.active and _fake(n).dtype.is_floating_point]
        if op is aten.detach.default and wanted:
            return self.e.stop_gradient(args[0])
        if any(v.dtype.is_complex for v in tree_leaves(out) if isinstance(v, torch.Tensor)):
            raise Unsupported("complex numbers")
        try:
            if op in _AS_STRIDED:
                return self._as_strided(node, *args, **kwargs)
            entry = TABLE.get(op)
            if entry is not None and not (entry.eager_gradient and wanted):
                return entry.function(self.e, out, *args, **kwargs)
        except NotApplicable:
            pass
        if not wanted:
            if op in vjp.decompositions():
                return self._decomposed(node, args, kwargs)
            return self._apply_plain(node, args, kwargs)
        return self._with_rule(node, args, kwargs, wanted)

    def _apply_plain(self, node: Node, args: Any, kwargs: Any) -> Any:
        entry = TABLE.get(node.target)
        if entry is not None and entry.eager_gradient:
            try:
                return entry.function(self.e, node.meta["val"], *args, **kwargs)
            except NotApplicable:
                pass
        return self._opaque(node, args, kwargs)

    def _as_strided(self, node: Node, x: Tensor, size: Sequence[int], stride: Sequence[int], offset: int | None = None
                    ) -> Tensor:
        source = _fake(node.args[0])
        start = source.storage_offset() if offset is None else offset
        return as_strided_value(self.e, x, source, size, stride, start)

    def _fakes(self, node: Node) -> tuple[Any, Any]:
        def fake(a: Any) -> Any:
            return a.meta["val"] if isinstance(a, Node) else a

        return tree_map(fake, node.args), tree_map(fake, node.kwargs)

    def _key(self, node: Node, wanted: Sequence[int]) -> Any:
        def describe(a: Any) -> Any:
            if isinstance(a, Node):
                value = a.meta["val"]
                return ("tensor", tuple(value.shape), tuple(value.stride()), value.dtype)
            return (type(a).__name__, str(a))

        leaves = tree_leaves((node.args, node.kwargs), is_leaf=lambda a: a is None)
        return (node.target, tuple(describe(a) for a in leaves), str(node.kwargs.keys()), tuple(wanted))

    # ---- decompositions and rules

    def _decomposed(self, node: Node, args: Any, kwargs: Any) -> Any:
        """PyTorch's decomposition of a call, without a gradient."""
        key = self._key(node, ())
        trace = self.rules.get(key)
        if trace is None:
            fake_args, fake_kwargs = self._fakes(node)
            trace = self.rules[key] = vjp.trace_call(node.target, fake_args, fake_kwargs, self.captured.fake_mode)
        if any(n.target is node.target for n in trace.body):
            return self._opaque(node, args, kwargs)
        inner = Scope()
        for n, value in zip(trace.inputs, _tensors((args, kwargs)), strict=True):
            inner[n] = value
        self._emit_body(trace.body, inner, trace.graph)
        results = [None if n is None else inner[n] for n in trace.results]
        return tuple(results) if isinstance(node.meta["val"], tuple | list) else results[0]

    def _emit_body(self, body: Iterable[Node], scope: Scope, graph: torch.fx.GraphModule) -> None:
        for n in body:
            if n.op == "get_attr":
                scope[n] = self._owned_constant(getattr(graph, n.target))
            else:
                self._emit_node(n, scope)

    def _owned_constant(self, value: Any) -> Tensor:
        """A tensor that a traced function made by itself, of a Python number."""
        constant = getattr(value, "constant", None) if not isinstance(value, torch.nn.Parameter) else None
        if type(value) is torch.Tensor:
            constant = value
        if constant is None:
            raise Unsupported("a tensor made while an operator was traced")
        return self.e.constant(constant)

    def _with_rule(self, node: Node, args: Any, kwargs: Any, wanted: list[int]) -> Any:
        """A call whose gradient is PyTorch's own formula."""
        self._drawn_once([node])
        key = self._key(node, wanted)
        rule = self.rules.get(key)
        results = node.meta["val"]
        flat = list(results) if isinstance(results, tuple | list) else [results]
        if rule is None:
            fake_args, fake_kwargs = self._fakes(node)
            rule = vjp.trace_rule(node.target, fake_args, fake_kwargs, flat, wanted, self.captured.fake_mode)
            self.rules[key] = rule
        operands = _tensors((args, kwargs))
        whole = [n for n in rule.forward if n.target is node.target]
        if whole and node.target not in TABLE:
            values = self._opaque_with_rule(node, args, kwargs, rule, key, operands)
        else:
            values = self._custom_grad(node, rule, operands)
        if not isinstance(results, tuple | list):
            return values[0]
        return tuple(values)

    def _custom_grad(self, node: Node, rule: vjp.Rule, operands: list[Tensor]) -> list[Any]:
        present = [n for n in rule.results if n is not None]
        before, self.active = self.active, set()

        def primal(arguments: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
            inner = self._bound(rule.inputs, arguments)
            for n in rule.forward:
                if n.target is node.target:
                    a, k = (tree_map(lambda v: inner[v] if isinstance(v, Node) else v, t) for t in (n.args, n.kwargs))
                    inner[n] = self._apply_plain(n, a, k)
                else:
                    self._emit_body([n], inner, rule.graph)
            return [inner[n] for n in present], [inner[n] for n in rule.saved]

        def backward(cotangents: list[Tensor], saved: list[Tensor]) -> list[Tensor]:
            inner = self._bound(rule.saved, saved)
            given = [c for c, r in zip(rule.cotangents, rule.results, strict=True) if r is not None]
            for n, value in zip(given, cotangents, strict=True):
                if n is not None:
                    inner[n] = value
            self._emit_body(rule.backward, inner, rule.graph)
            return [self._fitted(inner[g], operands[i]) for i, g in rule.gradients]

        fixed = [i for i, n in enumerate(present) if not _fake(n).dtype.is_floating_point]
        values = self.e.custom_grad(operands, primal, backward, [i for i, _ in rule.gradients], fixed,
                                    uses_seed=any(is_random(n) for n in rule.forward))
        self.active = before
        remaining = iter(values)
        return [None if n is None else next(remaining) for n in rule.results]

    def _bound(self, nodes: Sequence[Node], values: Sequence[Tensor]) -> Scope:
        scope = Scope()
        for n, value in zip(nodes, values, strict=True):
            scope[n] = value
        return scope

    def _fitted(self, gradient: Tensor, operand: Tensor) -> Tensor:
        """A gradient in its operand's dtype and shape."""
        gradient = self.e.convert(gradient, operand.dtype)
        if gradient.shape != operand.shape:
            raise Unsupported("a gradient formula that gives another shape than the operand's")
        return gradient

    # ---- opaque symbols

    def _opaque_attributes(self, node: Node, args: Any, kwargs: Any) -> tuple[dict[str, Any], list[Tensor]]:
        """The schema's argument list, with operands in place of tensors."""
        operands: list[Tensor] = []

        def encode(value: Any) -> Any:
            if isinstance(value, Tensor):
                operands.append(value)
                return self.builder.operand_ref(len(operands) - 1)
            if isinstance(value, list | tuple):
                return tuple(encode(v) for v in value)
            if value is None or isinstance(value, bool | int | float | str):
                return value
            if isinstance(value, torch.dtype | torch.layout | torch.memory_format | torch.device):
                return str(value)
            raise Unsupported(f"an argument of type {type(value).__name__} of {node.target}")

        arguments = []
        for i, parameter in enumerate(node.target._schema.arguments):
            if i < len(args) and not parameter.kwarg_only:
                arguments.append(encode(args[i]))
            elif parameter.name in kwargs:
                arguments.append(encode(kwargs[parameter.name]))
            else:
                arguments.append(encode(parameter.default_value))
        attributes: dict[str, Any] = {"arguments": tuple(arguments)}
        outputs = [v for v in _flat(_fake(node)) if isinstance(v, torch.Tensor)]
        if any(not v.is_contiguous() for v in outputs):
            attributes["result_strides"] = tuple(list(v.stride()) for v in outputs)
        return attributes, operands

    def _opaque(self, node: Node, args: Any, kwargs: Any, rule: dict[str, Any] | None = None) -> Any:
        """A symbol that LibTorch runs by its schema name."""
        if node.target._schema.is_mutable:
            raise Unsupported(f"the operator {node.target}, which writes to its arguments")
        attributes, operands = self._opaque_attributes(node, args, kwargs)
        if _is_effect(node) or draws(node):
            attributes["impure"] = None
        outputs = _flat(_fake(node))
        if any(isinstance(v, int | float | bool | torch.SymInt) for v in outputs):
            raise Unsupported(f"the operator {node.target}, which gives numbers")
        if any(isinstance(v, list | tuple) for v in outputs):
            raise Unsupported(f"the operator {node.target}, which gives lists of tensors")
        present = [v for v in outputs if isinstance(v, torch.Tensor)]
        values = self.e.op("bsym", operands, {"name": str(node.target), **attributes, **(rule or {})},
                           [(tuple(v.shape), v.dtype) for v in present])
        remaining = iter(values)
        placed = [next(remaining) if isinstance(v, torch.Tensor) else None for v in outputs]
        return tuple(placed) if isinstance(_fake(node), tuple | list) else placed[0]

    def _opaque_with_rule(self, node: Node, args: Any, kwargs: Any, rule: vjp.Rule, key: Any, operands: list[Tensor]
                          ) -> list[Any]:
        """An opaque symbol with private functions as its gradient rule."""
        named = self.rules.get(("functions", key))
        if named is None:
            base = str(node.target).replace(".", "_")
            named = (f"{base}_vjp_forward_{self.functions}", f"{base}_vjp_backward_{self.functions}")
            self.functions += 1
            self.rules[("functions", key)] = named
            self.pending.append((named[0], named[1], rule))
        attributes = {
            "vjp_forward": self.builder.symbol(named[0]),
            "vjp_backward": self.builder.symbol(named[1]),
            "vjp_operands": [i for i, _ in rule.gradients],
        }
        return _flat(self._opaque(node, args, kwargs, attributes))

    def _emit_pending(self) -> None:
        """The functions of gradient rules; writing one may ask for no other, as nothing in them is differentiated."""
        self.active = set()
        self.e.bind_seed(None)
        for forward_name, backward_name, rule in self.pending:
            types = [_fake(n) for n in rule.inputs]
            inner = self._open(forward_name, types, rule.inputs)
            self._emit_body(rule.forward, inner, rule.graph)
            results = [inner[n] for n in rule.results if n is not None] + [inner[n] for n in rule.saved]
            self.builder.end_function([r.value for r in results], [])
            present = [(c, r) for c, r in zip(rule.cotangents, rule.results, strict=True) if r is not None]
            nodes = [c for c, _ in present] + rule.saved
            types = [_fake(r) for _, r in present] + [_fake(n) for n in rule.saved]
            inner = self._open(backward_name, types, nodes)
            self._emit_body(rule.backward, inner, rule.graph)
            gradients = []
            for i, g in rule.gradients:
                like = _fake(rule.inputs[i])
                gradients.append(self._fitted(inner[g], Tensor(None, tuple(like.shape), like.dtype)))
            self.builder.end_function([g.value for g in gradients], [])

    def _open(self, name: str, fakes: Sequence[torch.Tensor], nodes: Sequence[Node | None]) -> Scope:
        types = [self.e.type(f.shape, f.dtype) for f in fakes]
        values = self.builder.begin_function(name, types, [{} for _ in types], True)
        scope = Scope()
        for n, value, fake in zip(nodes, values, fakes, strict=True):
            if n is not None:
                scope[n] = Tensor(value, tuple(fake.shape), fake.dtype)
        return scope


# ---- nodes


def _is_getitem(node: Node) -> bool:
    return node.target is operator.getitem


def _is_effect(node: Node) -> bool:
    """The operator gives nothing: it is called for what it does (a check that raises)."""
    return isinstance(node.target, torch._ops.OpOverload) and not node.target._schema.returns


def _fake(node: Node) -> Any:
    """What a call gives; None where it gives nothing."""
    return node.meta.get("val")


def _flat(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple | list) else [value]


def _tensors(tree: Any) -> list[Tensor]:
    """The emitter's tensors in an argument list, in order."""
    return [v for v in tree_leaves(tree) if isinstance(v, Tensor)]


def _tensor_nodes(node: Node) -> list[Node]:
    """The nodes of an argument list, in order and as often as they occur."""
    return [v for v in tree_leaves((node.args, node.kwargs)) if isinstance(v, Node)]


def _users(node: Node) -> Iterable[Node]:
    return node.users


def _result_nodes(nodes: Sequence[Node]) -> list[Node]:
    """Nodes that are one tensor."""
    return [n for n in nodes if isinstance(n.meta.get("val"), torch.Tensor)]


def _free_inputs(nodes: Sequence[Node], also: Sequence[Node] = ()) -> list[Node]:
    """What a range of nodes (and `also`) reads from outside, in order of first use."""
    inside = set(nodes)
    found: dict[Node, None] = {}
    for node in nodes:
        for value in node.all_input_nodes:
            if value not in inside:
                found[value] = None
    for value in also:
        if value not in inside:
            found[value] = None
    return list(found)


def _is_contiguous(shape: Sequence[int], stride: Sequence[int]) -> bool:
    expected = 1
    if 0 in shape:
        return True
    for size, step in zip(reversed(shape), reversed(stride), strict=True):
        if size != 1 and step != expected:
            return False
        expected *= size
    return True


def is_dense(x: torch.Tensor) -> bool:
    """The tensor's elements fill a piece of memory without gaps or overlaps."""
    return dense_order(x) is not None
