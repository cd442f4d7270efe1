"""From Dynamo's graph to functional ATen operators, grouped by the symbol that made them.

Dynamo's graph is run by an interpreter under `make_fx` and `FunctionalTensorMode` on fresh fake tensors of the sizes
of this call: mutation and aliasing become values, composite operators become the ATen operators that they call. Each
node of Dynamo's graph is a *symbol*; the ATen nodes that it produced are its decomposition. Nothing is differentiated
here: grad modes, detach, checkpoint regions and custom autograd functions are kept for the compiler.

What cannot be captured raises `Unsupported`; the backend then runs the graph in eager PyTorch.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import operator
import os
import re
import sysconfig
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch._higher_order_ops.effects import has_effects
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch._subclasses.functional_tensor import FunctionalTensor, FunctionalTensorMode, PythonFunctionalizeAPI
from torch.fx.experimental.proxy_tensor import get_proxy_mode, get_proxy_slot, make_fx
from torch.utils._pytree import tree_leaves

from .attention import efficient_attention
from .devices import common_device
from .dtypes import element_name
from .errors import Unsupported

Node = torch.fx.Node


@dataclasses.dataclass(eq=False)
class Symbol:
    """One node of Dynamo's graph (or a region of it) and the ATen nodes under it."""

    kind: str  # "root", "bsym", "checkpoint", "custom_grad", "primal", "backward"
    name: str
    location: tuple[str, int]
    grad_enabled: bool = True
    items: list[Node | Symbol] = dataclasses.field(default_factory=list)
    #: custom_grad only: nodes of the operands, the results, the values saved for the backward, the cotangents that
    #: stand for the results' (None where a result has none), and the gradients per operand (None where none).
    operands: list[Node] = dataclasses.field(default_factory=list)
    results: list[Node] = dataclasses.field(default_factory=list)
    saved: list[Node] = dataclasses.field(default_factory=list)
    cotangents: list[Node | None] = dataclasses.field(default_factory=list)
    gradients: list[Node | None] = dataclasses.field(default_factory=list)
    non_differentiable: list[int] = dataclasses.field(default_factory=list)

    def nodes(self) -> Iterator[Node]:
        """All ATen nodes under this symbol, in order."""
        for item in self.items:
            if isinstance(item, Symbol):
                yield from item.nodes()
            else:
                yield item


@dataclasses.dataclass
class Argument:
    """One tensor argument of the captured function."""

    node: Node
    fake: torch.Tensor
    position: int | None  # among Dynamo's inputs; None for a constant of the graph
    kind: str  # "input", "parameter", "buffer", "constant"
    name: str
    requires_grad: bool


@dataclasses.dataclass
class Output:
    """How one output of Dynamo's graph is made from what the compiled function returns.

    kind "constant": `value` itself. "result": result number `index`. "input": the input at position `index`, itself.
    "view_of_input": `size`, `stride`, `offset` (relative to the input's) of the input at position `index`.
    "view_of_result": the same of result number `index`.
    """

    kind: str
    index: int = -1
    value: Any = None
    size: tuple[int, ...] = ()
    stride: tuple[int, ...] = ()
    offset: int = 0
    requires_grad: bool = False


@dataclasses.dataclass
class Result:
    """One result of the captured function."""

    node: Node
    fake: torch.Tensor
    mutated: int | None  # the argument that receives the value
    requires_grad: bool
    stride: tuple[int, ...]


@dataclasses.dataclass
class Mutation:
    """The new value of an input, written back after the call."""

    position: int  # among Dynamo's inputs
    result: int
    under_no_grad: bool


@dataclasses.dataclass
class Captured:
    """A captured function: ATen nodes by symbol, and its signature."""

    root: Symbol
    arguments: list[Argument]
    results: list[Result]
    outputs: list[Output]
    mutations: list[Mutation]
    fake_mode: FakeTensorMode
    grad_enabled: bool
    #: The function takes a seed, for random prims.
    uses_random: bool = False
    #: It draws random numbers, from the seed or from LibTorch's generator: another run gives other results.
    draws: bool = False
    #: Dynamo's inputs, tensors and numbers.
    num_inputs: int = 0
    graph: torch.fx.GraphModule | None = None
    #: An operator of it does more than to give its results.
    has_effects: bool = False
    #: Of the inputs, and of all results of its operators.
    device: torch.device = torch.device("cpu")


_TORCH_ROOT = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
_STDLIB_ROOT = sysconfig.get_paths()["stdlib"] + os.sep
_FRAME = re.compile(r'File "([^"]+)", line (\d+)')


def user_location(node: Node) -> tuple[str, int]:
    """The innermost line of the user's own code that a node comes from."""
    frames = _FRAME.findall(node.meta.get("stack_trace") or "")
    for file, line in reversed(frames):
        if not file.startswith(_TORCH_ROOT):
            return file, int(line)
    return (frames[-1][0], int(frames[-1][1])) if frames else ("", 0)


def symbol_name(node: Node) -> str:
    """What the user called: torch.nn.functional.linear, Tensor.view, operator.add."""
    target = node.target
    if node.op == "call_method":
        return f"Tensor.{target}"
    name = getattr(target, "__name__", str(target))
    module = getattr(target, "__module__", None) or ""
    if isinstance(target, torch._ops.OpOverload):
        return str(target)
    if module in ("_operator", "builtins"):
        return f"operator.{name}"
    if module in ("torch._C._nn", "torch._C._nn."):
        return f"torch.nn.functional.{name}"
    if not module or module.startswith("torch._C"):
        return f"torch.{name}"
    return f"{module}.{name}"


def functional_value(tensor: torch.Tensor) -> torch.Tensor:
    """The current value of a functional tensor, with all pending writes applied."""
    if not isinstance(tensor, FunctionalTensor):
        return tensor
    torch._sync(tensor)
    return torch._from_functional_tensor(tensor.elem)


def node_of(tensor: torch.Tensor) -> Node:
    """The ATen node that made a (functional or fake) tensor."""
    mode = get_proxy_mode()
    assert mode is not None
    slot = get_proxy_slot(functional_value(tensor), mode.tracer, None)
    if slot is None:
        raise Unsupported("a tensor that no traced operator made")
    return slot.proxy.node


class _FunctionalMode(FunctionalTensorMode):
    """Operators with side effects are recorded where they stand, as every other: their order is the graph's, which needs
    none of the tokens that AOTAutograd threads through them."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if not isinstance(func, torch._ops.OpOverload) or not has_effects(func):
            return super().__torch_dispatch__(func, types, args, kwargs)
        context = PythonFunctionalizeAPI()
        args, kwargs = context.unwrap_tensors(args), context.unwrap_tensors(kwargs or {})
        with context.redispatch_to_next():
            return context.wrap_tensors(func(*args, **kwargs))


class _Mutations:
    """Which storages have tensors that require grad, by Dynamo's own fake tensors."""

    def __init__(self, gm: torch.fx.GraphModule) -> None:
        self.tracked: set[int] = set()
        for module in gm.modules():
            if not isinstance(module, torch.fx.GraphModule):
                continue
            for node in module.graph.nodes:
                for value in tree_leaves(node.meta.get("example_value")):
                    if isinstance(value, torch.Tensor) and value.requires_grad:
                        self.tracked.add(_storage_key(value))

    def hidden(self, value: Any) -> bool:
        """A write to this tensor that autograd does not see, although the storage takes part in differentiation."""
        return isinstance(value, torch.Tensor) and _storage_key(value) in self.tracked


def _storage_key(value: torch.Tensor) -> int:
    try:
        return value.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):
        return id(value)


class _Interpreter(torch.fx.Interpreter):
    """Runs Dynamo's graph on functional tensors and notes which ATen nodes each of its nodes produced."""

    def __init__(self, gm: torch.fx.GraphModule, parent: Symbol, state: _State) -> None:
        super().__init__(gm)
        self.parent = parent
        self.state = state

    def run_node(self, n: Node) -> Any:
        if n.op == "get_attr":
            return self.state.attribute(super().run_node(n))
        if n.op not in ("call_function", "call_method"):
            if n.op == "call_module":
                raise Unsupported(f"a call of the module {n.target}", _text(user_location(n)))
            return super().run_node(n)
        location = user_location(n)
        try:
            return self._run_symbol(n, location)
        except Unsupported as error:
            if not error.where and location[0]:
                raise Unsupported(error.what, _text(location)) from error
            raise

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        # Which operator PyTorch takes for attention depends on the GPU; some give numbers that no tensor holds.
        if self.state.device.type == "cuda" and target is torch.nn.functional.scaled_dot_product_attention:
            target = efficient_attention
        return super().call_function(target, args, kwargs)

    def _run_symbol(self, n: Node, location: tuple[str, int]) -> Any:
        if isinstance(n.target, torch._ops.HigherOrderOperator) and not _in_functorch():
            return self._run_higher_order(n, location)
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        tensors = [t for t in tree_leaves((args, kwargs)) if isinstance(t, FunctionalTensor)]
        self._check_strides(n)
        # Writes of earlier symbols reach views of theirs now, not inside this symbol.
        self.state.flush(self.parent, tensors)
        before = [functional_value(t) for t in tensors]
        grad_enabled = torch.is_grad_enabled()
        if _is_changing_float(n):
            if not tensors:
                return args[0]  # its value is compiled in
            # Dynamo wraps it as a 0-d f64 tensor, and so it stays.
            return tensors[0]
        result = self._as_expected(n, super().run_node(n))
        symbol = Symbol("bsym", symbol_name(n), location, grad_enabled)
        written = [t for t, old in zip(tensors, before, strict=True) if functional_value(t) is not old]
        hidden = self._check_written(n, grad_enabled) if written else None
        if written:
            self.state.note_written(written, grad_enabled)
        self.state.collect(symbol)
        if symbol.items:
            self.parent.items.append(symbol)
        if hidden is not None:
            self._assign(tensors, before, hidden, location)
        self._check_value(n, result)
        return result

    def _check_strides(self, n: Node) -> None:
        """An operator that reads by strides must see eager's: a value written to has the strides of its new data."""
        if "as_strided" not in symbol_name(n):
            return
        for argument in n.all_input_nodes:
            value, example = self.env.get(argument), argument.meta.get("example_value")
            if not isinstance(value, FunctionalTensor) or not isinstance(example, torch.Tensor):
                continue
            now = functional_value(value)
            if tuple(now.stride()) != tuple(example.stride()) or now.storage_offset() != example.storage_offset():
                raise Unsupported("as_strided of a tensor whose strides were changed by a write")

    @staticmethod
    def _as_expected(n: Node, result: Any) -> Any:
        """A 0-d result that a wrapped Python float made f64, in the dtype that eager gives."""
        expected = n.meta.get("example_value")
        if not isinstance(result, FunctionalTensor) or not isinstance(expected, torch.Tensor):
            return result
        if result.dtype == expected.dtype:
            return result
        if result.dtype == torch.float64 and result.dim() == 0 and expected.dtype.is_floating_point:
            return result.to(expected.dtype)
        raise Unsupported(f"a result of {result.dtype} where {expected.dtype} is expected")

    def _check_written(self, n: Node, grad_enabled: bool) -> FunctionalTensor | None:
        """The tensor whose data changed behind autograd's back, if any; what has no translation is left to eager."""
        for argument in n.all_input_nodes:
            value = argument.meta.get("example_value")
            if not isinstance(value, torch.Tensor) or not _written_by(n, argument):
                continue
            if (not grad_enabled or not value.requires_grad) and self.state.mutations.hidden(value):
                if grad_enabled or not value.requires_grad:
                    raise Unsupported("an in-place operation on a detached view of data that requires grad")
                return self.env[argument]
        return None

    def _assign(self, tensors: Sequence[FunctionalTensor], before: Sequence[torch.Tensor], written: FunctionalTensor,
                location: tuple[str, int]) -> None:
        """Gives a tensor written under no_grad its old history back (aten/assign.py)."""
        index = next(i for i, t in enumerate(tensors) if t is written)
        old = FunctionalTensor.to_functional(before[index])
        written.copy_(torch.ops.torch_trace.assign(old, written.clone()))
        functional_value(written)
        symbol = Symbol("bsym", "", location, True)
        self.state.collect(symbol)
        self.parent.items.append(symbol)

    def _check_value(self, n: Node, result: Any) -> None:
        for value in tree_leaves(result):
            if isinstance(value, torch.Tensor):
                if value.device != self.state.device and value.device.type != "meta":
                    raise Unsupported(f"tensors on {value.device} in a graph on {self.state.device}")
                if value.layout != torch.strided or value.is_quantized:
                    raise Unsupported(f"tensors of layout {value.layout}")
                if element_name(value.dtype) is None or value.dtype.is_complex:
                    raise Unsupported(f"tensors of {value.dtype}")
            elif isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool):
                raise Unsupported("a size or number that depends on data")

    # ---- higher-order operators

    def _run_higher_order(self, n: Node, location: tuple[str, int]) -> Any:
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        name = n.target.name() if callable(getattr(n.target, "name", None)) else str(n.target)
        tensors = [t for t in tree_leaves((args, kwargs)) if isinstance(t, FunctionalTensor)]
        self.state.flush(self.parent, tensors)
        if "autograd_function_apply" in name:
            return self._run_custom_grad(n, args, kwargs, location)
        if "tag_activation_checkpoint" in name:
            return self._run_inline("checkpoint", args[0], args[1:], location)
        if "wrap_with_set_grad_enabled" in name:
            with torch.set_grad_enabled(args[0]):
                return self._run_inline("bsym", args[1], args[2:], location)
        if name.endswith("invoke_subgraph"):
            return self._run_inline("bsym", args[0], args[2:], location)
        raise Unsupported(f"the higher-order operator {name}")

    def _run_inline(self, kind: str, body: Any, args: Sequence[Any], location: tuple[str, int]) -> Any:
        if kind == "bsym":
            return _Interpreter(body, self.parent, self.state).run(*args)
        symbol = Symbol(kind, kind, location, torch.is_grad_enabled())
        self.parent.items.append(symbol)
        return _Interpreter(body, symbol, self.state).run(*args)

    def _run_custom_grad(self, n: Node, args: Sequence[Any], kwargs: dict[str, Any], location: tuple[str, int]) -> Any:
        forward, backward, *operands = args
        if kwargs.get("dirty_idx"):
            raise Unsupported("an autograd.Function with mark_dirty")
        grad_enabled = torch.is_grad_enabled()
        symbol = Symbol("custom_grad", "torch.autograd.Function", location, grad_enabled)
        before = [functional_value(t) for t in operands if isinstance(t, FunctionalTensor)]
        symbol.operands = [node_of(t) if isinstance(t, torch.Tensor) else None for t in operands]
        primal = Symbol("primal", "primal", location)
        with torch.no_grad():
            output, saved = _Interpreter(forward, primal, self.state).run(*operands)
            results = list(output) if isinstance(output, tuple | list) else [output]
            # A result of its own even where the function returns an input: its gradient is the user's.
            results = [torch.ops.aten.clone.default(r) if isinstance(r, torch.Tensor) else r for r in results]
            self.state.collect(primal)
            skipped = set(kwargs.get("non_differentiable_idx", ()))
            cotangents = [self._cotangent(r, i in skipped) for i, r in enumerate(results)]
            symbol.cotangents = [c if c is None else node_of(c) for c in cotangents
                                 if c is None or isinstance(c, torch.Tensor)]
            self.state.collect(Symbol("dropped", "", location))
            body = Symbol("backward", "backward", location)
            given = [c if c is not None else self._absent(r) for c, r in zip(cotangents, results, strict=True)]
            gradients = _Interpreter(backward, body, self.state).run(*given, *saved)
            gradients = list(gradients) if isinstance(gradients, tuple | list) else [gradients]
            self.state.collect(body)
        after = [functional_value(t) for t in operands if isinstance(t, FunctionalTensor)]
        if any(a is not b for a, b in zip(before, after, strict=True)):
            raise Unsupported("an autograd.Function that changes its inputs in place")
        symbol.results = [node_of(r) for r in results if isinstance(r, torch.Tensor)]
        symbol.saved = [node_of(s) for s in tree_leaves(saved) if isinstance(s, torch.Tensor)]
        symbol.gradients = [node_of(g) if isinstance(g, torch.Tensor) else None for g in gradients]
        symbol.non_differentiable = [
            i for i, r in enumerate(r for r in results if isinstance(r, torch.Tensor))
            if not r.dtype.is_floating_point or i in skipped
        ]
        symbol.items = [primal, body]
        self.parent.items.append(symbol)
        return tuple(results) if isinstance(output, tuple | list) else results[0]

    @staticmethod
    def _cotangent(result: Any, skipped: bool) -> torch.Tensor | None:
        """A node that stands for a result's cotangent while the backward is traced."""
        if not isinstance(result, torch.Tensor) or skipped or not result.dtype.is_floating_point:
            return None
        return torch.empty_like(result)

    @staticmethod
    def _absent(result: Any) -> torch.Tensor | None:
        return torch.zeros_like(result) if isinstance(result, torch.Tensor) else None


class _State:
    """What the interpreters of one capture share."""

    def __init__(self, gm: torch.fx.GraphModule, mode: FakeTensorMode, device: torch.device) -> None:
        self.mode = mode
        self.device = device
        self.mutations = _Mutations(gm)
        self.taken = 0
        self.constants: list[tuple[torch.Tensor, FunctionalTensor]] = []
        self.attributes: dict[int, Any] = {}
        self.written: dict[int, bool] = {}  # storage of the functional tensor -> every write was under no_grad
        self.constant_source: Any = None

    def collect(self, symbol: Symbol) -> None:
        """Gives a symbol the ATen nodes made since the last call."""
        mode = get_proxy_mode()
        assert mode is not None
        nodes = mode.tracer.graph.nodes
        total = len(nodes)
        if total > self.taken:
            fresh = list(itertools.islice(reversed(nodes), total - self.taken))
            symbol.items.extend(n for n in reversed(fresh) if n.op in ("call_function", "get_attr"))
            self.taken = total

    def flush(self, parent: Symbol, tensors: Sequence[FunctionalTensor]) -> None:
        """Applies pending writes to views, as plain nodes of the parent."""
        for tensor in tensors:
            torch._sync(tensor)
        holder = Symbol("bsym", "", ("", 0))
        self.collect(holder)
        parent.items.extend(holder.items)

    def note_written(self, tensors: Sequence[FunctionalTensor], grad_enabled: bool) -> None:
        for tensor in tensors:
            key = _functional_storage(tensor)
            self.written[key] = self.written.get(key, True) and not grad_enabled

    def attribute(self, value: Any) -> Any:
        """Tensors that the graph owns are further inputs."""
        if not isinstance(value, torch.Tensor):
            return value
        if id(value) not in self.attributes:
            self.attributes[id(value)] = self.constant_source(value)
        return self.attributes[id(value)]


def _is_changing_float(n: Node) -> bool:
    """Reads a Python float that may change from call to call."""
    return n.target == "item" and isinstance(n.meta.get("example_value"), torch.SymFloat)


def changing_floats(gm: torch.fx.GraphModule) -> list[int]:
    """Positions of the inputs that are Python floats which may change from call to call, wrapped as 0-d f64 tensors."""
    return [i for i, n in enumerate(n for n in gm.graph.nodes if n.op == "placeholder")
            if n.users and all(_is_changing_float(user) for user in n.users)]


def _functional_storage(tensor: FunctionalTensor) -> int:
    return tensor.untyped_storage()._cdata


def _in_functorch() -> bool:
    """Inside vmap, grad, jvp..: a custom function is then applied by functorch itself."""
    return torch._C._functorch.peek_interpreter_stack() is not None


def _written_by(n: Node, argument: Node) -> bool:
    """Whether the node writes to the argument: its first, or one named out."""
    return (n.args and n.args[0] is argument) or n.kwargs.get("out") is argument


def _text(location: tuple[str, int]) -> str:
    return f"{location[0]}:{location[1]}" if location[0] else ""


# ---- inputs

_PARAMETER = re.compile(r"_(parameters|buffers)\['([^']+)'\]$|_(parameters|buffers)\.([\w.]+)$")
_MODULE = re.compile(r"_modules(?:\['([^']+)'\]|\.(\w+))")


def _describe(node: Node, value: Any) -> tuple[str, str]:
    """(kind, name) of a placeholder: the module's name of a parameter or buffer, the user's name of an input."""
    source = getattr(node, "_dynamo_source", None)
    text = ""
    if source is not None:
        text = source.name if isinstance(source.name, str) else source.name()
    path = [a or b for a, b in _MODULE.findall(text)]
    found = _PARAMETER.search(text)
    is_parameter = isinstance(value, torch.nn.Parameter) or "_parameters" in text
    if found:
        leaf = found.group(2) or found.group(4)
        return ("parameter" if is_parameter else "buffer"), ".".join([*path, leaf])
    if is_parameter:
        return "parameter", ".".join([*path, re.sub(r"\W+", "_", text.split(".")[-1]) or node.name])
    local = re.fullmatch(r"L\['(\w+)'\]", text)
    return "input", local.group(1) if local else node.name


def fake_input(mode: FakeTensorMode, tensor: torch.Tensor) -> torch.Tensor:
    """A fake tensor of the same size, strides, offset and dtype, without history."""
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter, FakeTensor, torch.nn.Buffer):
        raise Unsupported(f"tensors of the class {type(tensor).__name__}")
    if tensor.layout != torch.strided or tensor.is_quantized or tensor.is_nested:
        raise Unsupported(f"tensors of layout {tensor.layout}")
    if element_name(tensor.dtype) is None or tensor.dtype.is_complex:
        raise Unsupported(f"tensors of {tensor.dtype}")
    with mode:
        size, stride = tuple(map(int, tensor.size())), tuple(map(int, tensor.stride()))
        offset = int(tensor.storage_offset())
        if not offset:
            return torch.empty_strided(size, stride, dtype=tensor.dtype, device=tensor.device)
        extent = 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True)) if 0 not in size else 0
        base = torch.empty((offset + extent,), dtype=tensor.dtype, device=tensor.device)
        return base.as_strided(size, stride, offset)


def capture(gm: torch.fx.GraphModule, inputs: Sequence[Any], constants: list[torch.Tensor]) -> Captured:
    """Captures Dynamo's graph for these inputs (tensors by their metadata, ints by value).

    Tensors that the graph module owns are appended to `constants`, in the order of their arguments.
    """
    placeholders = [n for n in gm.graph.nodes if n.op == "placeholder"]
    mode = FakeTensorMode(allow_non_fake_inputs=False)
    owned = _owned_tensors(gm)
    device = common_device([x for x in [*inputs, *owned] if isinstance(x, torch.Tensor)])
    state = _State(gm, mode, device)
    grad_enabled = torch.is_grad_enabled()
    flat: list[Any] = [fake_input(mode, x) if isinstance(x, torch.Tensor) else x for x in inputs]
    constants.extend(owned)
    tensors = [x for x in flat if isinstance(x, torch.Tensor)]
    fakes = tensors + [fake_input(mode, c) for c in owned]
    root = Symbol("root", "", ("", 0), grad_enabled)
    found: dict[str, Any] = {}

    def run(*values: torch.Tensor) -> list[torch.Tensor]:
        with _FunctionalMode():
            wrapped = [FunctionalTensor.to_functional(v) for v in values]
            by_identity = {id(c): w for c, w in zip(owned, wrapped[len(tensors):], strict=True)}
            state.constant_source = lambda value: by_identity[id(value)]
            state.collect(Symbol("dropped", "", ("", 0)))
            remaining = iter(wrapped)
            arguments = [next(remaining) if isinstance(x, torch.Tensor) else x for x in flat]
            output = _Interpreter(gm, root, state).run(*arguments)
            found.update(_signature(gm, output, arguments, wrapped, values, root, state))
        return found["values"]

    autocast_cache = torch.is_autocast_cache_enabled()
    try:
        torch.set_autocast_cache_enabled(False)
        # cuDNN's batch norm writes the running statistics without saying so in its schema; the one that does is compiled.
        cudnn = torch.backends.cudnn.flags(enabled=False) if device.type == "cuda" else contextlib.nullcontext()
        with mode, cudnn, torch._dynamo.utils.preserve_rng_state(), torch.set_grad_enabled(grad_enabled):
            graph = make_fx(run, tracing_mode="real")(*fakes)
    finally:
        torch.set_autocast_cache_enabled(autocast_cache)
    nodes = [n for n in graph.graph.nodes if n.op == "placeholder"]
    arguments = []
    positions = [i for i, x in enumerate(flat) if isinstance(x, torch.Tensor)]
    for k, (node, fake) in enumerate(zip(nodes, fakes, strict=True)):
        if k < len(positions):
            placeholder = placeholders[positions[k]]
            example = placeholder.meta.get("example_value")
            kind, name = _describe(placeholder, example)
            given = inputs[positions[k]]
            wants = grad_enabled and given.requires_grad and fake.dtype.is_floating_point
            arguments.append(Argument(node, fake, positions[k], kind, name, wants))
        else:
            arguments.append(Argument(node, fake, None, "constant", f"constant{k - len(positions)}", False))
    from .aten.random import draws, is_random

    captured = Captured(root, arguments, found["results"], found["outputs"], found["mutations"], mode, grad_enabled)
    captured.uses_random = any(is_random(n) for n in root.nodes())
    captured.draws = any(draws(n) for n in root.nodes())
    captured.num_inputs = len(flat)
    captured.graph = graph
    captured.device = device
    captured.has_effects = any(isinstance(n.target, torch._ops.OpOverload) and bool(has_effects(n.target))
                               for n in root.nodes())
    return captured


def _owned_tensors(gm: torch.fx.GraphModule) -> list[torch.Tensor]:
    """Tensors that `get_attr` nodes of the graph and of its bodies name."""
    result: dict[int, torch.Tensor] = {}
    for module in gm.modules():
        if not isinstance(module, torch.fx.GraphModule):
            continue
        for node in module.graph.nodes:
            if node.op == "get_attr":
                value = operator.attrgetter(node.target)(module)
                if isinstance(value, torch.Tensor):
                    result[id(value)] = value
    return list(result.values())


from .signature import signature as _signature  # noqa: E402
