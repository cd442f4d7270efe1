"""Operators that do more than give results: checks that raise, draws from LibTorch's generator, errors of linear algebra.

They run through LibTorch, each exactly once and in the program's order, so that eager's generator gives eager's numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch_trace
from torch.utils.checkpoint import checkpoint

P = torch.linspace(0.1, 1.0, 8)


@pytest.fixture(autouse=True)
def strict():
    with torch_trace.config.patch(fallback="error"):
        yield


def compiled(f: Callable[..., Any]) -> Callable[..., Any]:
    return torch.compile(f, backend="trace", fullgraph=True)


def two_runs(f: Callable[..., Any], *arguments: torch.Tensor) -> list[list[Any]]:
    """Outputs of two calls in a row and what the generator gives next."""
    torch.manual_seed(7)
    return [f(*arguments), f(*arguments), torch.rand(3)]


@pytest.mark.parametrize(
    "f",
    [
        lambda p: torch.multinomial(p, 3),
        lambda p: (torch.multinomial(p, 3, True), torch.multinomial(p, 3, True)),
        lambda p: torch.poisson(p * 4) + torch.poisson(p * 4),
        lambda p: torch.randperm(8) + torch.multinomial(p, 8),
        lambda p: torch.normal(p, p),
        lambda p: torch.empty_like(p).geometric_(0.5) * torch.empty_like(p).cauchy_(),
        lambda p: torch.distributions.Categorical(probs=p).sample((4,)),
    ],
    ids=["multinomial", "two equal draws", "poisson", "randperm", "normal", "in place", "categorical"],
)
def test_draws_are_eagers(f):
    torch.testing.assert_close(two_runs(compiled(f), P), two_runs(f, P), rtol=1e-6, atol=1e-6)


def test_a_draw_that_nothing_reads_moves_the_generator():
    def f(p):
        torch.multinomial(p, 3)
        return p * 2

    torch.testing.assert_close(two_runs(compiled(f), P), two_runs(f, P), rtol=0, atol=0)


def test_draws_in_training():
    """The backward takes what the forward drew."""

    def f(x, p):
        mask = torch.poisson(p * 3)
        return (x * mask).sin() * mask + torch.poisson(p)

    def run(function):
        torch.manual_seed(3)
        x = torch.linspace(0, 1, 8, requires_grad=True)
        y = function(x, P)
        y.sum().backward()
        return y.detach(), x.grad, torch.rand(2)

    def kept(x, p):
        return checkpoint(f, x, p, use_reentrant=False)

    expected = run(f)
    torch.testing.assert_close(run(compiled(f)), expected)
    torch.testing.assert_close(run(compiled(kept)), expected)


def test_draws_with_a_gradient_in_a_checkpoint_are_refused():
    def f(x):
        return checkpoint(lambda a: torch.normal(a, 1.0) * torch._standard_gamma(a.exp()), x, use_reentrant=False)

    with pytest.raises(Exception, match="a random operator of LibTorch with a gradient in a checkpoint"):
        compiled(f)(torch.ones(4, requires_grad=True))


def test_double_backward_would_draw_again():
    x = torch.linspace(0.1, 1, 8, requires_grad=True)
    y = compiled(lambda x: x.exp() * torch.poisson(x.detach()))(x)
    with pytest.raises(RuntimeError, match="double backward through a compiled graph with random numbers"):
        torch.autograd.grad(y.sum(), x, create_graph=True)


def test_asserts():
    def f(x, y):
        torch._assert_async((x > 0).all(), "x must be positive")
        torch._assert_async((y > 0).all(), "y must be positive")
        return x * y

    g = compiled(f)
    one = torch.ones(3)
    torch.testing.assert_close(g(one, one), one)
    # The first that fails in the program's order.
    for arguments, message in (((-one, one), "x must"), ((one, -one), "y must"), ((-one, -one), "x must")):
        with pytest.raises(RuntimeError, match=rf"test_effects.py:\d+: {message} be positive"):
            g(*arguments)
    torch.testing.assert_close(g(one, one), one)


def test_a_function_that_only_asserts():
    g = compiled(lambda x: torch._assert_async(x.sum() > 0, "no"))
    assert g(torch.ones(2)) is None
    with pytest.raises(RuntimeError, match="no"):
        g(-torch.ones(2))


def test_asserts_in_training():
    def f(x):
        torch._assert_async((x > 0).all(), "positive")
        return checkpoint(lambda a: (torch._assert_async((a < 9).all(), "small"), a.exp().sin())[1], x, use_reentrant=False)

    g = compiled(f)
    x = torch.ones(3, requires_grad=True)
    g(x).sum().backward()
    torch.testing.assert_close(x.grad, x.detach().exp().cos() * x.detach().exp())
    with pytest.raises(RuntimeError, match="small"):
        g(torch.full((3,), 9.5, requires_grad=True))


@pytest.mark.parametrize(
    "f,bad",
    [
        (torch.linalg.inv, torch.zeros(3, 3)),
        (torch.linalg.cholesky, -torch.eye(3)),
        (lambda a: torch.linalg.solve(a, torch.ones(3)), torch.zeros(3, 3)),
        (torch.linalg.eigvalsh, torch.full((3, 3), float("nan"))),
    ],
    ids=["inv", "cholesky", "solve", "eigvalsh"],
)
def test_errors_of_linear_algebra(f, bad):
    g = compiled(lambda a: f(a) * 2)
    good = torch.diag(torch.arange(1.0, 4.0)).requires_grad_()
    torch.testing.assert_close(g(good), f(good) * 2)
    with pytest.raises(torch.linalg.LinAlgError) as eager:
        f(bad)
    with pytest.raises(torch.linalg.LinAlgError) as ours:
        g(bad.clone().requires_grad_())
    assert str(eager.value).split("(error code")[0] in str(ours.value)
    g(good).sum().backward()
    expected = torch.autograd.grad((f(good) * 2).sum(), good)[0]
    torch.testing.assert_close(good.grad, expected)
