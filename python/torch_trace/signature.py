"""The outside of a captured function: results, outputs that alias inputs or each other, mutated inputs.

Dynamo's own fake tensors say what eager would give: strides, storage sharing and requires_grad of every output. Views
are not returned by the compiled function; they are taken again, at each call, of the input or of the one result that
holds their storage.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.functional_tensor import FunctionalTensor

from . import capture as _capture
from .aten.shape import dense_order
from .errors import Unsupported

if TYPE_CHECKING:
    from .capture import Mutation, Output, Result, Symbol, _State

Node = torch.fx.Node


class Geometry:
    """Size, stride and offset of a tensor as eager would have it, and the size of its storage if known."""

    def __init__(self, value: torch.Tensor, node: Node | None, mutated_storage: bool) -> None:
        example = node.meta.get("example_value") if isinstance(node, Node) else None
        self.example = example if isinstance(example, torch.Tensor) and _is_static(example) else None
        source = value if self.example is None else self.example
        self.exact = self.example is not None or not mutated_storage
        self.size = tuple(map(int, source.size()))
        self.stride = tuple(map(int, source.stride()))
        self.offset = int(source.storage_offset())
        known = isinstance(example, torch.Tensor)
        self.requires_grad = bool(example.requires_grad) if known else value.dtype.is_floating_point
        if self.size != tuple(value.size()):
            raise Unsupported("an output whose size changed while it was captured")

    def fills_storage(self) -> bool:
        """Every element of the storage belongs to this tensor, once."""
        if self.example is None or self.offset or dense_order(self.example) is None:
            return False
        return self.example.numel() * self.example.itemsize == self.example.untyped_storage().nbytes()


def _is_static(value: torch.Tensor) -> bool:
    numbers = [*value.size(), *value.stride(), value.storage_offset()]
    return all(isinstance(n, int) for n in numbers)


def signature(
    gm: torch.fx.GraphModule,
    output: Any,
    arguments: Sequence[Any],
    wrapped: Sequence[FunctionalTensor],
    values: Sequence[torch.Tensor],
    root: Symbol,
    state: _State,
) -> dict[str, Any]:
    """Results, outputs and mutations of a function whose body has just been traced."""
    placeholders = [n for n in gm.graph.nodes if n.op == "placeholder"]
    output_node = next(n for n in gm.graph.nodes if n.op == "output")
    builder = _Signature(placeholders, arguments, root, state)
    mutations = builder.find_mutations(wrapped, values)
    leaves, nodes = _flat(output), _flat(output_node.args[0])
    outputs = builder.outputs(gm, leaves, nodes)
    for mutation in mutations:
        mutation.result = builder.mutated_result(mutation)
    return {
        "values": [_capture.functional_value(t) for t in builder.tensors],
        "results": builder.results,
        "outputs": outputs,
        "mutations": mutations,
    }


def _flat(tree: Any) -> list[Any]:
    if not isinstance(tree, tuple | list):
        return [tree]
    return [leaf for item in tree for leaf in (_flat(item) if isinstance(item, tuple | list) else [item])]


class _Signature:
    def __init__(self, placeholders: list[Node], arguments: Sequence[Any], root: Symbol, state: _State) -> None:
        self.placeholders = placeholders
        self.arguments = arguments
        self.root = root
        self.state = state
        self.tensors: list[torch.Tensor] = []
        self.results: list[Result] = []
        self.by_tensor: dict[int, int] = {}
        self.mutated: set[int] = set()
        self.inputs: dict[int, int] = {}
        for position, value in enumerate(arguments):
            if isinstance(value, FunctionalTensor):
                self.inputs.setdefault(_capture._functional_storage(value), position)

    def find_mutations(self, wrapped: Sequence[FunctionalTensor], values: Sequence[torch.Tensor]) -> list[Mutation]:
        """Inputs whose value changed; those whose size or strides changed are left to eager."""
        found = []
        self.state.flush(self.root, wrapped)
        given = {id(w): v for w, v in zip(wrapped, values, strict=True)}
        for position, value in enumerate(self.arguments):
            if not isinstance(value, FunctionalTensor):
                continue
            original = given[id(value)]
            if tuple(value.size()) != tuple(original.size()):
                raise Unsupported("an in-place change of an input's shape")
            example = self.placeholders[position].meta.get("example_value")
            if isinstance(example, torch.Tensor) and _is_static(example) and example.dim() == original.dim():
                if tuple(example.stride()) != tuple(original.stride()):
                    raise Unsupported("an in-place change of an input's strides")
            if _capture.functional_value(value) is not original:
                storage = _capture._functional_storage(value)
                self.mutated.add(storage)
                found.append(_capture.Mutation(position, -1, self.state.written.get(storage, False)))
        for w in wrapped[sum(isinstance(a, FunctionalTensor) for a in self.arguments):]:
            if _capture.functional_value(w) is not given[id(w)]:
                raise Unsupported("an in-place change of a tensor that the graph owns")
        return found

    def outputs(self, gm: torch.fx.GraphModule, leaves: Sequence[Any], nodes: Sequence[Any]) -> list[Output]:
        """How each output is made; computed results are appended to `results`."""
        tensors = [v for v in leaves if isinstance(v, FunctionalTensor)]
        self.state.flush(self.root, tensors)
        groups: dict[int, list[int]] = {}
        for i, value in enumerate(leaves):
            if isinstance(value, FunctionalTensor):
                groups.setdefault(_capture._functional_storage(value), []).append(i)
        bases = {storage: self._base(leaves, nodes, members, storage) for storage, members in groups.items()}
        outputs = []
        for i, value in enumerate(leaves):
            if isinstance(value, FunctionalTensor):
                storage = _capture._functional_storage(value)
                outputs.append(self._output(value, nodes[i], storage, bases[storage], leaves, nodes))
            elif isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool | torch.Tensor):
                raise Unsupported(f"an output of type {type(value).__name__}")
            else:
                outputs.append(_capture.Output("constant", value=value))
        return outputs

    def _base(self, leaves: Sequence[Any], nodes: Sequence[Any], members: list[int], storage: int) -> int | None:
        """Of several outputs in one storage, the one that the others are views of."""
        distinct = {id(leaves[i]) for i in members}
        if storage in self.inputs or len(distinct) == 1:
            return None
        full = [i for i in members if self._geometry(leaves[i], nodes[i], storage).fills_storage()]
        if not full:
            return None
        return next((i for i in full if self._geometry(leaves[i], nodes[i], storage).requires_grad), full[0])

    def _geometry(self, value: torch.Tensor, node: Any, storage: int) -> Geometry:
        return Geometry(value, node, storage in self.state.written)

    def _output(self, value: FunctionalTensor, node: Any, storage: int, base: int | None, leaves: Sequence[Any],
                nodes: Sequence[Any]) -> Output:
        geometry = self._geometry(value, node, storage)
        wants = geometry.requires_grad
        position = self.inputs.get(storage)
        if position is not None:
            argument = self.arguments[position]
            if value is argument:
                return _capture.Output("input", position, requires_grad=wants)
            same = next((p for p, a in enumerate(self.arguments) if a is value), None)
            if same is not None:
                return _capture.Output("input", same, requires_grad=wants)
            if value.dtype != argument.dtype or not geometry.exact:
                raise Unsupported("an output that is a view of an input in another dtype, or of unknown strides")
            start = self._geometry(argument, self.placeholders[position], storage).offset
            return _capture.Output("view_of_input", position, None, geometry.size, geometry.stride,
                                   geometry.offset - start, wants)
        if base is None or leaves[base] is value:
            return _capture.Output("result", self._result(value, geometry), requires_grad=wants)
        whole = self._geometry(leaves[base], nodes[base], storage)
        if value.dtype != leaves[base].dtype:
            return _capture.Output("result", self._result(value, geometry), requires_grad=wants)
        index = self._result(leaves[base], whole)
        return _capture.Output("view_of_result", index, None, geometry.size, geometry.stride, geometry.offset, wants)

    def _result(self, value: FunctionalTensor, geometry: Geometry, mutated: int | None = None) -> int:
        """The number of the result that holds a value."""
        key = id(value)
        if mutated is None and key in self.by_tensor:
            return self.by_tensor[key]
        index = len(self.results)
        wants = geometry.requires_grad and value.dtype.is_floating_point
        self.results.append(
            _capture.Result(_capture.node_of(value), _capture.functional_value(value), mutated, wants, geometry.stride)
        )
        self.tensors.append(value)
        if mutated is None:
            self.by_tensor[key] = index
        return index

    def mutated_result(self, mutation: Mutation) -> int:
        """A result with the new value of an input."""
        value = self.arguments[mutation.position]
        geometry = self._geometry(value, self.placeholders[mutation.position], _capture._functional_storage(value))
        index = self._result(value, geometry, mutation.position)
        # The new value is copied into the input, whatever its strides.
        self.results[index].stride = tuple(self.results[index].fake.stride())
        if mutation.under_no_grad:
            self.results[index].requires_grad = False
        return index
