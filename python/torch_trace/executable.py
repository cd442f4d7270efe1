"""Running a compiled graph: arguments to handles, results to what the user sees, and autograd around it.

One `torch.autograd.Function` per compiled graph. Its backward is specialised to the cotangents that are defined; saved
values go through `save_for_backward`, so that eager's version checks, saved-tensor hooks and freeing apply to them.
Views, inputs that are outputs and writes to inputs are done here, around the compiled functions, as eager does them.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import torch

from . import _C, config
from .capture import Captured, Output
from .errors import CompileError, DoubleBackwardError

_to_handles = torch._C._aoti.unsafe_alloc_void_ptrs_from_tensors
_to_tensors = torch._C._aoti.alloc_tensors_by_stealing_from_void_ptrs


class Executable:
    """A graph for one set of sizes: callable on Dynamo's inputs, gives Dynamo's outputs."""

    def __init__(
        self,
        captured: Captured,
        compiled: Any,
        constants: Sequence[torch.Tensor],
        eager: Callable[..., Any],
    ) -> None:
        self.compiled = compiled
        self.eager = eager
        self.constants = list(constants)
        self.positions = [a.position for a in captured.arguments if a.position is not None]
        self.uses_random = captured.uses_random
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
        self.differentiable = bool(compiled.has_backward)
        self.function = self._make_function() if self.differentiable else None
        self.copied: frozenset[int] | None = None

    # ---- calls

    def __call__(self, *args: Any) -> Sequence[Any]:
        positions = self.positions
        tensors = list(args) if len(positions) == len(args) else [args[p] for p in positions]
        if self.constants:
            tensors += self.constants
        if self.mutations and _overlapping(tensors, self.mutated_arguments):
            return self.eager(*args)
        if self.uses_random:
            tensors.append(torch.empty((), dtype=torch.int64).random_())
        if self.function is not None and torch.is_grad_enabled():
            results = self.function.apply(*tensors)
        else:
            results = self._run(tensors)[: self.num_results]
        if self.all_plain:
            return results
        return self._finish(args, results)

    def _run(self, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
        """Results and saved values."""
        values = _to_tensors(self.compiled.forward(_to_handles(tensors)))
        if self.copied is None:
            self.copied = _shared(values[: self.num_results], tensors)
        for i in self.copied:
            values[i] = values[i].clone()
        return values

    def _finish(self, args: Sequence[Any], results: Sequence[torch.Tensor]) -> list[Any]:
        for mutation in self.mutations:
            target, value = args[mutation.position], results[mutation.result]
            if mutation.under_no_grad or not value.requires_grad:
                with torch.no_grad():
                    target.copy_(value)
            else:
                target.copy_(value)
        return [self._output(output, args, results) for output in self.outputs]

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

    def _make_function(self) -> type[torch.autograd.Function]:
        executable = self
        compiled = self.compiled
        num_results = self.num_results
        plan = list(compiled.backward_arguments)
        gradient_arguments = list(compiled.gradient_arguments)
        wants = [r.requires_grad for r in self.results]
        non_differentiable = [i for i, w in enumerate(wants) if not w]
        mutated = frozenset(self.mutated_arguments)
        kept_arguments = [i for kind, i in plan if kind == "argument"]
        # Strides that the backward was compiled for; a saved-tensor hook may give others.
        num_arguments = len(self.positions) + len(self.constants) + int(self.uses_random)

        class CompiledFunction(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, *tensors: torch.Tensor) -> Any:
                arguments = list(tensors)
                for i in kept_arguments:
                    if i in mutated:
                        arguments[i] = arguments[i].clone()
                values = executable._run(arguments)
                results, saved = values[:num_results], values[num_results:]
                ctx.save_for_backward(*[
                    saved[i] if kind == "saved" else arguments[i] if kind == "argument" else results[i]
                    for kind, i in plan
                    if kind != "cotangent"
                ])
                ctx.set_materialize_grads(False)
                if non_differentiable:
                    ctx.mark_non_differentiable(*[results[i] for i in non_differentiable])
                ctx.inputs = [(weakref.ref(t), t._version) for t in tensors]
                return tuple(results)

            @staticmethod
            def backward(ctx: Any, *cotangents: torch.Tensor | None) -> Any:
                saved = ctx.saved_tensors
                if torch.is_grad_enabled():
                    return executable._double_backward(ctx.inputs, cotangents)
                mask = [c is not None for c in cotangents]
                result: list[torch.Tensor | None] = [None] * num_arguments
                if not any(mask):
                    return tuple(result)
                arguments, k = [], 0
                for kind, i in plan:
                    if kind == "cotangent":
                        cotangent = cotangents[i]
                        if cotangent is not None:
                            arguments.append(cotangent if cotangent.is_contiguous() else cotangent.contiguous())
                    else:
                        arguments.append(saved[k])
                        k += 1
                try:
                    gradients = compiled.backward(mask, _to_handles(arguments))
                except _C.DiagnosticError as error:
                    return executable._eager_backward(ctx.inputs, cotangents, CompileError(str(error)))
                # All at once: PyTorch's function for a single handle keeps a reference for ever (2.13).
                present = [i for i, gradient in enumerate(gradients) if gradient is not None]
                for i, gradient in zip(present, _to_tensors([gradients[i] for i in present]), strict=True):
                    result[gradient_arguments[i]] = gradient
                return tuple(result)

        return CompiledFunction

    def _eager_backward(self, inputs: Sequence[tuple[Any, int]], cotangents: Sequence[torch.Tensor | None],
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

    def _double_backward(self, inputs: Sequence[tuple[Any, int]], cotangents: Sequence[torch.Tensor | None]) -> Any:
        """Gradients that can be differentiated again: eager's, of the graph run once more on the same inputs."""
        if self.uses_random or self.mutations:
            raise DoubleBackwardError(
                "double backward through a compiled graph with random numbers or in-place changes of its inputs is "
                "not supported; use backend='eager' for this function"
            )
        tensors = [reference() for reference, _ in inputs]
        if any(t is None or t._version != v for t, (_, v) in zip(tensors, inputs, strict=True)):
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


def _overlapping(tensors: Sequence[torch.Tensor], mutated: Sequence[int]) -> bool:
    """A tensor that will be written to shares its storage with another argument."""
    storages = [t.untyped_storage()._cdata for t in tensors]
    return any(storages.count(storages[i]) > 1 for i in mutated)


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
