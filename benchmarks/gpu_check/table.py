"""The kernels of a package as a page: launches, and what ptxas says (./dev gpu-check --build OUT --table FILE)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SIZES_OF = {"bool": 1, "uint8": 1, "int8": 1, "int16": 2, "bfloat16": 2, "float16": 2, "int32": 4, "float32": 4,
            "int64": 8, "float64": 8}  # fmt: skip


def buffer_bytes(value: dict[str, Any]) -> int:
    """An expanded dimension counts once."""
    strides = zip(value["shape"], value["strides"], strict=True)
    return SIZES_OF[value["dtype"]] * math.prod(n if stride or n == 0 else 1 for n, stride in strides)


def kernels_of(manifest: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], int]]:
    """(side, kernel, bytes of its buffers) in the order of the steps; a fusion that is called twice is there once."""
    for graph in manifest["graphs"]:
        for side, fusions in graph["fusions"].items():
            values, seen = graph[side]["values"], set()
            for step in graph[side]["steps"]:
                if step["op"] != "fusion" or step["name"] in seen:
                    continue
                seen.add(step["name"])
                fusion = fusions[step["name"]]
                sizes = [buffer_bytes(values[v]) for v in (*step["operands"], *step["results"])] + fusion["scratch"]
                for kernel in fusion["kernels"]:
                    yield side, kernel, sum(sizes[slot] for slot in kernel["slots"])


def page(package: Path) -> str:
    info = json.loads((package / "package.json").read_text())
    size = info["sizes"][-1]
    rows, spilling = [], 0
    for case in info["cases"]:
        manifest = json.loads((package / "packages" / size / case["folder"] / "manifest.json").read_text())
        for side, kernel, moved in kernels_of(manifest):
            threads = math.prod(kernel["grid"]) * math.prod(kernel["block"])
            spilling += bool(kernel["spills"])
            known = [("?" if kernel[key] is None else str(kernel[key])) for key in ("registers", "spills", "shared")]
            rows.append(f"| {case['folder']} | {side} | {kernel['name']} | {math.prod(kernel['grid']):,} x "
                        f"{math.prod(kernel['block'])} | {' | '.join(known)} | {moved / threads:,.0f} |")  # fmt: skip
    return f"""# Kernels

Written by `./dev gpu-check --build OUT --table docs/gpu-kernels.md`, never by hand: the kernels of gpu-check's blocks and
models (benchmarks/gpu_check/cases.py) at their sizes for a GPU, for {info['target']}, and what ptxas says of them.
Nothing here was measured. Registers and spills (bytes, stores and loads) are of a thread, shared memory (bytes) is of a
block. Bytes per thread: those of all of a kernel's buffers, by the threads that are launched.

{len(rows)} kernels; {spilling or 'none'} of them {'spills' if spilling == 1 else 'spill'}.

| case | half | kernel | blocks x threads | registers | spills | shared | bytes per thread |
|---|---|---|---|---|---|---|---|
""" + "\n".join(rows) + "\n"
