"""The Dynamo backend "trace".

Dynamo hands over each graph once; it is captured, translated and compiled at once where all its sizes are known, and at
the first call of each set of sizes otherwise. What cannot be compiled runs in eager PyTorch, with one warning per
reason, or raises (`config.fallback`).
"""

from __future__ import annotations

import itertools
import logging
import os
import tempfile
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch._dynamo.trace_rules

from . import _C, config, devices, inspection
from .capture import Captured, capture, changing_floats
from .errors import CompileError, Unsupported
from .executable import Executable
from .translate import Translator

log = logging.getLogger(__name__)

#: A graph with dynamic sizes is compiled for at most so many sets of them.
MAX_SIZES = 64
# Our own frames run beside the user's (a backward started by one, say); Dynamo is not to compile them.
torch._dynamo.trace_rules.add("torch_trace")
_C.load_runtime(os.path.join(os.path.dirname(__file__), "libtrace_runtime.so"))

_counter = itertools.count()
_warned: set[str] = set()


class Graph:
    """One graph of Dynamo's, compiled for the sizes that it was called with."""

    def __init__(self, gm: torch.fx.GraphModule, use_graphs: bool = False) -> None:
        self.gm = gm
        #: Of CUDA.
        self.use_graphs = use_graphs
        self.number = next(_counter)
        self.executables: dict[Any, Callable[..., Any]] = {}
        self.root = inspection.compiled_root()
        #: Inputs that are Python floats in the user's program, and whether their values are compiled in.
        self.floats = changing_floats(gm)
        self.values_matter = False

    def compile(self, inputs: Sequence[Any]) -> Callable[..., Any]:
        """An executable for inputs like these, or the graph itself where it has to run in eager."""
        try:
            return self._compile(inputs)
        except Unsupported as error:
            if config.fallback == "error":
                raise
            _warn(str(error))
            return self.gm.forward
        except CompileError as error:
            if config.fallback == "error":
                raise
            _warn(str(error))
            return self.gm.forward

    def _compile(self, inputs: Sequence[Any]) -> Callable[..., Any]:
        constants: list[torch.Tensor] = []
        try:
            captured = self._capture(inputs, constants)
            translator = Translator(captured)
        except Unsupported:
            raise
        except Exception as error:
            raise Unsupported(f"capture failed with {type(error).__name__}: {_first_line(error)}") from error
        try:
            builder = translator.module("main")
            compiled = _C.CompiledGraph(
                builder, function="main", exact_rounding=config.exact_rounding, verify_stages=config.verify_stages,
                fuse_limit=config.fuse_limit, vector_bits=config.vector_bits, locations=config.locations,
                **devices.compile_options(captured.device),
            )
        except Unsupported:
            raise
        except Exception as error:
            raise self._compile_error(translator, error) from error
        executable = Executable(captured, compiled, constants, self.gm.forward, self.use_graphs)
        executable.template = [None if i in executable.argument_of_position else x for i, x in enumerate(inputs)]
        if config.dump:
            inspection.dump(config.dump, self.number, compiled)
        return executable

    def _capture(self, inputs: Sequence[Any], constants: list[torch.Tensor]) -> Captured:
        """Python floats stay inputs; where their values decide something, they are compiled in."""
        if not self.values_matter:
            try:
                return capture(self.gm, inputs, constants)
            except Exception:
                if not self.floats:
                    raise
                log.info("a float's value decides what is computed; it is compiled in")
                constants.clear()
        captured = capture(self.gm, self._with_values(inputs), constants)
        self.values_matter = True
        return captured

    def _with_values(self, inputs: Sequence[Any]) -> list[Any]:
        result = list(inputs)
        for position in self.floats:
            result[position] = float(result[position])
        return result

    def _compile_error(self, translator: Translator, error: Exception) -> CompileError:
        directory = config.dump or tempfile.mkdtemp(prefix="torch_trace_")
        os.makedirs(directory, exist_ok=True)
        path = os.path.join(directory, f"graph{self.number}.trace.mlir")
        with open(path, "w") as file:
            file.write(translator.builder.text(True))
        return CompileError(
            f"the compiler rejected the program ({type(error).__name__}):\n{str(error).rstrip()}\n"
            f"The IR is in {path}. To reproduce:\n  trace-opt {path} --trace-training-pipeline"
        )

    def __call__(self, *args: Any) -> Any:
        key = _key(self._with_values(args) if self.values_matter else args)
        found = self.executables.get(key)
        if found is None:
            if len(self.executables) >= MAX_SIZES:
                _warn(f"more than {MAX_SIZES} sets of sizes of one graph; further ones are not compiled")
                return self.gm.forward(*args)
            found = self.compile(args)
            # The compilation may have been the one that found out that values matter.
            self.executables[_key(self._with_values(args) if self.values_matter else args)] = found
        return found(*args)


def _key(args: Sequence[Any]) -> Any:
    """What compiled code depends on: devices, sizes, strides and dtypes of tensors, values of everything else."""
    return tuple(
        (a.device, a.shape, a.stride(), a.dtype, a.requires_grad, a.storage_offset()) if isinstance(a, torch.Tensor) else a
        for a in args
    )


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0][:300] if text else ""


def _warn(text: str) -> None:
    if text not in _warned:
        _warned.add(text)
        warnings.warn(f"torch_trace: a graph runs in eager PyTorch: {text}", stacklevel=2)
    log.info("eager fallback: %s", text)


def _is_static(gm: torch.fx.GraphModule) -> bool:
    """No size, and no number, of the graph's inputs may change."""
    for node in gm.graph.nodes:
        if node.op != "placeholder":
            continue
        value = node.meta.get("example_value")
        if isinstance(value, torch.Tensor):
            if not all(isinstance(n, int) for n in (*value.size(), *value.stride(), value.storage_offset())):
                return False
        elif not isinstance(value, int | float | bool | str | None):
            return False
    return True


def _wants_graphs(mode: str | None, options: dict[str, Any] | None) -> bool:
    """Whether torch.compile's mode and options, or the switch, ask for CUDA graphs."""
    if mode not in (None, "default", "reduce-overhead"):
        raise TypeError(f"backend 'trace' has the modes 'default' and 'reduce-overhead', not {mode!r}")
    options = dict(options or {})
    wanted = options.pop("cudagraphs", config.cudagraphs or mode == "reduce-overhead")
    if options:
        raise TypeError(f"backend 'trace' has the option 'cudagraphs', not {', '.join(map(repr, options))}; see also "
                        "torch_trace.config")
    return bool(wanted)


def trace(gm: torch.fx.GraphModule, example_inputs: Sequence[Any], *, mode: str | None = None,
          options: dict[str, Any] | None = None) -> Callable[..., Any]:
    """The backend: called by Dynamo with each graph and example inputs."""
    graph = Graph(gm, _wants_graphs(mode, options))
    inspection.register(graph)
    if graph.floats or not _is_static(gm):
        return graph
    executable = graph.compile(example_inputs)
    graph.executables[None] = executable
    if isinstance(executable, Executable):
        executable.graph = graph  # the graph can be inspected for as long as its code is alive
    return executable
