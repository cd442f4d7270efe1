"""Looking inside: the IR of every stage and a report of each compiled graph."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from .backend import Graph

_graphs: weakref.WeakSet[Graph] = weakref.WeakSet()
_EVAL_FRAME = os.path.join("torch", "_dynamo", "eval_frame.py")

#: File name extensions of the stages.
EXTENSIONS = {
    "captured": "trace.mlir", "joint": "joint.mlir", "scheduled": "sched.mlir", "forward": "fwd.mlir",
    "backward": "bwd.mlir", "lowered": "lowered.mlir", "gpu": "gpu.mlir", "ptx": "ptx",
}


def register(graph: Graph) -> None:
    """Makes a graph known to `stages` and `report` for as long as it lives."""
    _graphs.add(graph)


def _root(function: Any) -> Any:
    """What torch.compile was given: the module, or the function."""
    while True:
        if isinstance(function, torch.nn.Module):
            return getattr(function, "_orig_mod", function)
        inner = getattr(function, "_torchdynamo_orig_callable", None) or getattr(function, "__wrapped__", None)
        if inner is None:
            owner = getattr(function, "__self__", None)
            return owner if isinstance(owner, torch.nn.Module) else function
        function = inner


def compiled_root() -> weakref.ref[Any] | None:
    """The callable whose compiled wrapper is running, from the frames of this call."""
    frame = sys._getframe()
    found = None
    while frame is not None:
        if frame.f_code.co_filename.endswith(_EVAL_FRAME) and "fn" in frame.f_locals and "args" in frame.f_locals:
            found = frame.f_locals["fn"]
        frame = frame.f_back
    try:
        return weakref.ref(_root(found)) if found is not None else None
    except TypeError:
        return None


def _executables(compiled: Any) -> Iterator[Any]:
    """All executables of a compiled function or module, in the order in which they were made."""
    root = _root(compiled)
    graphs = [g for g in _graphs if g.root is not None and _same(g.root(), root)]
    for graph in sorted(graphs, key=lambda g: g.number):
        for executable in graph.executables.values():
            if hasattr(executable, "compiled"):
                yield executable


def _same(a: Any, b: Any) -> bool:
    return a is b or (a is not None and getattr(a, "__func__", a) == getattr(b, "__func__", b))


def stages(compiled: Any) -> list[dict[str, str]]:
    """The IR of every stage of every graph that `compiled` (what torch.compile returned) has been compiled to so far.

    One dict per compiled graph, from stage name ("captured", "joint", "scheduled", "forward", "backward", "lowered") to
    text. Graphs without a gradient have no "joint" and no "backward".
    """
    return [dict(e.compiled.stages) for e in _executables(compiled)]


class Report(list[dict[str, Any]]):
    """One dict per compiled graph; prints as a table."""

    def __str__(self) -> str:
        columns = ("graph", "fusions", "library calls", "saved tensors", "saved bytes", "compile seconds")
        rows = [columns]
        for i, graph in enumerate(self):
            seconds = sum(graph["compile_seconds"].values())
            rows.append((str(i), str(graph["fusions"]), str(graph["library_calls"]), str(graph["saved_tensors"]),
                         f"{graph['saved_bytes']:,}", f"{seconds:.2f}"))
        widths = [max(len(row[c]) for row in rows) for c in range(len(columns))]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
        lines.insert(1, "  ".join("-" * width for width in widths))
        return "\n".join(lines)

    __repr__ = __str__


def report(compiled: Any) -> Report:
    """What became of each graph of `compiled`: fusions, library_calls, saved_tensors, saved_bytes (of one forward) and
    compile_seconds by stage; with CUDA graphs, cudagraphs: "captured", or why not, of the forward and the backward."""
    return Report(
        dict(e.compiled.report) | ({} if e.graphs is None else {"cudagraphs": (e.graphs.status, e.graphs.backward_status)})
        for e in _executables(compiled)
    )


def dump(directory: str, number: int, compiled: Any) -> None:
    """Writes every stage of a graph to files."""
    os.makedirs(directory, exist_ok=True)
    for stage, text in compiled.stages:
        name = f"graph{number}.{EXTENSIONS.get(stage, stage + '.mlir')}"
        with open(os.path.join(directory, name), "w") as file:
            file.write(text)
