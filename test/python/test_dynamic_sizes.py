"""Dynamic sizes: Dynamo hands over one graph for all sizes, which is compiled anew for each set of sizes it is called
with. Results, gradients and side effects are eager's for every set, and Dynamo itself traces once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch_trace
from torch._dynamo.testing import CompileCounterWithBackend


@pytest.fixture(autouse=True)
def strict():
    with torch_trace.config.patch(fallback="error"):
        yield


def dynamic(f: Callable[..., Any]) -> Callable[..., Any]:
    return torch.compile(f, backend="trace", fullgraph=True, dynamic=True)


def run(f: Callable[..., Any], *shapes: tuple[int, ...]) -> tuple[list[Any], list[Any]]:
    generator = torch.Generator().manual_seed(sum(map(sum, shapes)))
    inputs = [torch.randn(shape, generator=generator).requires_grad_() for shape in shapes]
    outputs = f(*inputs)
    outputs = list(outputs) if isinstance(outputs, tuple) else [outputs]
    for output in outputs:
        if isinstance(output, torch.Tensor) and output.requires_grad:
            output.sum().backward(retain_graph=True)
    return [o.detach() if isinstance(o, torch.Tensor) else o for o in outputs], [x.grad for x in inputs]


def agree(f: Callable[..., Any], g: Callable[..., Any], *shapes: tuple[int, ...]) -> None:
    expected, got = run(f, *shapes), run(g, *shapes)
    assert [type(o) for o in got[0]] == [type(o) for o in expected[0]]
    torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-5)
    for a, b in zip(got[0], expected[0], strict=True):
        if isinstance(b, torch.Tensor):
            assert a.stride() == b.stride()


def attention(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    mask = torch.ones(q.shape[1], k.shape[1], dtype=torch.bool).tril()
    scores = (q @ k.transpose(1, 2) / q.shape[-1] ** 0.5).masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, -1) @ k


CASES: dict[str, tuple[Callable[..., Any], list[tuple[tuple[int, ...], ...]]]] = {
    "elementwise": (lambda x, y: (x * y).sin() + x, [((n, 6), (n, 6)) for n in (2, 3, 17, 1, 0)]),
    "broadcast": (lambda x, y: x + y, [((4, 6), (6,)), ((3, 7), (7,)), ((5, 2), (2,))]),
    "size as a number": (lambda x: x * x.shape[0] + x.shape[1] / 2, [((4, 6),), ((3, 6),), ((7, 2),)]),
    "reshape": (lambda x: x.view(x.shape[0] // 2, -1).sum(1), [((4, 6),), ((6, 6),), ((8, 3),)]),
    "made by size": (lambda x: torch.arange(x.shape[1]) * x + torch.zeros(x.shape), [((4, 6),), ((3, 5),)]),
    "slices": (lambda x: (x[: x.shape[0] // 2] * 2, x[x.shape[0] // 2 :].exp()), [((4, 6),), ((5, 6),), ((9, 2),)]),
    "cat": (lambda x, y: torch.cat([x, y * 2]), [((4, 6), (2, 6)), ((3, 6), (5, 6)), ((3, 2), (9, 2))]),
    "mean": (lambda x: (x.mean(), x.var(1), x.softmax(0)), [((4, 6),), ((3, 9),), ((11, 2),)]),
    "matmul": (lambda x, y: F.gelu(x @ y), [((4, 6), (6, 3)), ((5, 6), (6, 8)), ((2, 3), (3, 4))]),
    "attention": (attention, [((2, 4, 8), (2, 4, 8)), ((2, 7, 8), (2, 7, 8)), ((3, 5, 8), (3, 5, 8))]),
    "size returned": (lambda x: (x * 2, x.shape[0], x.numel()), [((4, 6),), ((3, 5),)]),
    "branch on a size": (lambda x: x.sin() if x.shape[0] > 4 else x.cos(), [((3, 6),), ((4, 6),), ((5, 6),), ((9, 6),)]),
    "transposed": (lambda x: x.T.contiguous().view(-1) * 2, [((4, 6),), ((3, 5),)]),
    "interpolate": (lambda x: F.interpolate(x[None, None], scale_factor=2.0)[0, 0], [((4, 6),), ((3, 5),)]),
}


@pytest.mark.parametrize("name", CASES)
def test_dynamic_true(name: str) -> None:
    f, shapes = CASES[name]
    g = dynamic(f)
    for shape in [*shapes, shapes[0]]:
        agree(f, g, *shape)


@pytest.mark.parametrize("name", CASES)
def test_automatic(name: str) -> None:
    """Without `dynamic`: the first size is static, the second makes Dynamo trace again with a symbol."""
    f, shapes = CASES[name]
    g = torch.compile(f, backend="trace", fullgraph=True)
    for shape in [*shapes, shapes[0]]:
        agree(f, g, *shape)


def test_mark_dynamic_traces_once() -> None:
    counter = CompileCounterWithBackend("trace")
    model = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 3))
    g = torch.compile(model, backend=counter, fullgraph=True)
    for n in (5, 3, 12, 5):
        x = torch.randn(n, 6)
        torch._dynamo.mark_dynamic(x, 0)
        model.zero_grad()
        expected = model(x)
        expected.sum().backward()
        gradients = [p.grad.clone() for p in model.parameters()]
        model.zero_grad()
        got = g(x)
        got.sum().backward()
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close([p.grad for p in model.parameters()], gradients, rtol=1e-4, atol=1e-5)
    assert counter.frame_count == 1


def test_an_executable_for_each_set_of_sizes() -> None:
    g = torch.compile(lambda x: x.exp().sum(), backend="trace", fullgraph=True, dynamic=True)
    for n in (3, 4, 3, 5, 4):
        g(torch.randn(n, 6))
    assert len(torch_trace.stages(g)) == 3


def test_batch_norm_and_dropout() -> None:
    """What is written to and what is drawn, with sizes that change."""
    torch.manual_seed(0)
    model, other = (nn.Sequential(nn.BatchNorm1d(6), nn.Dropout(0.5)) for _ in range(2))
    other.load_state_dict(model.state_dict())
    g = dynamic(other)
    for n in (8, 5, 16):
        x = torch.randn(n, 6)
        y = g(x)
        model(x)
        kept = y != 0
        assert 0 < kept.sum() < kept.numel()
        with torch.no_grad():
            normal = F.batch_norm(x, None, None, other[0].weight, other[0].bias, True)
        torch.testing.assert_close(y[kept], 2 * normal[kept], rtol=1e-4, atol=1e-5)
    for a, b in zip(model.buffers(), other.buffers(), strict=True):
        torch.testing.assert_close(a, b)


def test_many_sizes_run_in_eager() -> None:
    """Past the limit, which is a warning, results are right still."""
    from torch_trace import backend

    f = lambda x: (x.sin() * 2).sum(1)  # noqa: E731
    g = dynamic(f)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for n in range(2, backend.MAX_SIZES + 6):
            x = torch.randn(n, 3)
            torch.testing.assert_close(g(x), f(x))
    assert any("sets of sizes" in str(w.message) for w in caught)
