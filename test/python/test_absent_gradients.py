"""Which gradients are None and which are zeros: as eager's, for every choice of outputs that take part in the loss.

Optimizers tell the two apart (weight decay and momentum act on zeros, not on None), so it has to be eager's choice and
not what the compiler happens to know.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch_trace
from torch.utils.checkpoint import checkpoint


def vector(*shape: int, grad: bool = True) -> torch.Tensor:
    return torch.randn(*(shape or (4, 6)), requires_grad=grad)


class Pair(torch.autograd.Function):
    """Two inputs, of which the second has no gradient; two outputs, of which the second is not differentiable."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        sign = torch.sign(y)
        ctx.mark_non_differentiable(sign)
        return x * 2, sign

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor, _: torch.Tensor) -> tuple[torch.Tensor, None]:
        return grad * 2, None


def no_grad_branch(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        scale = y.exp()
    return x * scale


def overwritten(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    z = x.clone()
    z[:] = y
    return z


def half_overwritten(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    z = x.clone()
    z[:2] = y[:2]
    return z[:2] * 1, z[2:] * 1


def filled(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x.clone().fill_(1.0) * y


def shared(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
    hidden = x.exp()
    return hidden.sin(), hidden.detach() * y, hidden * y


CASES: dict[str, Callable[..., Any]] = {
    "unused": lambda x, y: x.sin(),
    "detached": lambda x, y: x * y.detach(),
    "detached twice": lambda x, y: (x * y.detach(), y * x.detach()),
    "no_grad": no_grad_branch,
    "times zero": lambda x, y: x * 0.0 + y * 0,
    "minus itself": lambda x, y: (x - x) * y,
    "times zeros": lambda x, y: x * torch.zeros_like(x) + y.new_zeros(4, 6),
    "power zero": lambda x, y: x**0 + y.pow(torch.zeros(4, 6)),
    "own output each": lambda x, y: (x.sin(), y.cos()),
    "joint and own": lambda x, y: (x * y, y.cos(), x.sum()),
    "chain": lambda x, y: (x.exp(), x.exp() * y, (x.exp() * y).sum()),
    "shared": shared,
    "input returned": lambda x, y: (x, y * 2),
    "input returned twice": lambda x, y: (x, x, x * y),
    "view of an input": lambda x, y: (x.view(-1), y * 1),
    "same output twice": lambda x, y: (x.sin(), x.sin(), y.sin()),
    "step functions": lambda x, y: (x.sign(), x.round(), x.floor() * y, y.trunc(), y.ceil()),
    "comparisons": lambda x, y: ((x > 0).float() * y, torch.where(x > 0, 1.0, 0.0) * x),
    "likes": lambda x, y: (torch.ones_like(x) * y, torch.full_like(y, 2.0) * x, torch.rand_like(x) * y),
    "relu of negatives": lambda x, y: (F.relu(-x.abs() - 1), F.relu(y)),
    "clamped away": lambda x, y: (x.clamp(-1e-9, 1e-9), y.clamp_min(100.0)),
    "where of constants": lambda x, y: torch.where(torch.ones(4, 6, dtype=torch.bool), x, y),
    "masked": lambda x, y: (x.masked_fill(torch.ones(4, 6, dtype=torch.bool), 0.0), y.masked_fill(x > 100, 0.0)),
    "overwritten": overwritten,
    "half overwritten": half_overwritten,
    "filled": filled,
    "split": lambda x, y: x.split(2)[0] * y[:2],
    "split outputs": lambda x, y: (*x.split(2), y * 1),
    "unbind": lambda x, y: (x.unbind(0)[1], y.unbind(1)[0]),
    "cat and slice": lambda x, y: (torch.cat([x, y])[:4], torch.cat([x, y])[2:6]),
    "var_mean": lambda x, y: (*torch.var_mean(x, 1), y.mean()),
    "var of var_mean": lambda x, y: torch.var_mean(x * y, 1)[0],
    "max": lambda x, y: (*x.max(1), y.max()),
    "topk": lambda x, y: (*x.topk(2, 1), y.sort(1)[0][:, 0]),
    "indices only": lambda x, y: x.gather(1, y.argmax(1, keepdim=True)),
    "gather and select": lambda x, y: (x.index_select(0, torch.tensor([1, 1])), y.gather(1, torch.zeros(4, 1).long())),
    "empty": lambda x, y: (x[:0], y[:0].sum(), (x[:0] * y[:0]).sum()),
    "softmax": lambda x, y: (torch.softmax(x, 1), torch.log_softmax(x, 1), torch.logsumexp(y, 1)),
    "dropout of all": lambda x, y: (F.dropout(x, 1.0), F.dropout(y, 0.0)),
    "custom function": lambda x, y: Pair.apply(x, y),
    "custom function and more": lambda x, y: (Pair.apply(x, y)[0] * y, Pair.apply(y, x)[1] * x),
    "checkpoint": lambda x, y: checkpoint(lambda a, b: a.sin(), x, y, use_reentrant=False),
    "checkpoint of both": lambda x, y: checkpoint(lambda a, b: (a.sin(), (a * b).cos()), x, y, use_reentrant=False),
    "expand": lambda x, y: (x[:1].expand(4, 6) * 1, y.sum(0, keepdim=True).expand(3, 6)),
    "matmul": lambda x, y: (x @ y.T, x @ y.T.detach(), x.detach() @ y.T),
    "matmul of nothing": lambda x, y: x[:, :0] @ y[:, :0].T,
    "layer_norm": lambda x, y: (F.layer_norm(x, (6,), y[0], y[1]), F.layer_norm(x.detach(), (6,), y[2])),
    "loss against itself": lambda x, y: (F.mse_loss(x, x), F.mse_loss(x, y.detach()), F.l1_loss(y, y)),
    "cross_entropy, all ignored": lambda x, y: F.cross_entropy(x, torch.full((4,), -100), reduction="sum") + y.sum() * 0,
    "bool and integer outputs": lambda x, y: (x > 0, x.argmax(1), y.long(), x * 1),
    "nan_to_num and fmod": lambda x, y: (torch.nan_to_num(x), torch.fmod(x, y), torch.remainder(y, 2.0)),
    "attention": lambda x, y: F.scaled_dot_product_attention(x[None, None], y[None, None], y[None, None].detach()),
}


def run(f: Callable[..., Any], chosen: tuple[int, ...] | None) -> tuple[list[int], list[torch.Tensor | None], list[bool]]:
    """Backward from the chosen outputs: which can be chosen, the inputs' gradients, which outputs require grad."""
    torch.manual_seed(0)
    inputs = [vector(), vector()]
    outputs = f(*inputs)
    outputs = list(outputs) if isinstance(outputs, tuple) else [outputs]
    candidates = [i for i, o in enumerate(outputs) if o.requires_grad]
    if chosen:
        taken = [outputs[i] for i in chosen]
        torch.autograd.backward(taken, [torch.ones_like(t) for t in taken])
    return candidates, [x.grad for x in inputs], [o.requires_grad for o in outputs]


@pytest.mark.parametrize("name", CASES)
def test_none_as_eager(name: str) -> None:
    f = CASES[name]
    candidates, _, flags = run(f, None)
    random = "rand" in name or name == "likes"
    with torch_trace.config.patch(fallback="error"):
        compiled = torch.compile(f, backend="trace", fullgraph=True)
        assert run(compiled, None)[2] == flags
        for chosen in dict.fromkeys([*((i,) for i in candidates), *itertools.pairwise(candidates), tuple(candidates)]):
            expected, got = run(f, chosen)[1], run(compiled, chosen)[1]
            assert [g is None for g in got] == [g is None for g in expected], f"outputs {chosen}"
            for a, b in zip(got, expected, strict=True):
                if b is not None and not random:
                    torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6, msg=lambda m: f"outputs {chosen}: {m}")


class Net(nn.Module):
    """Parameters in every situation."""

    def __init__(self) -> None:
        super().__init__()
        self.used = nn.Linear(6, 6)
        self.head = nn.Linear(6, 3)
        self.other = nn.Linear(6, 2)
        self.unused = nn.Linear(6, 6)
        self.frozen = nn.Linear(6, 6)
        self.detached = nn.Linear(6, 6)
        self.norm = nn.BatchNorm1d(6)
        self.embedding = nn.Embedding(5, 6)
        self.scale = nn.Parameter(torch.zeros(6))
        self.frozen.requires_grad_(False)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        h = torch.relu(self.norm(self.used(x)))
        h = h + self.frozen(h) + self.detached(h).detach() + self.scale * self.embedding(torch.tensor([0, 1, 1, 3]))
        return self.head(h), self.other(h), self.embedding.weight.sum(0) * 0


@pytest.mark.parametrize("chosen", [(0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize("training", [True, False])
def test_parameters_of_a_module(chosen: tuple[int, ...], training: bool) -> None:
    def gradients(compile: bool) -> dict[str, torch.Tensor | None]:
        torch.manual_seed(0)
        net = Net().train(training)
        model = torch.compile(net, backend="trace", fullgraph=True) if compile else net
        for _ in range(2):  # gradients accumulate: None stays None, zeros stay zeros
            outputs = model(torch.randn(4, 6))
            torch.autograd.backward([outputs[i].sum() for i in chosen])
        return {name: p.grad for name, p in net.named_parameters()}

    with torch_trace.config.patch(fallback="error"):
        expected, got = gradients(False), gradients(True)
    assert {n for n, g in got.items() if g is None} == {n for n, g in expected.items() if g is None}
    for name, gradient in expected.items():
        if gradient is not None:
            torch.testing.assert_close(got[name], gradient, rtol=1e-5, atol=1e-6)


def test_autograd_grad_allow_unused() -> None:
    def f(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x * y, z.exp()

    compiled = torch.compile(f, backend="trace", fullgraph=True)
    for materialize in (False, True):
        found = []
        for function in (f, compiled):
            torch.manual_seed(0)
            inputs = [vector() for _ in range(3)]
            first, _ = function(*inputs)
            found.append(torch.autograd.grad(first.sum(), inputs, allow_unused=True, materialize_grads=materialize))
        assert [g is None for g in found[0]] == [g is None for g in found[1]] == [False, False, not materialize]
