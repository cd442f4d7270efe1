"""Running a compiled graph: arguments to handles, results to what the user sees, and autograd around it.

One `torch.autograd.Function` per compiled graph. Its backward is specialised to the cotangents that are defined; saved
values go through `save_for_backward`, so that eager's version checks, saved-tensor hooks and freeing apply to them.
Views, inputs that are outputs and writes to inputs are done here, around the compiled functions, as eager does them.
"""

from __future__ import annotations

import operator
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import torch

from . import _C, config, cuda_graphs
from .capture import Captured, Output
from .errors import CompileError, DoubleBackwardError
from .reach import reached_by

_to_handles = torch._C._aoti.unsafe_alloc_void_ptrs_from_tensors
_to_tensors = torch._C._aoti.alloc_tensors_by_stealing_from_void_ptrs
_is_grad_enabled = torch.is_grad_enabled
_in_transform = torch._C._are_functorch_transforms_active
_reference = weakref.ref
_identity = operator.attrgetter("_cdata")
_version = operator.attrgetter("_version")

#: Weak references to a call's inputs and their versions (None where there are none: inference tensors).
Inputs = tuple[list[Any], list[int] | None]


class Executable:
    """A graph for one set of sizes: callable on Dynamo's inputs, gives Dynamo's outputs."""

    def __init__(
        self,
        captured: Captured,
        compiled: Any,
        constants: Sequence[torch.Tensor],
        eager: Callable[..., Any],
        use_graphs: bool = False,
    ) -> None:
        self.compiled = compiled
        self.eager = eager
        self.constants = list(constants)
        self.positions = [a.position for a in captured.arguments if a.position is not None]
        self.uses_random = captured.uses_random
        self.draws = captured.draws
        self.device = captured.device
        self.shapes = [(tuple(a.fake.shape), a.fake.dtype) for a in captured.arguments]
        if self.uses_random:
            self.shapes.append(((), torch.int64))
        self.reached = reached_by(captured)
        self.outputs = captured.outputs
        self.mutations = captured.mutations
        self.results = captured.results
        self.num_results = len(captured.results)
        self.all_plain = (
            not captured.mutations
            and len(captured.outputs) == self.num_results
            and all(o.kind == "result" and o.index == i for i, o in enumerate(captured.outputs))
        )
        self.argument_of_position = {p: i for i, p in enumerate(self.positions)}
        self.mutated_arguments = [self.argument_of_position[m.position] for m in self.mutations]
        self.differentiable = bool(compiled.has_backward) or any(r.requires_grad for r in captured.results)
        self.graphs: cuda_graphs.Graphs | None = None
        if use_graphs:
            fixed = [a.kind in ("parameter", "buffer", "constant") and i not in self.mutated_arguments
                     for i, a in enumerate(captured.arguments)]
            self.graphs = cuda_graphs.Graphs(captured, self._code, self._compute, self._gradients,
                                             [*fixed, *[False] * int(self.uses_random)])
        self.apply = self._make_apply() if self.differentiable else None
        self.copied: frozenset[int] | None = None
        #: Dynamo's inputs are the compiled function's arguments, all of them and in order.
        self.arguments_as_given = self.positions == list(range(captured.num_inputs)) and not self.constants

    # ---- calls

    def __call__(self, *args: Any) -> Sequence[Any]:
        tensors: Sequence[torch.Tensor] = args
        if not self.arguments_as_given:
            tensors = [*[args[p] for p in self.positions], *self.constants]
        if self.mutations and _overlapping(tensors, self.mutated_arguments):
            return self.eager(*args)
        if self.uses_random:
            tensors = [*tensors, torch.empty((), dtype=torch.int64, device=self.device).random_()]
        if self.apply is not None and _is_grad_enabled():
            results = self.apply(*tensors)
        else:
            replay = self.graphs.forward(tensors) if self.graphs is not None else None
            results = replay.results if replay is not None else self._run(tensors)
            if len(results) != self.num_results:
                del results[self.num_results:]
        if self.all_plain:
            return results
        return self._finish(args, results)

    def _code(self) -> str:
        """What has been compiled so far."""
        return dict(self.compiled.stages)["lowered"]

    def _compute(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Results and saved values, as the compiled forward gives them."""
        return _to_tensors(self.compiled.forward(_to_handles(tensors)))

    def _gradients(self, mask: list[bool], arguments: Sequence[torch.Tensor]) -> list[torch.Tensor | None]:
        """Of the arguments that have one, as the compiled backward gives them; None for zero."""
        handles = self.compiled.backward(mask, _to_handles(arguments))
        # All at once: PyTorch's function for a single handle keeps a reference for ever (2.13).
        made = iter(_to_tensors([h for h in handles if h is not None]))
        return [None if h is None else next(made) for h in handles]

    def _run(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Results and saved values. No result shares memory with an argument or another."""
        values = self._compute(tensors)
        if self.copied is None:
            self.copied = _shared(values[: self.num_results], tensors)
        if self.copied:
            for i in self.copied:
                values[i] = values[i].clone()
        return values

    def _finish(self, args: Sequence[Any], results: Sequence[torch.Tensor]) -> list[Any]:
        if self.mutations:
            self._write_back(args, results)
        return [self._output(output, args, results) for output in self.outputs]

    def _write_back(self, args: Sequence[Any], results: Sequence[torch.Tensor]) -> None:
        """New values of inputs. The inputs do not overlap, so their order is of no account."""
        targets, values = [], []
        for mutation in self.mutations:
            target, value = args[mutation.position], results[mutation.result]
            if mutation.under_no_grad or not value.requires_grad:
                targets.append(target)
                values.append(value)
            else:
                target.copy_(value)
        if targets:
            with torch.no_grad():
                torch._foreach_copy_(targets, values)

    @staticmethod
    def _output(output: Output, args: Sequence[Any], results: Sequence[torch.Tensor]) -> Any:
        if output.kind == "result":
            return results[output.index]
        if output.kind == "constant":
            return output.value
        if output.kind == "input":
            return args[output.index]
        base = args[output.index] if output.kind == "view_of_input" else results[output.index]
        if not output.requires_grad and base.requires_grad:
            base = base.detach()
        return base.as_strided(output.size, output.stride, base.storage_offset() + output.offset)

    # ---- autograd

    def _make_apply(self) -> Callable[..., tuple[torch.Tensor, ...]]:
        """The compiled function, with its compiled backward, as autograd's."""
        executable = self
        run, run_backward, graphs = self._run, self.compiled.backward, self.graphs
        num_results = self.num_results
        num_arguments = len(self.positions) + len(self.constants) + int(self.uses_random)
        plan = list(self.compiled.backward_arguments)
        gradient_arguments = list(self.compiled.gradient_arguments)
        non_differentiable = [i for i, r in enumerate(self.results) if not r.requires_grad]
        mutated = frozenset(self.mutated_arguments)
        # An argument that is written to after the call is kept with its old value.
        copied = sorted({i for kind, i in plan if kind == "argument" and i in mutated})
        # What is kept for the backward: positions in arguments ++ results ++ saved values. Cotangents come after it.
        start = {"argument": 0, "output": num_arguments, "saved": num_arguments + num_results}
        kept = [start[kind] + i for kind, i in plan if kind != "cotangent"]
        # Results whose numbers depend on no input require grad all the same where eager's do: their gradients are zero.
        differentiable = [i for i, d in enumerate(self.compiled.differentiable_outputs) if d]
        shapes, reached, device = self.shapes, self.reached, self.device
        # By which cotangents there are: the arguments whose gradient is zeros that the compiled backward does not give.
        zeros_of: dict[tuple[bool, ...], list[int]] = {}
        wanted_cotangents = [i for kind, i in plan if kind == "cotangent"]
        # Cotangents come in any layout; the compiled backward takes them in those of the results.
        dense_strides = [tuple(r.fake.stride()) for r in self.results]
        assert all(kind == "cotangent" for kind, _ in plan[len(kept):]), "cotangents are the backward's last arguments"

        class CompiledFunction(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, *tensors: torch.Tensor) -> Any:
                arguments: Sequence[torch.Tensor] = tensors
                if copied:
                    arguments = list(tensors)
                    for i in copied:
                        arguments[i] = arguments[i].clone()
                replay = graphs.forward(arguments) if graphs is not None else None
                if replay is None:
                    values = run(arguments)
                    results = values[:num_results]
                    everything = [*arguments, *values]
                else:
                    results = replay.results
                    everything = [*replay.arguments, *replay.values]
                    # A parameter is kept as itself: what is written to it before the backward is an error.
                    everything[:num_arguments] = [
                        given if given.data_ptr() == own.data_ptr() else own
                        for given, own in zip(arguments, replay.arguments, strict=True)
                    ]
                    ctx.generation = replay.generation
                    if kept:
                        graphs.keep_for(ctx)
                ctx.save_for_backward(*[everything[i] for i in kept])
                ctx.set_materialize_grads(False)
                if non_differentiable:
                    ctx.mark_non_differentiable(*[results[i] for i in non_differentiable])
                ctx.inputs = list(map(_reference, tensors)), _versions(tensors)
                return tuple(results)

            @staticmethod
            def backward(ctx: Any, *cotangents: torch.Tensor | None) -> Any:
                arguments = list(ctx.saved_tensors)
                if _is_grad_enabled():
                    return executable._double_backward(ctx.inputs, cotangents)
                num_kept = len(arguments)
                for i in wanted_cotangents:
                    cotangent = cotangents[i]
                    if cotangent is not None:
                        arguments.append(cotangent)
                result: list[torch.Tensor | None] = [None] * num_arguments
                mask = [c is not None for c in cotangents]
                if True not in mask:
                    return tuple(result)
                gradients: Sequence[Any] | None = None
                if any([mask[i] for i in differentiable]):
                    generation = getattr(ctx, "generation", None)
                    if graphs is not None:
                        graphs.count_backward(mask)
                    if generation is not None:
                        strides = [None] * num_kept
                        strides += [dense_strides[i] for i in wanted_cotangents if cotangents[i] is not None]
                        gradients = graphs.backward(generation, mask, arguments, strides)
                    if gradients is None:
                        try:
                            handles = run_backward(mask, _to_handles(arguments))
                        except _C.DiagnosticError as error:
                            return executable._eager_backward(ctx.inputs, cotangents, CompileError(str(error)))
                        # All at once: PyTorch's function for a single handle keeps a reference for ever (2.13).
                        given = iter(_to_tensors([h for h in handles if h is not None]))
                        gradients = [None if h is None else next(given) for h in handles]
                    for position, gradient in zip(gradient_arguments, gradients, strict=True):
                        result[position] = gradient
                zeros = zeros_of.get(key := tuple(mask))
                if zeros is None:
                    present = {i for i, there in enumerate(mask) if there}
                    zeros = zeros_of[key] = [i for i, by in enumerate(reached) if result[i] is None and by & present]
                for position in zeros:
                    shape, dtype = shapes[position]
                    result[position] = torch.zeros(shape, dtype=dtype, device=device)
                return tuple(result)

        # Function.apply without its Python: the wrapper only looks for functorch's transforms and dead wrappers of them.
        direct = super(torch.autograd.Function, CompiledFunction).apply

        def apply(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
            return CompiledFunction.apply(*tensors) if _in_transform() else direct(*tensors)

        return apply

    def _eager_backward(self, inputs: Inputs, cotangents: Sequence[torch.Tensor | None],
                        error: CompileError) -> Any:
        """Eager's gradients, where the compiler failed on the backward (`config.fallback`)."""
        if config.fallback == "error":
            raise error
        warnings.warn(f"torch_trace: a backward runs in eager PyTorch: {error}", stacklevel=2)
        try:
            with torch.enable_grad():
                gradients = self._double_backward(inputs, cotangents)
        except DoubleBackwardError:
            raise error from None
        return tuple(g if g is None else g.detach() for g in gradients)

    def _double_backward(self, inputs: Inputs, cotangents: Sequence[torch.Tensor | None]) -> Any:
        """Gradients that can be differentiated again: eager's, of the graph run once more on the same inputs."""
        if self.draws or self.mutations:
            raise DoubleBackwardError(
                "double backward through a compiled graph with random numbers or in-place changes of its inputs is "
                "not supported; use backend='eager' for this function"
            )
        references, versions = inputs
        tensors = [reference() for reference in references]
        if versions is None or any(t is None for t in tensors) or _versions(tensors) != versions:
            raise DoubleBackwardError(
                "double backward through a compiled graph needs its inputs, unchanged, until then: one of them is gone "
                "or was modified by an inplace operation"
            )
        args: list[Any] = list(self.template)
        for position, tensor in zip(self.positions, tensors, strict=False):
            args[position] = tensor
        outputs = self.eager(*args)
        pairs = []
        for output, value in zip(self.outputs, outputs, strict=True):
            if output.kind == "result" and output.requires_grad and cotangents[output.index] is not None:
                pairs.append((output.index, value))
        by_result = dict(pairs)
        wanted = [i for i, t in enumerate(tensors) if t.requires_grad]
        gradients = torch.autograd.grad(
            list(by_result.values()), [tensors[i] for i in wanted], [cotangents[i] for i in by_result],
            create_graph=True, allow_unused=True,
        )
        result: list[torch.Tensor | None] = [None] * len(tensors)
        for i, gradient in zip(wanted, gradients, strict=True):
            result[i] = gradient
        return tuple(result)

    #: Dynamo's inputs that are no tensors, by position.
    template: Sequence[Any] = ()
    #: The backend's Graph, kept for inspection.
    graph: Any = None


def _versions(tensors: Sequence[torch.Tensor]) -> list[int] | None:
    try:
        return list(map(_version, tensors))
    except RuntimeError:
        return None


def _overlapping(tensors: Sequence[torch.Tensor], mutated: Sequence[int]) -> bool:
    """A tensor that will be written to shares its storage with another argument."""
    storages = list(map(_identity, map(torch.Tensor.untyped_storage, tensors)))
    return len(set(storages)) != len(storages) and any(storages.count(storages[i]) > 1 for i in mutated)


def _shared(results: Sequence[torch.Tensor], arguments: Sequence[torch.Tensor]) -> frozenset[int]:
    """Results that share their storage with an argument or an earlier result: a copy is made of them."""
    taken = {t.untyped_storage().data_ptr() for t in arguments if t.numel()}
    shared = set()
    for i, result in enumerate(results):
        if not result.numel():
            continue
        pointer = result.untyped_storage().data_ptr()
        if pointer in taken:
            shared.add(i)
        taken.add(pointer)
    return frozenset(shared)
