"""What gpu_check runs: the blocks of problems.py and four models, each at sizes for the simulator and for a GPU.

Goes into the package, and so imports PyTorch and what lies beside it there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from models import GPT, MLP, ConvNet, ViT
from problems import PROBLEMS, Problem, Random
from torch import Tensor, nn


class WithLoss(nn.Module):
    """A model of logits and its loss: one graph for the whole step."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(self.model(x).flatten(0, -2).float(), target.flatten())


def model_step(model: Callable[[], nn.Module], dtype: torch.dtype, batch: Tensor | None, image: tuple[int, ...],
               classes: int, tolerance: float) -> Problem:
    """A training step of a model of images (or rows); its parameters are seeded."""
    r = Random(dtype)
    torch.manual_seed(2)
    x = r.constant(*image) if batch is None else batch
    labels = r.labels(image[0], classes) if batch is None else r.labels(batch.numel(), classes)
    return Problem(WithLoss(model()).to(dtype), (x, labels), tolerance=tolerance)


def mlp(dtype: torch.dtype, batch: int, inputs: int, hidden: int, depth: int) -> Problem:
    return model_step(lambda: MLP(inputs, hidden, depth), dtype, None, (batch, inputs), 10, 1e-3)


def convnet(dtype: torch.dtype, batch: int, size: int, width: int) -> Problem:
    # The signs of values next to zero decide what ReLU lets through, and batch norm spreads the difference.
    return model_step(lambda: ConvNet(width), dtype, None, (batch, 1, size, size), 10, 3e-2)


def vit(dtype: torch.dtype, batch: int, size: int, patch: int, dim: int, depth: int, heads: int) -> Problem:
    return model_step(lambda: ViT(size, patch, dim, depth, heads), dtype, None, (batch, 1, size, size), 10, 1e-3)


def gpt(dtype: torch.dtype, batch: int, tokens: int, vocabulary: int, dim: int, depth: int, heads: int,
        hidden: int) -> Problem:
    ids = Random(dtype).labels(batch * tokens, vocabulary).reshape(batch, tokens)
    return model_step(lambda: GPT(vocabulary, tokens, dim, depth, heads, hidden), dtype, ids, (), vocabulary, 1e-3)


SIZES = ("small", "medium", "large")


@dataclass
class Case:
    """A block or a model, in one dtype, at one of its sizes."""

    name: str
    dtype: str
    make: Callable[..., Problem]
    sizes: dict[str, dict[str, Any]]
    model: bool = False

    @property
    def folder(self) -> str:
        return f"{self.name}-{self.dtype}"

    def problem(self, dtype: torch.dtype, size: str) -> Problem:
        """Fresh arguments, on the default device."""
        return self.make(dtype, **self.sizes[size])


#: Of each block: sizes for the simulator with tails of all kinds, sizes for it at which rows and columns are divided
#: among blocks of threads, and sizes for a GPU.
BLOCKS: dict[str, tuple[dict[str, Any], ...]] = {
    "residual_rmsnorm": ({"shape": (2, 3, 68)}, {"shape": (1, 40, 4096)}, {"shape": (8, 2048, 4096)}),
    "layer_norm": ({"shape": (2, 3, 77)}, {"shape": (3, 67, 770)}, {"shape": (8, 2048, 4096)}),
    "swiglu": ({"rows": 5, "width": 16, "hidden": 36}, {"rows": 64, "width": 128, "hidden": 352},
               {"rows": 4096, "width": 2048, "hidden": 5632}),
    "gelu_mlp": ({"rows": 5, "width": 16, "hidden": 33}, {"rows": 200, "width": 64, "hidden": 512},
                 {"rows": 4096, "width": 2048, "hidden": 8192}),
    "rotary": ({"shape": (1, 3, 2, 8)}, {"shape": (2, 64, 8, 128)}, {"shape": (8, 2048, 32, 128)}),
    "attention_by_hand": ({"shape": (1, 2, 9, 8)}, {"shape": (1, 2, 300, 64)}, {"shape": (4, 16, 1024, 64)}),
    "attention": ({"shape": (1, 2, 9, 8)}, {"shape": (1, 2, 300, 64)}, {"shape": (4, 16, 2048, 64)}),
    "cross_entropy": ({"rows": 3, "classes": 301}, {"rows": 9, "classes": 32000}, {"rows": 8192, "classes": 32000}),
    "head_cross_entropy": ({"rows": 3, "width": 8, "classes": 65}, {"rows": 300, "width": 16, "classes": 1001},
                           {"rows": 4096, "width": 2048, "classes": 32000}),
    "dropout_residual": ({"shape": (2, 5, 33)}, {"shape": (2, 64, 512)}, {"shape": (8, 2048, 4096)}),
    "long_chain": ({"shape": (3, 7), "length": 40}, {"shape": (64, 256), "length": 40}, {"shape": (2048, 4096)}),
    "adamw": ({"n": 1003}, {"n": 70001}, {"n": 64 << 20}),
    "adamw_in_place": ({"n": 1003}, {"n": 1 << 16}, {"n": 64 << 20}),
}  # fmt: skip

#: Of each model: how it is made, its dtypes, and the sizes.
MODELS: dict[str, tuple[Callable[..., Problem], tuple[str, ...], tuple[dict[str, Any], ...]]] = {
    "mlp": (mlp, ("f32", "bf16"), ({"batch": 5, "inputs": 12, "hidden": 24, "depth": 1},
                                   {"batch": 300, "inputs": 64, "hidden": 1024, "depth": 1},
                                   {"batch": 8192, "inputs": 1024, "hidden": 4096, "depth": 3})),
    "convnet": (convnet, ("f32",), ({"batch": 2, "size": 8, "width": 4}, {"batch": 16, "size": 16, "width": 16},
                                    {"batch": 256, "size": 32, "width": 64})),
    "vit": (vit, ("f32", "bf16"), ({"batch": 2, "size": 8, "patch": 4, "dim": 16, "depth": 1, "heads": 2},
                                   {"batch": 8, "size": 32, "patch": 8, "dim": 384, "depth": 1, "heads": 6},
                                   {"batch": 128, "size": 64, "patch": 8, "dim": 384, "depth": 6, "heads": 6})),
    "gpt": (gpt, ("f32", "bf16"), (
        {"batch": 2, "tokens": 8, "vocabulary": 40, "dim": 16, "depth": 1, "heads": 2, "hidden": 24},
        {"batch": 2, "tokens": 128, "vocabulary": 1000, "dim": 256, "depth": 1, "heads": 4, "hidden": 704},
        {"batch": 8, "tokens": 1024, "vocabulary": 32000, "dim": 1024, "depth": 4, "heads": 16, "hidden": 2816})),
}  # fmt: skip


def all_cases() -> list[Case]:
    cases = [Case(name, dtype, PROBLEMS[name], dict(zip(SIZES, sizes, strict=True)))
             for name, sizes in BLOCKS.items() for dtype in ("f32", "bf16")]
    cases += [Case(name, dtype, make, dict(zip(SIZES, sizes, strict=True)), model=True)
              for name, (make, dtypes, sizes) in MODELS.items() for dtype in dtypes]
    return cases


def chosen(names: str, dtypes: str) -> list[Case]:
    """Those of the names and dtypes, each separated by commas; an empty text is all of them."""
    cases = all_cases()
    known = {c.name for c in cases}
    wanted = set(names.split(",")) if names else known
    if wanted - known:
        raise ValueError(f"no case {', '.join(sorted(wanted - known))}; there are {', '.join(sorted(known))}")
    return [c for c in cases if c.name in wanted and (not dtypes or c.dtype in dtypes.split(","))]
