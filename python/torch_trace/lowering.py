"""Lowering for a GPU on a machine that has none: `torch_trace.lower` writes what another machine runs.

The function is run once on fake tensors: nothing is computed, and no parameter or buffer changes. Dynamo hands over its
graphs as it would to a backend; each is compiled for the target, forward and (with `train=True`) backward, and written
to files. `torch_trace.standalone` runs the directory with PyTorch, Python and a CUDA driver alone.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import hashlib
import inspect
import json
import os
import re
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
import torch._dynamo.trace_rules
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
)
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_leaves, tree_map

from . import _C, config
from .attention import efficient_attention
from .capture import Captured, capture, user_location
from .errors import CompileError, ConfigError, TraceError, Unsupported
from .inspection import EXTENSIONS
from .standalone.package import FORMAT
from .translate import Translator

# Our own frames are not to be compiled.
torch._dynamo.trace_rules.add("torch_trace")

#: Literals of more bytes than this are files of their own, once for all that use them.
LARGE_CONSTANT = 1024
_IMAGE_EXTENSIONS = {"cubin": "cubin", "ptx": "ptx", "bitcode": "bc"}
_TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep


def lower(fn: Callable[..., Any], *args: Any, target: str = "sm_90", out: str | os.PathLike[str], train: bool = False,
          formats: Sequence[str] = ("cubin", "ptx"), stages: bool = True, **kwargs: Any) -> Lowered:
    """Compiles `fn(*args, **kwargs)` for a GPU, on any machine, and writes the result into the directory `out`.

    `fn` is a function or a module. Its tensors, and a module's parameters, may be real or fake, on any device: only
    their sizes, strides and dtypes are read. With `train`, gradients are recorded and each graph has a backward, for the
    inputs and parameters that require grad.

    Written are, for each graph of Dynamo's: the IR of each stage; for each fusion a file of each of the `formats`, with
    all of the fusion's kernels in it (a reduction in two stages is two kernels); and one `manifest.json` for all, which
    says how they are launched and what runs around them (python/torch_trace/standalone reads it). Formats are "cubin"
    (`.cubin`, where this machine has ptxas or nvJitLink), "ptx" (`.ptx`) and "bitcode" (`.bc`, for the simulator).
    Without `stages` the IR is left out; nothing that runs needs it.

    `out` is made if it is not there. An earlier package in it is replaced; any other directory has to be empty.

    Returns a `Lowered`: the manifest, and a summary that prints as a table. What cannot be lowered raises: there is no
    eager PyTorch to fall back to.
    """
    _check_target(target)
    formats = [formats] if isinstance(formats, str) else list(formats)
    if not formats or not set(formats) <= set(_IMAGE_EXTENSIONS):
        raise ConfigError(f"formats={formats!r}: one or more of {', '.join(_IMAGE_EXTENSIONS)}")
    writer = _Writer(os.fspath(out), stages)
    fn = getattr(fn, "_orig_mod", None) or getattr(fn, "_torchdynamo_orig_callable", None) or fn
    recorder = _Recorder(target, formats)
    options = {"isolate_recompiles": True} if "isolate_recompiles" in inspect.signature(torch.compile).parameters else {}
    compiled = torch.compile(fn, backend=recorder, dynamic=False, **options)
    limits = {"recompile_limit": 2**30, "accumulated_recompile_limit": 2**30}
    try:
        # What the user's program has compiled so far stays: nothing is reset.
        with (
            _fake_mode(fn, args, kwargs) as mode,
            torch._dynamo.config.patch(**limits, suppress_errors=False, capture_scalar_outputs=False,
                                       capture_dynamic_output_shape_ops=False),
            torch.set_grad_enabled(train),
        ):
            args, kwargs = _as_fakes(mode, args), _as_fakes(mode, kwargs)
            returned = compiled(*args, **kwargs)
    except (DataDependentOutputException, DynamicOutputShapeException) as error:
        what = str(error.func) if hasattr(error, "func") else str(error)
        raise TraceError(f"the function needs the value of a tensor, and there are only fake ones when it is lowered: "
                         f"{what}{_where(error)}") from None
    except Exception as error:
        if recorder.error is not None:
            raise recorder.error from None
        raise error
    if not recorder.graphs:
        raise TraceError("nothing to lower: Dynamo found no graph in the function")
    if train and not any(graph.program["backward"] for graph in recorder.graphs):
        raise TraceError("nothing to differentiate: with train=True, an input or a parameter has to require grad")
    name = getattr(fn, "__qualname__", type(fn).__name__)
    call = _describe_call(recorder, tree_leaves((args, kwargs)), tree_leaves(returned))
    return writer.write(recorder, {"function": name, "train": train, "call": call})


def _check_target(target: str) -> None:
    try:
        _C.check_chip(target)
    except _C.DiagnosticError as error:
        raise ConfigError(f"target={target!r}: {str(error).split('error: ')[-1].strip()}") from None


def _where(error: BaseException) -> str:
    """The user's line that an exception passed through last."""
    found, trace = "", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith((_TORCH, os.path.dirname(os.path.abspath(__file__)) + os.sep)) and file[:1] != "<":
            found = f" ({file}:{trace.tb_lineno})"
        trace = trace.tb_next
    return found


# ---- fake tensors


@contextlib.contextmanager
def _fake_mode(fn: Any, args: Any, kwargs: Any) -> Iterator[FakeTensorMode]:
    """The mode of the fake tensors that are there already, or a new one; real parameters may be mixed in."""
    leaves = [*tree_leaves((args, kwargs))]
    if isinstance(fn, torch.nn.Module):
        leaves += [*fn.parameters(), *fn.buffers()]
    modes = {id(t.fake_mode): t.fake_mode for t in leaves if isinstance(t, FakeTensor)}
    if len(modes) > 1:
        raise TraceError("the arguments are fake tensors of different FakeTensorModes")
    mode = next(iter(modes.values()), None) or FakeTensorMode(allow_non_fake_inputs=True)
    before, mode.allow_non_fake_inputs = mode.allow_non_fake_inputs, True
    try:
        with mode:
            yield mode
    finally:
        mode.allow_non_fake_inputs = before


def _as_fakes(mode: FakeTensorMode, tree: Any) -> Any:
    def fake(value: Any) -> Any:
        if type(value) in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer):
            return mode.from_tensor(value, static_shapes=True)
        return value

    return tree_map(fake, tree)


def _on_host(value: Any) -> Any:
    """A tensor as capture takes it: wherever it is, it is described as one of the CPU."""
    if type(value) not in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer, FakeTensor) or value.device.type == "cpu":
        return value
    with FakeTensorMode():
        size, stride, offset = tuple(value.size()), tuple(value.stride()), int(value.storage_offset())
        extent = offset + 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True)) if 0 not in size else offset
        base = torch.empty((extent,), dtype=value.dtype)
        result = base.as_strided(size, stride, offset)
        return result.requires_grad_() if value.requires_grad else result


def _prepare(gm: torch.fx.GraphModule, where: str) -> None:
    """Devices of the graph become the CPU, where it is described; attention becomes what a GPU has for it."""
    for module in gm.modules():
        if not isinstance(module, torch.fx.GraphModule):
            continue
        for node in module.graph.nodes:
            name = getattr(node.target, "__name__", "")
            if name == "_enter_autocast" and node.args and node.args[0] != "cpu":
                raise Unsupported(f"torch.autocast({node.args[0]!r}) when lowering: the graph is described as one of the "
                                  "CPU, whose autocast has other rules", where)
            if node.op == "call_function" and name == "scaled_dot_product_attention":
                node.target = efficient_attention
            node.args = tree_map(_host_device, node.args)
            node.kwargs = {
                k: torch.device("cpu") if k == "device" and isinstance(v, str) else tree_map(_host_device, v)
                for k, v in node.kwargs.items()
            }
            if node.op == "call_method" and node.target == "cuda":
                node.target, node.args, node.kwargs = "to", (node.args[0], torch.device("cpu")), {}
        module.recompile()


def _host_device(value: Any) -> Any:
    return torch.device("cpu") if isinstance(value, torch.device) else value


# ---- graphs


@dataclasses.dataclass
class _Graph:
    """A graph, compiled."""

    captured: Captured
    compiled: Any
    constants: list[torch.Tensor]
    program: dict[str, Any]
    where: str
    #: The tensors of each call.
    calls: list[tuple[Sequence[Any], Sequence[Any]]] = dataclasses.field(default_factory=list)


class _Recorder:
    """The backend: compiles each graph and gives outputs that nothing has been computed for."""

    def __init__(self, target: str, formats: Sequence[str]) -> None:
        self.target, self.formats = target, list(formats)
        self.graphs: list[_Graph] = []
        self.error: Exception | None = None

    def __call__(self, gm: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        make_outputs = _outputs_of(gm)
        try:
            with _disable_current_modes():
                graph = self._lower(gm, inputs)
        except Exception as error:
            self.error = error
            raise
        self.graphs.append(graph)

        def run(*tensors: Any) -> tuple[Any, ...]:
            outputs = make_outputs(*tensors)
            graph.calls.append((tensors, outputs))
            return outputs

        return run

    def _lower(self, gm: torch.fx.GraphModule, inputs: Sequence[Any]) -> _Graph:
        where = next((f"{file}:{line}" for file, line in map(user_location, gm.graph.nodes) if file), "")
        _prepare(gm, where)
        constants: list[torch.Tensor] = []
        captured = capture(gm, [_on_host(x) for x in inputs], constants)
        builder = Translator(captured).module("main")
        try:
            compiled = _C.CompiledGraph(
                builder, function="main", device="cuda", chip=self.target, load=False, formats=self.formats,
                exact_rounding=config.exact_rounding, verify_stages=config.verify_stages,
                fuse_limit=config.fuse_limit, locations=config.locations,
            )
        except _C.DiagnosticError as error:
            raise CompileError(f"the compiler rejected the graph at {where}:\n{str(error).rstrip()}") from error
        return _Graph(captured, compiled, constants, json.loads(compiled.device_program), where)


def _outputs_of(gm: torch.fx.GraphModule) -> Callable[..., tuple[Any, ...]]:
    """A function with the graph's signature whose outputs are like the graph's."""
    positions = {n: i for i, n in enumerate(n for n in gm.graph.nodes if n.op == "placeholder")}
    leaves = next(n for n in gm.graph.nodes if n.op == "output").args[0]
    leaves = list(leaves) if isinstance(leaves, tuple | list) else [leaves]
    like = [n.meta.get("example_value") if isinstance(n, torch.fx.Node) else n for n in leaves]

    def run(*inputs: Any) -> tuple[Any, ...]:
        made = []
        for node, value in zip(leaves, like, strict=True):
            if node in positions:
                made.append(inputs[positions[node]])
            elif isinstance(value, torch.Tensor):
                tensor = torch.empty_strided(tuple(map(int, value.size())), tuple(map(int, value.stride())),
                                             dtype=value.dtype, device=value.device)
                # No leaf: it may be written to in place.
                made.append(tensor.requires_grad_().clone() if value.requires_grad else tensor)
            else:
                made.append(value)
        return tuple(made)

    return run


def _describe_call(recorder: _Recorder, arguments: Sequence[Any], returned: Sequence[Any]) -> dict[str, Any] | None:
    """How a call of the function is one of its graph, where there is one: for each of the graph's arguments, which of the
    function's it is (None: a parameter or buffer, by name); for each value returned, which output it is. Arguments and
    values returned are counted through all of their containers."""
    if len(recorder.graphs) != 1 or len(recorder.graphs[0].calls) != 1:
        return None
    (inputs, outputs), = recorder.graphs[0].calls
    leaf_of = {id(value): number for number, value in enumerate(arguments)}
    output_of = {id(value): number for number, value in enumerate(outputs) if isinstance(value, torch.Tensor)}
    returns: list[dict[str, Any]] = []
    for value in returned:
        if id(value) in output_of:
            returns.append({"output": output_of[id(value)]})
        elif id(value) in leaf_of and isinstance(value, torch.Tensor):
            returns.append({"argument": leaf_of[id(value)]})
        elif isinstance(value, int | float | str | None):
            returns.append({"value": value})
        else:
            return None
    taken = [None if a.position is None else leaf_of.get(id(inputs[a.position]))
             for a in recorder.graphs[0].captured.arguments]
    return {"arguments": taken, "returns": returns}


# ---- files


class _Writer:
    def __init__(self, directory: str, stages: bool) -> None:
        self.directory, self.stages = directory, stages
        self.missing_cubins = 0
        self.image_bytes = 0
        if os.path.exists(directory) and not os.path.isdir(directory):
            raise ConfigError(f"out={directory!r} is a file")
        if os.path.isdir(directory) and os.listdir(directory) and not self._is_package():
            raise ConfigError(f"out={directory!r} is not empty, and there is no earlier package in it")

    def _is_package(self) -> bool:
        try:
            with open(os.path.join(self.directory, "manifest.json")) as file:
                manifest = json.load(file)
        except (OSError, ValueError):
            return False
        return isinstance(manifest, dict) and {"format", "graphs"} <= set(manifest)

    def write(self, recorder: _Recorder, facts: Mapping[str, Any]) -> Lowered:
        self._clear()
        self.formats = recorder.formats
        try:
            graphs = [self._graph(number, graph) for number, graph in enumerate(recorder.graphs)]
        except Exception:
            self._clear()
            raise
        manifest = {
            "format": FORMAT, "target": recorder.target, "formats": recorder.formats, "torch": torch.__version__,
            **facts, "graphs": graphs,
        }
        self._file("manifest.json", json.dumps(manifest, indent=1).encode())
        if self.missing_cubins:
            warnings.warn("torch_trace.lower: this machine has neither ptxas nor nvJitLink; the kernels are PTX only, "
                          "without registers and spills, and the driver compiles them when they are loaded",
                          stacklevel=3)
        return Lowered(self.directory, manifest, self.image_bytes)

    def _clear(self) -> None:
        """Makes the directory, and takes away what an earlier call has left in it."""
        os.makedirs(self.directory, exist_ok=True)
        for name in os.listdir(self.directory):
            if re.fullmatch(r"graph\d+|constants", name):
                shutil.rmtree(os.path.join(self.directory, name))
            elif name == "manifest.json":
                os.remove(os.path.join(self.directory, name))

    def _file(self, path: str, data: bytes) -> str:
        whole = os.path.join(self.directory, *path.split("/"))
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "wb") as file:
            file.write(data)
        return path

    def _graph(self, number: int, graph: _Graph) -> dict[str, Any]:
        captured, compiled = graph.captured, graph.compiled
        folder = f"graph{number}"
        stages = {
            stage: self._file(f"{folder}/{EXTENSIONS.get(stage, stage + '.mlir')}", text.encode())
            for stage, text in (compiled.stages if self.stages else ())
        }
        argument_of = {a.position: i for i, a in enumerate(captured.arguments) if a.position is not None}
        sides = {side: graph.program[side] for side in ("forward", "backward")}
        fusions = {side: self._fusions(f"{folder}/{side}", side, plan, compiled) for side, plan in sides.items() if plan}
        return {
            "where": graph.where,
            "stages": stages,
            "arguments": self._arguments(graph),
            "forward": self._plan(sides["forward"]),
            "backward": self._plan(sides["backward"]),
            "fusions": fusions,
            "num_outputs": compiled.num_outputs,
            "differentiable": list(compiled.differentiable_outputs),
            "mutations": [{"argument": argument_of[m.position], "result": m.result} for m in captured.mutations],
            "outputs": [self._output(o, argument_of) for o in captured.outputs],
            "backward_arguments": [list(a) for a in compiled.backward_arguments],
            "gradient_arguments": list(compiled.gradient_arguments),
            "saved_bytes": compiled.report["saved_bytes"],
        }

    def _arguments(self, graph: _Graph) -> list[dict[str, Any]]:
        arguments = []
        owned = iter(graph.constants)
        for argument in graph.captured.arguments:
            entry: dict[str, Any] = {
                "name": argument.name, "kind": argument.kind, "dtype": _dtype(argument.fake),
                "shape": list(argument.fake.shape), "strides": list(argument.fake.stride()),
                "requires_grad": argument.requires_grad,
            }
            if argument.position is None:
                value = next(owned)
                if not isinstance(value, FakeTensor):
                    entry["data"] = self._bytes(_raw(value))
            arguments.append(entry)
        if graph.captured.uses_random:
            arguments.append({"name": "seed", "kind": "seed", "dtype": "int64", "shape": [], "strides": [],
                              "requires_grad": False})
        return arguments

    def _bytes(self, data: bytes) -> str:
        """A file with these bytes; equal ones are one file."""
        return self._file(f"constants/{hashlib.sha256(data).hexdigest()[:24]}.bin", data)

    def _plan(self, plan: Any) -> Any:
        if plan is None:
            return None
        plan = {key: value for key, value in plan.items() if key != "fusions"}
        steps = []
        for step in plan["steps"]:
            if step["op"] == "constant" and len(step["data"]) > LARGE_CONSTANT:
                data = base64.b64decode(step["data"])
                step = {**{k: v for k, v in step.items() if k != "data"}, "file": self._bytes(data)}
            steps.append(step)
        return {**plan, "steps": steps}

    def _fusions(self, folder: str, side: str, plan: Mapping[str, Any], compiled: Any) -> dict[str, Any]:
        fusions = {}
        for name, facts in plan["fusions"].items():
            images = []
            # Results that are all empty have no kernels.
            if facts["kernels"]:
                for kind, data in compiled.device_images(side, name):
                    images.append(self._file(f"{folder}/{name}.{_IMAGE_EXTENSIONS[kind]}", data))
                    self.image_bytes += len(data)
                self.missing_cubins += "cubin" in self.formats and not any(p.endswith(".cubin") for p in images)
            fusions[name] = {"images": images, **facts}
        return fusions

    @staticmethod
    def _output(output: Any, argument_of: Mapping[int, int]) -> dict[str, Any]:
        kind = output.kind
        if kind == "constant":
            if not isinstance(output.value, int | float | str | None):
                raise Unsupported(f"an output of the type {type(output.value).__name__} when lowering")
            return {"kind": kind, "value": output.value}
        of_input = kind in ("input", "view_of_input")
        entry = {"kind": kind, "index": argument_of[output.index] if of_input else output.index}
        if kind.startswith("view"):
            entry |= {"size": list(output.size), "stride": list(output.stride), "offset": output.offset}
        return entry


def _dtype(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _raw(value: torch.Tensor) -> bytes:
    """The elements in order, as they are in memory."""
    flat = value.detach().cpu().contiguous().reshape(-1)
    return bytes(flat.view(torch.uint8).numpy().tobytes()) if flat.numel() else b""


# ---- the result


@dataclasses.dataclass
class Lowered:
    """What `torch_trace.lower` has written. Prints as a table with one line for each kernel."""

    directory: str
    manifest: dict[str, Any]
    #: Of all images: PTX, cubins and bitcode.
    image_bytes: int

    @property
    def graphs(self) -> list[dict[str, Any]]:
        return self.manifest["graphs"]

    @property
    def kernels(self) -> list[dict[str, Any]]:
        """Each kernel's entry of the manifest, with its "graph" (a number), "side" and "fusion"."""
        return [
            {"graph": number, "side": side, "fusion": name, **kernel}
            for number, graph in enumerate(self.graphs)
            for side, fusions in graph["fusions"].items()
            for name, fusion in fusions.items()
            for kernel in fusion["kernels"]
        ]

    @property
    def summary(self) -> dict[str, Any]:
        """Numbers of graphs, kernels and library calls; the most registers of a kernel and the bytes spilled by all
        (None without ptxas); bytes of the images and of what forward saves for backward."""
        kernels = self.kernels
        known = [k for k in kernels if k["registers"] is not None]
        plans = [g[side] for g in self.graphs for side in ("forward", "backward") if g[side]]
        return {
            "graphs": len(self.graphs),
            "kernels": len(kernels),
            "library_calls": sum(step["op"] == "library" for plan in plans for step in plan["steps"]),
            "registers": max((k["registers"] for k in known), default=None),
            "spills": sum(k["spills"] or 0 for k in known) if known else None,
            "image_bytes": self.image_bytes,
            "saved_bytes": sum(g["saved_bytes"] for g in self.graphs),
        }

    def __str__(self) -> str:
        rows = [("kernel", "graph", "grid", "block", "registers", "spills", "shared")]
        for k in self.kernels:
            rows.append((k["name"], f"{k['graph']} {k['side']}", "x".join(map(str, k["grid"])),
                         "x".join(map(str, k["block"])), _shown(k["registers"]), _shown(k["spills"]), str(k["shared"])))
        widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
        lines = ["  ".join([row[0].ljust(widths[0]), row[1].ljust(widths[1]),
                            *(cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True))])
                 for row in rows]
        lines.insert(1, "  ".join("-" * width for width in widths))
        s = self.summary
        lines.append(f"{s['graphs']} graphs, {s['kernels']} kernels, {s['library_calls']} library calls, "
                     f"{s['image_bytes']:,} bytes of code for {self.manifest['target']} in {self.directory}")
        if len(self.graphs) > 1:
            lines.append("graphs begin at " + ", ".join(g["where"] for g in self.graphs))
        return "\n".join(lines)

    __repr__ = __str__


def _shown(number: int | None) -> str:
    return "?" if number is None else str(number)
