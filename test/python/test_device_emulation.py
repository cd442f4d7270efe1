"""Whole programs with `config.device_emulation`: fusions run as a GPU's kernels in the simulator, on CPU tensors.

What is tested is everything between Dynamo and the kernels' code: the launches in the host functions, the table with the
modules and kernels, scratch memory, alignment, errors. The kernels themselves have tests of their own.
"""

import copy
import ctypes
import pathlib

import pytest
import torch
import torch.nn.functional as F
import torch_trace
from torch import nn


@pytest.fixture(autouse=True)
def emulation():
    torch._dynamo.reset()
    with torch_trace.config.patch(device_emulation=True, fallback="error"):
        yield
    torch._dynamo.reset()


def lowered(compiled):
    return "\n".join(stages.get("lowered", "") for stages in torch_trace.stages(compiled))


def assert_launches(compiled):
    """Fusions were launched, and none was called as code of the CPU."""
    text = lowered(compiled)
    assert "@trace_rt_launch" in text and "__entry" not in text


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.norm = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.conv2, self.head = nn.Conv2d(8, 8, 3, stride=2), nn.Linear(8, 5)

    def forward(self, x):
        x = F.relu(self.norm(self.conv1(x)))
        x = F.max_pool2d(F.silu(self.conv2(x)), 2)
        return self.head(x.mean((2, 3)))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        batch, time, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).chunk(3, -1)
        q, k, v = (t.view(batch, time, self.heads, -1).transpose(1, 2) for t in (q, k, v))
        scores = q @ k.transpose(-1, -2) / (width // self.heads) ** 0.5
        mask = torch.ones(time, time, dtype=torch.bool, device=x.device).tril()
        x = x + self.out((scores.masked_fill(~mask, float("-inf")).softmax(-1) @ v).transpose(1, 2).reshape(x.shape))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class TinyGPT(nn.Module):
    def __init__(self, tokens=23, width=16, heads=2, time=12):
        super().__init__()
        self.embed, self.place = nn.Embedding(tokens, width), nn.Embedding(time, width)
        self.blocks = nn.Sequential(Block(width, heads), Block(width, heads))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, tokens, bias=False)

    def forward(self, tokens):
        x = self.embed(tokens) + self.place(torch.arange(tokens.shape[1], device=tokens.device))
        return self.head(self.norm(self.blocks(x))).flatten(0, 1)


def mlp():
    return nn.Sequential(nn.Linear(13, 33), nn.GELU(), nn.LayerNorm(33), nn.Linear(33, 7), nn.Tanh(), nn.Linear(7, 4))


def batch(name, dtype):
    if name == "gpt":
        tokens = torch.randint(0, 23, (2, 12))
        return tokens, torch.randint(0, 23, (24,))
    if name == "convnet":
        return torch.randn(4, 3, 10, 10, dtype=dtype), torch.randint(0, 5, (4,))
    return torch.randn(9, 13, dtype=dtype), torch.randint(0, 4, (9,))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", ["mlp", "convnet", "gpt"])
def test_training_follows_eager(name, dtype):
    torch.manual_seed(0)
    eager = {"mlp": mlp, "convnet": ConvNet, "gpt": TinyGPT}[name]().to(dtype)
    model = copy.deepcopy(eager)

    def step(model, x, y):
        return F.cross_entropy(model(x).float(), y)

    compiled = torch.compile(step, backend="trace")
    batches = [batch(name, dtype) for _ in range(2)]
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
    assert_launches(compiled)
    assert losses[0][-1] < losses[0][0]
    tolerance = 1e-5 if dtype == torch.float32 else 2e-2
    torch.testing.assert_close(torch.tensor(losses[1]), torch.tensor(losses[0]), rtol=tolerance, atol=tolerance)
    if dtype == torch.float32:
        for (key, want), got in zip(eager.named_parameters(), model.parameters(), strict=True):
            torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5, msg=lambda m, key=key: f"{key}: {m}")


def check(f, *args):
    compiled = torch.compile(f, backend="trace")
    torch.testing.assert_close(compiled(*args), f(*args))
    assert_launches(compiled)
    return compiled


@pytest.mark.parametrize("offset", [1, 2, 3, 4])
def test_operands_at_any_address(offset):
    """A kernel reads 16 bytes at a time; an operand that starts elsewhere is copied, and the copy is freed."""
    base = torch.randn(1000 + 8)
    check(lambda x, y: (x * 2 + y).sum(), base[offset : offset + 1000], torch.randn(1000))


def test_views_at_any_offset():
    """An operand that is a view of what another fusion or the library has made."""
    check(lambda x: ((x @ x).sin()[1:, 3:].exp() + (x @ x)[1:, 3:]).sum(0), torch.randn(9, 9))


def test_strided_operands():
    check(lambda x, y: x.exp() + y, torch.randn(6, 40).t(), torch.randn(40, 12)[:, ::2])
    check(lambda x: x.softmax(-1), torch.randn(8, 4, 6).permute(2, 0, 1))


def test_no_elements():
    compiled = torch.compile(lambda x, y: (x.exp() * 2, y.sin()), backend="trace")
    empty, full = compiled(torch.randn(0, 5), torch.randn(7))
    assert empty.shape == (0, 5) and full.shape == (7,)
    compiled = torch.compile(lambda x: x.sum(1), backend="trace")
    assert torch.equal(compiled(torch.randn(4, 0)), torch.zeros(4))


def test_scratch_memory():
    """A reduction in two stages leaves its parts in memory of its own."""
    check(lambda x: (x * x).sum(), torch.randn(300, 257))
    check(lambda x: x.cos().sum(0), torch.randn(3000, 6))


def test_literals():
    check(lambda x: x * torch.arange(8, dtype=torch.float32) + torch.tensor([1.0, 2, 3, 4, 5, 6, 7, 8]), torch.randn(3, 8))


def test_random_numbers():
    compiled = torch.compile(lambda x: F.dropout(x, 0.25), backend="trace")
    x = torch.ones(4000)
    torch.manual_seed(3)
    first = compiled(x)
    assert 0.2 < (first == 0).float().mean() < 0.3
    assert not torch.equal(first, compiled(x))
    torch.manual_seed(3)
    assert torch.equal(first, compiled(x))


def test_a_backward_for_fewer_cotangents():
    x = torch.randn(5, 6, requires_grad=True)
    compiled = torch.compile(lambda x: (x.exp(), x.sin().sum()), backend="trace")
    for pick in (0, 1):
        (got,) = torch.autograd.grad(compiled(x)[pick].sum(), x)
        (want,) = torch.autograd.grad((x.exp() if pick == 0 else x.sin()).sum(), x)
        torch.testing.assert_close(got, want)


def allocated():
    """Bytes of the pool that are in use."""
    library = ctypes.CDLL(str(pathlib.Path(torch_trace.__file__).parent / "libtrace_runtime.so"))
    numbers = (ctypes.c_int64 * 6)()
    library.trace_rt_pool_stats(numbers)
    return numbers[0]


def test_memory_is_given_back():
    """Buffers, scratch memory and the copies of operands at odd addresses."""
    compiled = torch.compile(lambda x: ((x[1:] * 2).softmax(0) @ x[1:].t()).sum(), backend="trace")
    x = torch.randn(70, 9)
    for _ in range(2):
        compiled(x)
    before = allocated()
    for _ in range(5):
        compiled(x)
    assert allocated() == before


def test_stages_show_kernels():
    compiled = check(lambda x: x.exp() + 1, torch.randn(50))
    (stages,) = torch_trace.stages(compiled)
    assert "gpu.func @" in stages["gpu"] and len(stages["lowered"]) < 40000
