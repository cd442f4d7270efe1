"""Whether a compiled problem computes what eager does: for blocks.py and gpu_check, which take this file with them."""

from __future__ import annotations

import copy
import math

import torch
from problems import Problem
from torch import Tensor, nn

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
F32_TOLERANCE, BF16_TOLERANCE = 2e-4, 2e-2


def as_tuple(result) -> tuple[Tensor, ...]:
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


def make_step(problem: Problem, fn):
    """() -> (outputs, gradients)"""

    def step():
        if not problem.grad:
            with torch.no_grad():
                return as_tuple(fn(*problem.args)), ()
        outputs = as_tuple(fn(*problem.args))
        return outputs, torch.autograd.grad(outputs, problem.leaves(), problem.cotangents)

    return step


def results_of(problem: Problem, result) -> list[Tensor]:
    outputs, gradients = result
    return [t.detach().clone() for t in (*outputs, *problem.written(), *gradients)]


def distances(got: list[Tensor], want: list[Tensor]) -> list[float]:
    """‖a-b‖/‖b‖ of each pair; a tensor that is all but zero is measured against the largest of its siblings."""
    if len(got) != len(want):
        return [math.inf]
    scale = max((w.float().square().mean().sqrt().item() for w in want), default=1.0)
    found = []
    for a, b in zip(got, want):
        if a.shape != b.shape or not torch.isfinite(a.float()).all():
            found.append(math.inf)
            continue
        floor = max(1e-3 * scale * math.sqrt(b.numel()), 1e-30)
        found.append(((a.float() - b.float()).norm() / max(b.float().norm().item(), floor)).item())
    return found


def upcast(problem: Problem) -> Problem:
    def up(t: Tensor) -> Tensor:
        return t.detach().float().requires_grad_(t.requires_grad) if t.is_floating_point() else t

    cotangents = None if problem.cotangents is None else tuple(up(t) for t in problem.cotangents)
    fn = copy.deepcopy(problem.fn).float() if isinstance(problem.fn, nn.Module) else problem.fn
    return Problem(fn, tuple(up(a) for a in problem.args), cotangents, problem.grad, problem.mutated)


class Reference:
    """Eager's results, and how far from them a backend's may be."""

    #: Of the results checked last, the largest distance as a part of its limit.
    worst = 0.0

    def __init__(self, make, dtype: str):
        problem = make(DTYPES[dtype])
        eager = results_of(problem, make_step(problem, problem.fn)())
        self.want, self.limits = eager, [problem.tolerance or F32_TOLERANCE] * len(eager)
        if dtype == "bf16":
            wide = upcast(make(DTYPES[dtype]))
            self.want = results_of(wide, make_step(wide, wide.fn)())
            self.limits = [max(BF16_TOLERANCE, 2 * d) for d in distances(eager, self.want)]

    def complaint(self, problem: Problem, result) -> str | None:
        if problem.random:
            return problem.random(*result)
        found = distances(results_of(problem, result), self.want)
        self.worst = max((d / limit for d, limit in zip(found, self.limits)), default=0.0)
        if len(found) != len(self.limits):
            return "another number of results"
        for number, (distance, limit) in enumerate(zip(found, self.limits)):
            if not distance <= limit:
                return f"result {number} is off by {distance:.1e}"
        return None
