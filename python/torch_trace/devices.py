"""The device that a graph runs on, and what the compiler has to know of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_map

from . import config
from .errors import Unsupported

#: Architectures that have machine code of their own, by compute capability. Others take the greatest one of the same
#: major version below, or PTX of it.
_CHIPS = ((8, 0), (8, 6), (8, 7), (8, 9), (9, 0), (10, 0), (10, 3), (12, 0), (12, 1))


def common_device(tensors: Iterable[torch.Tensor]) -> torch.device:
    """The device of a graph's inputs: one GPU, or the CPU. Numbers on the CPU (rank 0) go with tensors on a GPU."""
    tensors = list(tensors)
    gpus = sorted({t.device for t in tensors if t.device.type == "cuda"}, key=str)
    if len(gpus) > 1:
        raise Unsupported(f"tensors on {' and '.join(map(str, gpus))} in one graph")
    for tensor in tensors:
        if tensor.device.type not in ("cpu", "cuda"):
            raise Unsupported(f"tensors on {tensor.device}")
        if gpus and tensor.device.type == "cpu" and tensor.dim():
            raise Unsupported(f"tensors on {gpus[0]} and on the CPU in one graph")
    return gpus[0] if gpus else torch.device("cpu")


def on_cpu(tree: Any, mode: FakeTensorMode) -> Any:
    """The tree with fake tensors on a GPU, and devices, as the CPU's.

    Formulas, and gradients of operators, are traced so: they are the same on all devices, and autograd's engine would ask
    for the GPU itself.
    """

    def move(value: Any) -> Any:
        if isinstance(value, torch.device):
            return torch.device("cpu")
        if not isinstance(value, torch.Tensor) or value.device.type == "cpu":
            return value
        with mode:
            return torch.empty_strided(value.size(), value.stride(), dtype=value.dtype)

    return tree_map(move, tree)


def chip_of(capability: tuple[int, int]) -> str:
    """The architecture to compile for: `sm_90` for (9, 0)."""
    if capability < (8, 0):
        raise Unsupported(f"a GPU of compute capability {capability[0]}.{capability[1]}; 8.0 or newer is needed")
    known = max(chip for chip in _CHIPS if chip <= capability)
    return f"sm_{known[0]}{known[1]}"


def compile_options(device: torch.device) -> dict[str, Any]:
    """Options of the compiler for a graph on `device`."""
    if device.type == "cuda":
        index = device.index or 0
        return {"device": "cuda", "chip": chip_of(torch.cuda.get_device_capability(index)), "device_index": index}
    if config.device_emulation:
        return {"device": "cuda", "emulated": True}
    return {}
