"""Graphs of CUDA tensors.

Without a GPU: fake tensors on one are captured and compiled, up to host functions and PTX, and what the frontend decides
is checked. With one: whole programs against eager, several streams and devices; these tests are skipped elsewhere.
"""

import copy
import json
import threading

import pytest
import torch
import torch.nn.functional as F
import torch_trace
from test_device_emulation import ConvNet, TinyGPT, batch, mlp
from torch._subclasses.fake_tensor import FakeTensorMode
from torch_trace import _C, devices
from torch_trace.capture import capture
from torch_trace.errors import Unsupported
from torch_trace.translate import Translator

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


def compile_for_cuda(function, *args):
    """Compiles the function's graph for fake tensors on a GPU in place of its inputs: the plan of what it does."""
    plans = []

    def backend(gm, inputs):
        mode = FakeTensorMode()

        def fake(x):
            with mode:
                made = torch.empty_strided(x.size(), x.stride(), dtype=x.dtype, device="cuda:0")
            return made.requires_grad_(x.requires_grad)

        made_here = [node for node in gm.graph.nodes if "device" in node.kwargs]
        for node in made_here:
            node.kwargs = {**node.kwargs, "device": torch.device("cuda:0")}
        captured = capture(gm, [fake(x) if isinstance(x, torch.Tensor) else x for x in inputs], [])
        assert captured.device == torch.device("cuda:0")
        compiled = _C.CompiledGraph(Translator(captured).module("main"), function="main", device="cuda", load=False)
        for node in made_here:
            node.kwargs = {**node.kwargs, "device": torch.device("cpu")}
        plans.append(json.loads(compiled.device_program))
        return gm.forward

    torch.compile(function, backend=backend, dynamic=False)(*args)
    (plan,) = plans
    return plan


def calls(half):
    return [step["call"] for step in half["steps"] if step["op"] == "library"]


@pytest.mark.parametrize("name", ["mlp", "convnet", "gpt"])
def test_training_graphs_of_cuda_tensors_compile(name):
    model = {"mlp": mlp, "convnet": ConvNet, "gpt": TinyGPT}[name]()
    x, y = batch(name, torch.float32)
    plan = compile_for_cuda(lambda x, y: F.cross_entropy(model(x), y), x, y)
    for half in (plan["forward"], plan["backward"]):
        assert any(fusion["kernels"] for fusion in half["fusions"].values())
        # What only the CPU has.
        assert not any("for_cpu" in call or "mkldnn" in call for call in calls(half))


def test_batch_norm_is_compiled():
    """cuDNN's would write the running statistics behind the graph's back."""
    norm = torch.nn.BatchNorm2d(4)
    plan = compile_for_cuda(lambda x: norm(x), torch.randn(2, 4, 5, 5))
    assert not calls(plan["forward"]) and plan["forward"]["fusions"]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_attention_is_one_that_a_gpu_has(dtype):
    q, k, v = (torch.randn(2, 4, 32, 16, dtype=dtype, requires_grad=True) for _ in range(3))
    plan = compile_for_cuda(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), q, k, v)
    assert any("_scaled_dot_product_efficient_attention|" in call for call in calls(plan["forward"]))
    assert any("_scaled_dot_product_efficient_attention_backward|" in call for call in calls(plan["backward"]))


def test_random_numbers_are_the_kernels_own():
    plan = compile_for_cuda(lambda x: F.dropout(x, 0.5) + torch.rand(8, device=x.device), torch.randn(4, 8))
    assert not calls(plan["forward"])


def fake(*shape, device):
    with FakeTensorMode():
        return torch.empty(shape, device=device)


def test_common_device():
    gpu, other, cpu = fake(2, device="cuda:0"), fake(2, device="cuda:1"), fake(2, device="cpu")
    number = fake(device="cpu")
    assert devices.common_device([]) == devices.common_device([cpu, number]) == torch.device("cpu")
    assert devices.common_device([number, gpu]) == torch.device("cuda:0")
    with pytest.raises(Unsupported, match="tensors on cuda:0 and cuda:1 in one graph"):
        devices.common_device([gpu, other])
    with pytest.raises(Unsupported, match="tensors on cuda:0 and on the CPU in one graph"):
        devices.common_device([gpu, cpu])
    with pytest.raises(Unsupported, match="tensors on meta"):
        devices.common_device([torch.empty(2, device="meta")])


@pytest.mark.parametrize("capability, chip", [
    ((8, 0), "sm_80"), ((8, 6), "sm_86"), ((8, 9), "sm_89"), ((9, 0), "sm_90"), ((10, 0), "sm_100"), ((12, 0), "sm_120"),
    ((8, 8), "sm_87"), ((10, 7), "sm_103"), ((13, 0), "sm_121"),
])
def test_chip(capability, chip):
    assert devices.chip_of(capability) == chip
    _C.check_chip(chip)


def test_old_gpus():
    with pytest.raises(Unsupported, match=r"a GPU of compute capability 7\.5; 8\.0 or newer is needed"):
        devices.chip_of((7, 5))


def test_a_result_on_another_device():
    with pytest.raises(Exception, match="tensors on cpu in a graph on cuda:0"):
        compile_for_cuda(lambda x: x.exp().to("cpu") * 2, torch.randn(3))


# ---- with a GPU


@pytest.fixture
def strict():
    with torch_trace.config.patch(fallback="error"):
        yield


@needs_gpu
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", ["mlp", "convnet", "gpt"])
def test_training_follows_eager(strict, name, dtype):
    torch.manual_seed(0)
    eager = {"mlp": mlp, "convnet": ConvNet, "gpt": TinyGPT}[name]().to("cuda", dtype)
    model = copy.deepcopy(eager)

    def step(model, x, y):
        return F.cross_entropy(model(x).float(), y)

    compiled = torch.compile(step, backend="trace")
    batches = [tuple(t.cuda() for t in batch(name, dtype)) for _ in range(2)]
    losses = []
    for module, run in ((eager, step), (model, compiled)):
        optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
        losses.append([])
        for i in range(6):
            loss = run(module, *batches[i % 2])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses[-1].append(loss.item())
    tolerance = 1e-4 if dtype == torch.float32 else 3e-2
    torch.testing.assert_close(torch.tensor(losses[1]), torch.tensor(losses[0]), rtol=tolerance, atol=tolerance)


@needs_gpu
def test_current_stream(strict):
    """Kernels are launched on the stream that is current, behind what is there already."""
    compiled = torch.compile(lambda x: x.exp() * 2, backend="trace")
    x = torch.zeros(1 << 20, device="cuda")
    compiled(x)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for i in range(20):
            torch.cuda._sleep(10_000_000)
            x.fill_(i / 16)
            torch.testing.assert_close(compiled(x), torch.full_like(x, i / 16).exp() * 2)
    torch.cuda.synchronize()


@needs_gpu
def test_numbers_on_the_cpu(strict):
    compiled = torch.compile(lambda x, scale: x * scale, backend="trace")
    x = torch.randn(9, device="cuda")
    torch.testing.assert_close(compiled(x, torch.tensor(3.0)), x * 3)


@needs_gpu
def test_threads(strict):
    compiled = torch.compile(lambda x: x.softmax(-1), backend="trace")
    x = torch.randn(64, 300, device="cuda")
    want, wrong = x.softmax(-1), []
    compiled(x)

    def work():
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(50):
                if not torch.allclose(compiled(x), want):
                    wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_two_gpus(strict):
    compiled = torch.compile(lambda x: (x.exp() + 1).sum(-1), backend="trace")
    for device in ("cuda:1", "cuda:0", "cuda:1"):
        x = torch.randn(30, 70, device=device)
        got = compiled(x)
        assert got.device == x.device
        torch.testing.assert_close(got, (x.exp() + 1).sum(-1))
