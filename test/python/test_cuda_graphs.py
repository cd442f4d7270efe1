"""mode="reduce-overhead": forwards and backwards captured whole and replayed.

Without a GPU the graphs are those of the emulated driver, whose launches compute, or of the fake driver, which writes down
the calls. Both see kernels only, so the programs here are fusions. With a GPU, PyTorch's own capture is tested too.
"""

import copy
import gc
import warnings

import pytest
import torch
import torch_trace
from test_device_emulation import TinyGPT, allocated, batch
from test_device_runtime import FAKE, Fake
from torch import nn
from torch_trace import cuda_graphs

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


@pytest.fixture(autouse=True)
def emulation():
    cuda_graphs._warned.clear()
    with torch_trace.config.patch(device_emulation=not torch.cuda.is_available(), fallback="error"):
        yield


DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def graphed(function, **options):
    return torch.compile(function, backend="trace", mode="reduce-overhead", **options)


def status(compiled):
    return [entry["cudagraphs"] for entry in torch_trace.report(compiled)]


class Model(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.scale, self.shift = nn.Parameter(torch.randn(width)), nn.Parameter(torch.randn(width))
        self.register_buffer("mean", torch.zeros(width))

    def forward(self, x):
        if self.training:
            with torch.no_grad():
                self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return ((x * self.scale + self.shift).softmax(-1) * x - self.mean.detach()).sum(-1).exp()


def pair():
    eager = Model().to(DEVICE)
    return eager, copy.deepcopy(eager)


def data(*shape):
    return torch.randn(*shape, device=DEVICE)


def test_training_follows_eager():
    eager, model = pair()
    compiled = graphed(model)
    inputs = [data(8, 16) for _ in range(6)]
    losses = []
    for module, run in ((eager, eager), (model, compiled)):
        optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
        losses.append([])
        for x in inputs:
            loss = run(x).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses[-1].append(loss.detach())
    torch.testing.assert_close(losses[1], losses[0])
    torch.testing.assert_close(list(model.state_dict().values()), list(eager.state_dict().values()))
    assert status(compiled) == [("captured", "captured")]


def test_results_and_gradients_are_the_callers():
    """The next replay overwrites neither."""
    eager, model = pair()
    model.eval(), eager.eval()
    compiled = graphed(model)
    inputs = [data(8, 16) for _ in range(5)]
    results = []
    for x in inputs:
        results.append(compiled(x))
        results[-1].sum().backward()
        eager(x).sum().backward()
    torch.testing.assert_close(results, [eager(x) for x in inputs])
    # Five gradients, accumulated.
    torch.testing.assert_close([p.grad for p in model.parameters()], [p.grad for p in eager.parameters()])


def test_two_forwards_before_a_backward():
    """What the first has kept is not overwritten by the second."""
    eager, model = pair()
    model.eval(), eager.eval()
    compiled = graphed(model)
    for _ in range(3):
        compiled(data(8, 16)).sum().backward()
    model.zero_grad()
    x, y = data(8, 16), data(8, 16)
    first, second = compiled(x), compiled(y)
    with torch.no_grad():
        torch.testing.assert_close(compiled(x), eager(x))
    first.sum().backward()
    torch.autograd.backward(eager(x).sum())
    torch.testing.assert_close(model.scale.grad, eager.scale.grad)
    second.sum().backward()
    eager(y).sum().backward()
    torch.testing.assert_close(model.scale.grad, eager.scale.grad)
    assert status(compiled)[0] == ("captured", "captured")


def test_a_backward_that_is_kept():
    """retain_graph=True: the forward's values may be wanted again, after another forward."""
    eager, model = pair()
    model.eval(), eager.eval()
    compiled = graphed(model)
    for _ in range(3):
        compiled(data(8, 16)).sum().backward()
    x = data(8, 16)
    (want,) = torch.autograd.grad(eager(x).sum(), eager.scale)
    loss = compiled(x).sum()
    for _ in range(3):
        (got,) = torch.autograd.grad(loss, model.scale, retain_graph=True)
        torch.testing.assert_close(got, want)
        compiled(data(8, 16))


def test_a_backward_never_run():
    """A result that is dropped frees its graph for the next forward."""
    _, model = pair()
    model.eval()
    compiled = graphed(model)
    graphs = None
    for _ in range(4):
        compiled(data(8, 16))
        (entry,) = torch_trace.inspection._executables(compiled)
        graphs = entry.graphs
    assert graphs.generation == 3 and not graphs._is_pending()


def test_parameters_that_change():
    """In place they are read where they are; elsewhere, a new graph is captured."""
    eager, model = pair()
    model.eval(), eager.eval()
    compiled = graphed(model)
    x = data(8, 16)
    for _ in range(2):
        compiled(x).sum().backward()
    for change in ("place", "data", "data", "place"):
        value = data(16)
        for module in (eager, model):
            with torch.no_grad():
                if change == "place":
                    module.scale.copy_(value)
                else:
                    module.scale.data = value.clone()
            module.zero_grad()
        for _ in range(2):
            result = compiled(x)
            torch.testing.assert_close(result, eager(x))
            result.sum().backward()
            eager(x).sum().backward()
            torch.testing.assert_close(model.scale.grad, eager.scale.grad)


def test_a_parameter_written_to_before_the_backward():
    _, model = pair()
    model.eval()
    compiled = graphed(model)
    for _ in range(3):
        loss = compiled(data(8, 16)).sum()
        loss.backward()
    loss = compiled(data(8, 16)).sum()
    with torch.no_grad():
        model.scale.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_an_input_written_to_before_the_backward():
    """The graph's copy of it is kept; what is done to the caller's is of no account."""
    eager, model = pair()
    model.eval(), eager.eval()
    compiled = graphed(model)
    for _ in range(3):
        compiled(data(8, 16)).sum().backward()
    x = data(8, 16)
    (want,) = torch.autograd.grad(eager(x).sum(), eager.scale)
    loss = compiled(x).sum()
    x.zero_()
    (got,) = torch.autograd.grad(loss, model.scale)
    torch.testing.assert_close(got, want)


def test_other_shapes():
    eager, model = pair()
    model.eval(), eager.eval()
    compiled = graphed(model, dynamic=True)
    for _ in range(3):
        for n in (3, 5, 8):
            x = data(n, 16)
            torch.testing.assert_close(compiled(x), eager(x))
    assert [forward for forward, _ in status(compiled)] == ["captured"] * 3


@pytest.mark.parametrize("make", [
    lambda: data(8, 32)[:, ::2], lambda: data(16, 8).t(), lambda: data(16).expand(8, 16), lambda: data(8, 17)[:, 1:],
    lambda: data(0, 16),
])
def test_inputs_of_any_layout(make):
    compiled = graphed(lambda x: x.exp() + x)
    for _ in range(4):
        x = make()
        torch.testing.assert_close(compiled(x), x.exp() + x)
    assert status(compiled) == [("captured", "")]


def test_cotangents_of_any_layout():
    compiled = graphed(lambda x: x.exp())
    for weight in (None, data(8, 16), None, data(16, 8).t(), data(16).expand(8, 16), data(8, 16)):
        x = data(8, 16).requires_grad_()
        y = compiled(x)
        y.backward(torch.ones((), device=DEVICE).expand(8, 16) if weight is None else weight)
        torch.testing.assert_close(x.grad, x.exp() * (1 if weight is None else weight))
    assert status(compiled) == [("captured", "captured")]


def test_each_set_of_cotangents_has_a_graph():
    compiled = graphed(lambda x: (x.exp(), x.sin()))
    for pick in (0, 1, 0, 1, 0, 1):
        x = data(8).requires_grad_()
        compiled(x)[pick].sum().backward()
        torch.testing.assert_close(x.grad, x.exp() if pick == 0 else x.cos())


def test_random_numbers_are_drawn_anew():
    compiled = graphed(lambda x: torch.nn.functional.dropout(x, 0.5))
    x = torch.ones(512, device=DEVICE)
    drawn = [compiled(x) for _ in range(4)]
    assert len({tuple(t.tolist()) for t in drawn}) == 4
    torch.manual_seed(5)
    first = compiled(x)
    torch.manual_seed(5)
    assert torch.equal(compiled(x), first)


def test_memory_is_given_back():
    def run():
        compiled = graphed(lambda x: (x.exp().softmax(-1) * x).sum(0).sum())
        for _ in range(3):
            x = data(64, 48).requires_grad_()
            compiled(x).backward()
        assert status(compiled) == [("captured", "captured")]
        torch._dynamo.reset()

    run()
    gc.collect()
    before = allocated()
    run()
    gc.collect()
    assert allocated() == before


# ---- what runs without a graph


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU captures LibTorch's operators")
def test_library_calls_are_not_captured_in_emulation():
    model, x = TinyGPT(), batch("gpt", torch.float32)[0]
    compiled = graphed(model)
    with pytest.warns(UserWarning, match="without a CUDA graph: the host takes part in it"):
        for _ in range(3):
            torch.testing.assert_close(compiled(x), model(x))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled(x)
    assert "check_index" in status(compiled)[0][0]


def test_cpu_tensors():
    with torch_trace.config.patch(device_emulation=False):
        compiled = graphed(lambda x: x.exp())
        with pytest.warns(UserWarning, match="a graph runs without a CUDA graph: its tensors are on the CPU"):
            for _ in range(3):
                compiled(torch.randn(3))


def test_effects_are_not_captured():
    captured = type("Captured", (), {"has_effects": True, "device": torch.device("cpu")})
    with pytest.raises(cuda_graphs.NotCapturable, match="side effects on the host"):
        cuda_graphs.recorder_for(captured)


def test_modes_and_options():
    x = data(3)
    with pytest.raises(Exception, match="has the modes 'default' and 'reduce-overhead', not 'max-autotune'"):
        torch.compile(lambda x: x + 1, backend="trace", mode="max-autotune")(x)
    with pytest.raises(Exception, match="has the option 'cudagraphs', not 'triton.cudagraphs'"):
        torch.compile(lambda x: x + 2, backend="trace", options={"triton.cudagraphs": True})(x)
    for options, switch in (({"options": {"cudagraphs": True}}, False), ({}, True)):
        with torch_trace.config.patch(cudagraphs=switch):
            compiled = torch.compile(lambda x: x.exp() * 3, backend="trace", **options)
            for _ in range(2):
                compiled(x)
            assert status(compiled) == [("captured", "")]
    compiled = torch.compile(lambda x: x.exp() * 4, backend="trace")
    compiled(x)
    assert "cudagraphs" not in torch_trace.report(compiled)[0]


def test_overlapping_arguments_have_no_slot():
    with pytest.raises(cuda_graphs.NotCapturable, match="overlaps with itself"):
        cuda_graphs.Slot(torch.empty(4, 4), (1, 1), torch.device("cpu"))


# ---- the driver's calls


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setenv("TORCH_TRACE_CUDA_DRIVER", str(FAKE))
    driver = Fake()
    with torch_trace.config.patch(device_emulation=True):
        driver.take()
        yield driver
        driver.take()


def launches(lines):
    return [line.split(",")[0] for line in lines if line.startswith("cuLaunchKernel")]


def test_calls_of_the_driver(fake):
    compiled = graphed(lambda x: x.exp().sum(-1))
    x = torch.randn(8, 64, requires_grad=True)
    compiled(x).sum().backward()
    plain = launches(fake.take())
    assert plain
    compiled(x).sum().backward()
    lines = fake.take()
    names = [line.split("(")[0] for line in lines]
    captures = [i for i, name in enumerate(names) if name == "cuStreamBeginCapture"]
    assert len(captures) == 2, "one of the forward, one of the backward"
    assert launches(lines) == plain
    for start in captures:
        count = names[start:].index("cuStreamEndCapture")
        assert set(names[start + 1 : start + count]) == {"cuLaunchKernel"}
        assert names[start + count : start + count + 4] == [
            "cuStreamEndCapture", "cuGraphInstantiate", "cuGraphDestroy", "cuGraphLaunch"]
        stream = lines[start].split("(")[1].split(",")[0]
        assert all(f"stream {stream}," in line for line in lines[start + 1 : start + count])
    # From then on, a call is a launch of a graph.
    compiled(x).sum().backward()
    assert [line.split("(")[0] for line in fake.take()] == ["cuGraphLaunch"] * 2
    del compiled
    torch._dynamo.reset()
    gc.collect()
    assert [line for line in fake.take() if "Graph" in line] == ["cuGraphExecDestroy(8)"] * 2


@pytest.mark.parametrize("function", ["cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphInstantiate"])
def test_a_capture_that_fails(fake, function):
    compiled = graphed(lambda x: x.exp())
    x = torch.randn(8)
    compiled(x)
    fake.fail(function, 701)
    with pytest.warns(UserWarning, match="without a CUDA graph: .*CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"):
        compiled(x)
    # That call, too, has run.
    assert launches(fake.take())
    compiled(x)
    assert [line.split("(")[0] for line in fake.take()] == ["cuLaunchKernel"]


# ---- with a GPU


@needs_gpu
def test_models_on_a_gpu():
    eager = TinyGPT().cuda()
    model = copy.deepcopy(eager)
    compiled = graphed(model)
    x, y = (t.cuda() for t in batch("gpt", torch.float32))
    losses = []
    for module, run in ((eager, eager), (model, compiled)):
        optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
        losses.append([])
        for _ in range(6):
            loss = nn.functional.cross_entropy(run(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses[-1].append(loss.detach())
    torch.testing.assert_close(losses[1], losses[0], rtol=1e-4, atol=1e-4)
    assert status(compiled) == [("captured", "captured")]
