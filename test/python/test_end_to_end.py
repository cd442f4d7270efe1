"""torch.compile(backend="trace") against eager: values, gradients, autograd's bookkeeping, side effects."""

from __future__ import annotations

import gc
import weakref

import pytest
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch_trace
from torch.utils.checkpoint import checkpoint


@pytest.fixture(autouse=True)
def strict():
    """No falling back to eager unless a test asks for it."""
    with torch_trace.config.patch(fallback="error"):
        yield


def compiled(f, **options):
    return torch.compile(f, backend="trace", fullgraph=True, **options)


def leaves(*tensors):
    return [t.detach().clone().requires_grad_(t.requires_grad) for t in tensors]


def run(f, tensors, cotangents=None):
    """Outputs, requires_grad flags, and gradients of the inputs."""
    outputs = f(*tensors)
    outputs = list(outputs) if isinstance(outputs, tuple | list) else [outputs]
    wanted = [o for o in outputs if isinstance(o, torch.Tensor) and o.requires_grad]
    if wanted:
        cotangents = [torch.linspace(-1, 1, o.numel()).reshape(o.shape).to(o.dtype) for o in wanted]
        torch.autograd.backward(wanted, cotangents)
    return outputs, [t.grad for t in tensors]


def agree(f, *tensors, rtol=1e-5, atol=1e-6, **options):
    expected, expected_grads = run(f, leaves(*tensors))
    got, grads = run(compiled(f, **options), leaves(*tensors))
    assert len(got) == len(expected)
    for a, b in zip(got, expected, strict=True):
        if isinstance(b, torch.Tensor):
            torch.testing.assert_close(a.detach(), b.detach(), rtol=rtol, atol=atol, equal_nan=True)
            assert a.requires_grad == b.requires_grad
            assert a.stride() == b.stride()
        else:
            assert a == b
    for a, b in zip(grads, expected_grads, strict=True):
        assert (a is None) == (b is None)
        if b is not None:
            torch.testing.assert_close(a, b, rtol=rtol, atol=atol, equal_nan=True)


def x(*shape, grad=True, dtype=torch.float32):
    return torch.randn(*(shape or (4, 8)), dtype=dtype, requires_grad=grad)


DTYPES = [(torch.float32, 1e-5), (torch.float64, 1e-10), (torch.bfloat16, 2e-2)]


@pytest.mark.parametrize("dtype,tolerance", DTYPES)
def test_mlp(dtype, tolerance):
    def f(x, w, b, v):
        return F.gelu(F.linear(x, w, b)) @ v

    agree(f, x(4, 8, dtype=dtype), x(16, 8, dtype=dtype), x(16, dtype=dtype), x(16, 3, dtype=dtype), rtol=tolerance,
          atol=tolerance)


@pytest.mark.parametrize("dtype,tolerance", DTYPES)
def test_layer_norm_and_softmax(dtype, tolerance):
    def f(x, w, b):
        return torch.softmax(F.layer_norm(x, (8,), w, b), -1)

    agree(f, x(4, 8, dtype=dtype), x(8, dtype=dtype), x(8, dtype=dtype), rtol=tolerance, atol=tolerance)


def test_module_parameters_accumulate():
    torch.manual_seed(0)
    eager = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    mine = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    mine.load_state_dict(eager.state_dict())
    fast = compiled(mine)
    for _ in range(3):
        data = torch.randn(5, 8)
        eager(data).square().mean().backward()
        fast(data).square().mean().backward()
    for a, b in zip(mine.parameters(), eager.parameters(), strict=True):
        torch.testing.assert_close(a.grad, b.grad)


def test_several_and_nested_outputs():
    def f(x, y):
        return {"a": x * y, "b": [x.sin(), (y.cos(), x.sum())]}

    a, b = x(), x()
    expected, got = f(a, b), compiled(f)(a, b)
    torch.testing.assert_close(got, expected)


def test_outputs_without_gradient():
    agree(lambda x: (x * 2, x.argmax(), x > 0, x.detach(), torch.ones(3), x.long(), (x > 0).float()), x())


def test_input_as_output_and_no_tensors():
    a, b = x(), x()
    r = compiled(lambda x, y: (x, x * y, None, 7, x[:]))(a, b)
    assert r[0] is a and r[2] is None and r[3] == 7 and r[4].data_ptr() == a.data_ptr()
    (r[0].sum() * 3 + r[1].sum() + r[4].sum()).backward()
    torch.testing.assert_close(a.grad, b.detach() + 4)


def test_same_value_twice():
    a = x()
    y, z = compiled(lambda x: (lambda y: (y, y))(x.sin()))(a)
    (y.sum() + 10 * z.sum()).backward()
    torch.testing.assert_close(a.grad, 11 * a.detach().cos())


def test_equal_expressions_are_distinct_outputs():
    y, z = compiled(lambda x: (x.sin(), x.sin()))(x())
    assert y.data_ptr() != z.data_ptr()


def test_clone_of_an_input_is_a_new_tensor():
    a = x(grad=False)
    y = compiled(lambda x: x.clone())(a)
    assert y.data_ptr() != a.data_ptr()
    torch.testing.assert_close(y, a)


def test_unused_input_and_parameter():
    a, b = x(), x()
    compiled(lambda x, y: x * 2)(a, b).sum().backward()
    assert b.grad is None and a.grad is not None


def test_tied_parameters():
    class LM(nn.Module):
        def __init__(self):
            super().__init__()
            self.emb, self.head = nn.Embedding(11, 6), nn.Linear(6, 11, bias=False)
            self.head.weight = self.emb.weight

        def forward(self, t):
            return F.cross_entropy(self.head(torch.tanh(self.emb(t))), t.roll(1, 0))

    t = torch.tensor([1, 5, 5, 2, 10, 0])
    m = LM()
    m(t).backward()
    expected = m.emb.weight.grad.clone()
    m.zero_grad()
    compiled(m)(t).backward()
    torch.testing.assert_close(m.emb.weight.grad, expected)


def test_frozen_parameter():
    m = nn.Linear(8, 3)
    m.bias.requires_grad_(False)
    compiled(m)(x(grad=False)).sum().backward()
    assert m.bias.grad is None and m.weight.grad is not None


def test_detached_branch_and_no_grad_block():
    def f(x):
        with torch.no_grad():
            s = x.std() + 1
        return x + x.detach() * x, (x - x.mean()) / s

    agree(f, x())


def test_in_place_on_intermediates():
    def f(x):
        y = x * 2
        y.add_(1)
        y[0].mul_(3)
        y.view(-1)[3:5] = x[0, :2]
        return y.relu_()

    agree(f, x())


@pytest.mark.parametrize("training", [True, False])
def test_batch_norm(training):
    eager, mine = nn.BatchNorm2d(3).train(training), nn.BatchNorm2d(3).train(training)
    fast = compiled(mine)
    for _ in range(2):
        a = torch.randn(4, 3, 5, 5, requires_grad=True)
        b = a.detach().clone().requires_grad_()
        p, q = eager(a), fast(b)
        torch.testing.assert_close(q, p)
        (p.square().sum()).backward()
        (q.square().sum()).backward()
        torch.testing.assert_close(b.grad, a.grad, rtol=1e-4, atol=1e-4)
    for (n, p), (_, q) in zip(eager.named_buffers(), mine.named_buffers(), strict=True):
        torch.testing.assert_close(q, p, msg=n)
    for p, q in zip(eager.parameters(), mine.parameters(), strict=True):
        torch.testing.assert_close(q.grad, p.grad, rtol=1e-4, atol=1e-4)


def test_mutated_inputs():
    a, b = torch.randn(4, 8), torch.randn(4, 8)
    c = a.clone()

    def f(a, b):
        before = a + 0
        a.relu_()
        mid = a * b
        a.add_(1.0)
        return before, mid, a + 1

    expected = f(c, b)
    got = compiled(f)(a, b)
    torch.testing.assert_close(got, expected)
    torch.testing.assert_close(a, c)


def test_nonleaf_input_mutated():
    def f(y):
        y.mul_(2)
        y.sin_()
        return y * 5

    results = []
    for g in (f, compiled(f)):
        torch.manual_seed(3)
        a = x()
        y = a * 3
        out = g(y)
        (y.sum() + out.sum()).backward()
        results.append((y.detach(), out.detach(), a.grad))
    torch.testing.assert_close(results[1], results[0])


def test_overlapping_mutated_inputs():
    base = torch.arange(6.0)

    def f(a, b):
        a.add_(1)
        return a + b

    expected = f(base[:4].clone(), base[2:].clone())
    other = base.clone()
    expected = f(other[:4], other[2:])
    got = compiled(f)(base[:4], base[2:])
    torch.testing.assert_close(got, expected)
    torch.testing.assert_close(base, other)


def test_dropout_mask_in_backward():
    a, w = torch.ones(40, 50, requires_grad=True), torch.randn(50, 4, requires_grad=True)
    y, z = compiled(lambda x, w: (lambda y: (y, y @ w))(F.dropout(x, 0.3, True)))(a, w)
    z.sum().backward()
    keep = y.detach() != 0
    torch.testing.assert_close(a.grad, torch.where(keep, 1 / 0.7, 0.0) * w.detach().sum(1), rtol=1e-4, atol=1e-4)
    assert 0.6 < keep.float().mean().item() < 0.8


def test_dropout_follows_the_seed_and_changes_between_calls():
    f = compiled(lambda x: F.dropout(x, 0.5, True))
    a = torch.ones(100)
    torch.manual_seed(1)
    first, second = f(a), f(a)
    torch.manual_seed(1)
    assert torch.equal(f(a), first) and not torch.equal(first, second)


def test_retain_graph_and_second_backward():
    a, w = x(4, 5), x(5, 3)
    y = compiled(lambda x, w: torch.softmax(torch.tanh(x @ w), -1).square())(a, w).sum()
    y.backward(retain_graph=True)
    first = a.grad.clone()
    y.backward()
    torch.testing.assert_close(a.grad, 2 * first)
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_saved_value_modified():
    a, w = torch.ones(3), torch.ones(3, requires_grad=True)
    y = compiled(lambda x, w: torch.exp(x * w) * x)(a, w)
    a.mul_(100.0)
    with pytest.raises(RuntimeError, match="modified by an inplace"):
        y.sum().backward()


def test_leaf_mutation_is_an_error():
    with pytest.raises(Exception, match="leaf Variable"), torch_trace.config.patch(fallback="eager"):
        torch.compile(lambda x: x.add_(1) * 2, backend="trace")(torch.zeros(3, requires_grad=True))


def test_inference_mode_and_no_grad():
    f = compiled(lambda x, w: F.gelu(x @ w))
    a, w = x(), x(8, 8)
    expected = F.gelu(a @ w).detach()
    with torch.no_grad():
        y = f(a, w)
        assert not y.requires_grad
        torch.testing.assert_close(y, expected)
    with torch.inference_mode():
        y = f(a, w)
        assert y.is_inference()
        torch.testing.assert_close(y.clone(), expected)


def test_no_backward_function_without_gradient():
    f = compiled(lambda x: x.sin() * 2)
    f(x(grad=False))
    (graph,) = torch_trace.stages(f)
    assert "backward" not in graph and "get_grad" not in graph.get("joint", "")


def test_only_some_cotangents():
    f = compiled(lambda x, w: (torch.exp(x) * w, x.sin()))
    for pick in ((1,), (0,), (0, 1)):
        a, w = x(), x()
        b, v = leaves(a, w)
        o, p = f(a, w), (torch.exp(b) * v, b.sin())
        sum(o[i].sum() for i in pick).backward()
        sum(p[i].sum() for i in pick).backward()
        torch.testing.assert_close(a.grad, b.grad)
        if v.grad is not None:
            torch.testing.assert_close(w.grad, v.grad)


@pytest.mark.parametrize("layout", ["transposed", "expanded", "strided"])
def test_cotangents_of_any_layout(layout):
    base = torch.randn(5, 3)
    g = {"transposed": base.t(), "expanded": torch.ones(()).expand(3, 5),
         "strided": torch.stack([base.t()] * 2, -1)[..., 1]}[layout]
    a, w = x(3, 4), x(4, 5)
    b, v = leaves(a, w)
    compiled(lambda x, w: torch.tanh(x @ w))(a, w).backward(g)
    torch.tanh(b @ v).backward(g)
    torch.testing.assert_close((a.grad, w.grad), (b.grad, v.grad))


def test_double_backward():
    f = compiled(lambda x: x**5 + torch.sin(x) * x)
    a = torch.tensor([1.0, 0.5, -2.0], requires_grad=True)
    (g,) = torch.autograd.grad(f(a).sum(), a, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), a)
    (g2,) = torch.autograd.grad((a**5 + torch.sin(a) * a).sum(), a, create_graph=True)
    (h2,) = torch.autograd.grad(g2.sum(), a)
    torch.testing.assert_close((g.detach(), h), (g2.detach(), h2))


def test_custom_function():
    class Half(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 0.5

    class Three(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b, c):
            return a + b * c.detach()

        @staticmethod
        def backward(ctx, g):
            return g * 2, g * 5, None

    agree(lambda x: Half.apply(x * 2).sin(), x())
    # Dynamo itself refuses one tensor in two slots; two tensors of one value are the same to us.
    agree(lambda x: Three.apply(x, x * 1, x + 0) * x, x())


def test_checkpoint():
    def block(y):
        z = y * 2
        z += y.exp()
        return z.relu() * z

    agree(lambda x: checkpoint(block, x, use_reentrant=False) + checkpoint(block, x * 0.5, use_reentrant=False), x(),
          rtol=1e-4)


def test_checkpoint_with_dropout():
    a = (torch.rand(200) + 0.1).requires_grad_()
    f = compiled(lambda x: checkpoint(lambda y: F.dropout(torch.sin(y), 0.5, True), x, use_reentrant=False))
    y = f(a)
    y.sum().backward()
    torch.testing.assert_close(a.grad, torch.where(y.detach() != 0, 2 * a.detach().cos(), 0.0), rtol=1e-4, atol=1e-5)


def test_aliased_outputs():
    def f(x):
        y = x.mean(1)
        return y, y.detach(), y.view(2, 2)

    a = x()
    p, q, r = compiled(f)(a)
    assert p.data_ptr() == q.data_ptr() == r.data_ptr()
    assert p.requires_grad and not q.requires_grad and r.requires_grad
    (p.sum() + 2 * r.sum()).backward()
    torch.testing.assert_close(a.grad, torch.full((4, 8), 3 / 8))


def test_view_of_an_input_carries_gradient():
    agree(lambda x: (x.t()[1:], x * 2), x())


@pytest.mark.parametrize("tensor", [
    torch.randn(4, 8).t(), torch.randn(9)[1:].view(2, 4), torch.randn(3, 1).expand(3, 5), torch.empty(0, 4),
    torch.tensor(2.0), torch.randn(2, 3, 4)[:, ::2],
], ids=["transposed", "offset", "expanded", "empty", "0-d", "strided"])
def test_inputs_of_any_layout(tensor):
    def f(x):
        return x * 2 + 1, x.sin().sum()

    torch.testing.assert_close(compiled(f)(tensor), f(tensor))


def test_output_strides_are_eagers():
    agree(lambda x: (x.t() * 2, x.t().contiguous(), x.permute(1, 0) + x.t()), x())


def test_sizes_that_change():
    m = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 3))
    f = compiled(m)
    for n in (4, 1, 7, 0, 4):
        data = torch.randn(n, 6)
        m.zero_grad()
        m(data).sum().backward()
        expected = [p.grad.clone() for p in m.parameters()]
        m.zero_grad()
        f(data).sum().backward()
        torch.testing.assert_close([p.grad for p in m.parameters()], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("exponent", [0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.0, -2.0, 3.0, -3.0])
def test_powers_by_number_and_by_tensor(exponent):
    """Eager computes x**0.5 as sqrt(x), but a tensor of 0.5 by pow: -0.0, -inf and the ends of the range tell them apart."""
    inf = float("inf")
    points = torch.tensor([0.0, -0.0, inf, -inf, float("nan"), 2.0, -2.0, 1e20, -1e20, 1e-20, 3e38] * 2)

    def f(x):
        return x**exponent, torch.pow(x, torch.full_like(x, exponent)), torch.pow(x, torch.tensor(exponent))

    for dtype in (torch.float32, torch.float64):
        x = points.to(dtype)
        for got, expected in zip(compiled(f)(x), f(x), strict=True):
            torch.testing.assert_close(got, expected, rtol=1e-6, atol=0, equal_nan=True)
            assert torch.equal(torch.signbit(got)[~got.isnan()], torch.signbit(expected)[~expected.isnan()])


def test_autocast():
    def f(x, w):
        with torch.autocast("cpu", torch.bfloat16):
            return x @ w

    agree(f, x(4, 8), x(8, 4), rtol=2e-2, atol=2e-2)


def test_attention():
    def f(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    agree(f, x(1, 2, 4, 8), x(1, 2, 4, 8), x(1, 2, 4, 8), rtol=1e-4, atol=1e-5)


def test_convolution_net():
    m = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
                      nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5)).eval()
    data = torch.randn(2, 3, 8, 8)
    m(data).sum().backward()
    expected = [p.grad.clone() for p in m.parameters()]
    m.zero_grad()
    compiled(m)(data).sum().backward()
    torch.testing.assert_close([p.grad for p in m.parameters()], expected, rtol=1e-4, atol=1e-5)


def test_index_out_of_range():
    with pytest.raises(IndexError, match="out of (range|bounds)"):
        compiled(lambda i, w: F.embedding(i, w) * 2)(torch.tensor([0, 9, 1]), torch.randn(4, 3))


def test_saved_tensors_freed_after_backward():
    a = torch.randn(64, 64, requires_grad=True)
    f = compiled(lambda x: (x.exp() * x.exp().sum()).sin())
    y = f(a)
    node = y.grad_fn
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        node.saved_tensors  # noqa: B018


def test_nothing_kept_after_reset():
    def step():
        m = nn.Linear(16, 16)
        a = torch.randn(4, 16)
        f(m.weight, a).sum().backward()
        return weakref.ref(m.weight), weakref.ref(a)

    f = compiled(lambda w, x: torch.tanh(x @ w.t()))
    references = step()
    torch._dynamo.reset()
    gc.collect()
    assert [r() for r in references] == [None, None]


def test_unsupported_falls_back_with_a_warning():
    def f(x):
        return torch.fft.rfft(x).abs()

    a = torch.randn(4, 8)
    with torch_trace.config.patch(fallback="eager"), pytest.warns(UserWarning, match="complex"):
        got = torch.compile(f, backend="trace")(a)
    torch.testing.assert_close(got, f(a))


def test_unsupported_error_names_the_line():
    def f(x):
        return torch.fft.rfft(x).abs()

    with pytest.raises(Exception, match=rf"test_end_to_end.py:{f.__code__.co_firstlineno + 1}"):
        compiled(f)(torch.randn(4, 8))


def test_stages_and_report():
    f = compiled(lambda x, w: F.gelu(x @ w).sum())
    f(x(), x(8, 8)).backward()
    (stages,) = torch_trace.stages(f)
    assert list(stages)[:5] == ["captured", "joint", "scheduled", "forward", "backward"] and "lowered" in stages
    assert "trace.get_grad" in stages["joint"]
    report = torch_trace.report(f)
    assert report[0]["fusions"] >= 1 and report[0]["saved_bytes"] >= 0
    assert set(report[0]) == {"fusions", "library_calls", "saved_bytes", "saved_tensors", "compile_seconds"}
    assert "saved bytes" in str(report)


def test_stages_of_a_module():
    m = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    f = compiled(m)
    f(x(grad=False))
    assert len(torch_trace.stages(f)) == 1


def test_dump(tmp_path):
    with torch_trace.config.patch(dump=str(tmp_path)):
        compiled(lambda x: x.sin())(x()).sum().backward()
    names = {p.name.split(".", 1)[1] for p in tmp_path.iterdir()}
    assert {"trace.mlir", "joint.mlir", "fwd.mlir", "bwd.mlir"} <= names
