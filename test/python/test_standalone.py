"""Packages of torch_trace.lower run by torch_trace.standalone: kernels on the emulated driver, which takes their LLVM IR
and checks every access, library calls on CPU tensors. Results, gradients and buffers are eager's.
"""

from __future__ import annotations

import copy
import ctypes
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
import torch_trace
from torch import Tensor, nn
from torch_trace.standalone import Driver, DriverError, Package

ROOT = Path(__file__).resolve().parents[2]
EMULATED = ROOT / "python" / "torch_trace" / "libtrace_emulated_cuda.so"
sys.path.insert(0, str(ROOT / "examples"))
import models  # noqa: E402


@pytest.fixture(scope="module")
def driver() -> Driver:
    return Driver(str(EMULATED))


@pytest.fixture
def packaged(tmp_path: Path, driver: Driver) -> Callable[..., Package]:
    """packaged(fn, *args, train=...) -> the package, read back."""

    def run(fn: Any, *args: Any, **options: Any) -> Package:
        torch_trace.lower(fn, *args, out=tmp_path / "package", formats="bitcode", **options)
        return Package(str(tmp_path / "package"), driver, torch.device("cpu"))

    return run


def tensors_of(model: nn.Module) -> dict[str, Tensor]:
    return {**dict(model.named_parameters(remove_duplicate=False)), **dict(model.named_buffers(remove_duplicate=False))}


def agree(packaged: Callable[..., Package], model: nn.Module, *batch: Tensor, tolerance: float = 1e-4) -> Package:
    """A training step of the package and one of eager: results, gradients, buffers."""
    ours, theirs = copy.deepcopy(model), copy.deepcopy(model)
    package = packaged(model, *batch, train=True)
    assert package.kernels
    got, = package(*batch, tensors=tensors_of(ours))
    want = theirs(*batch)
    torch.testing.assert_close(got, want, rtol=tolerance, atol=tolerance)
    cotangent = torch.randn_like(want)
    got.backward(cotangent)
    want.backward(cotangent)
    for (name, a), (_, b) in zip(ours.named_parameters(), theirs.named_parameters(), strict=True):
        limit = tolerance * max(1.0, float(b.grad.abs().max()))
        torch.testing.assert_close(a.grad, b.grad, rtol=tolerance, atol=limit, msg=lambda m, n=name: f"{n}: {m}")
    for (name, a), (_, b) in zip(ours.named_buffers(), theirs.named_buffers(), strict=True):
        torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance, msg=lambda m, n=name: f"{n}: {m}")
    return package


class WithLoss(nn.Module):
    """A model of logits, and the loss in the same graph."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(self.model(x).flatten(0, -2).float(), target.flatten())


# ---- models


def test_mlp(packaged: Callable[..., Package]) -> None:
    agree(packaged, models.MLP(inputs=12, hidden=40, depth=2, classes=5), torch.randn(9, 12))


def test_mlp_in_bf16(packaged: Callable[..., Package]) -> None:
    model = models.MLP(inputs=16, hidden=32, depth=1, classes=4).to(torch.bfloat16)
    agree(packaged, model, torch.randn(8, 16, dtype=torch.bfloat16), tolerance=3e-2)


def test_convnet(packaged: Callable[..., Package]) -> None:
    package = agree(packaged, WithLoss(models.ConvNet(width=4)), torch.randn(3, 1, 8, 8), torch.randint(10, (3,)))
    assert package.manifest["graphs"][0]["mutations"]  # batch norm's running statistics


def test_gpt(packaged: Callable[..., Package]) -> None:
    model = models.GPT(vocabulary=17, context=8, dim=16, depth=1, heads=2, hidden=24)
    agree(packaged, WithLoss(model), torch.randint(17, (2, 8)), torch.randint(17, (2, 8)))


def test_vit(packaged: Callable[..., Package]) -> None:
    model = models.ViT(size=8, patch=4, dim=16, depth=1, heads=2, classes=3)
    agree(packaged, WithLoss(model), torch.randn(2, 1, 8, 8), torch.randint(3, (2,)))


# ---- functions


def test_without_train(packaged: Callable[..., Package]) -> None:
    model = models.MLP(inputs=6, hidden=8, depth=1, classes=3)
    x = torch.randn(4, 6)
    package = packaged(model, x)
    assert package.graphs[0].backward is None
    got, = package(x, tensors=tensors_of(model))
    assert not got.requires_grad
    torch.testing.assert_close(got, model(x).detach())


def test_arguments_in_another_order_and_results_in_containers(packaged: Callable[..., Package]) -> None:
    def f(x: Tensor, pair: tuple[Tensor, Tensor]) -> dict[str, Any]:
        a, b = pair
        return {"difference": b - x.sin(), "count": 3, "same": a, "pair": [a * 2, b - x.sin()]}

    x, a, b = torch.randn(5), torch.randn(4), torch.randn(5)
    package = packaged(f, x, (a, b))
    got = package(x, a, b)
    want = torch.utils._pytree.tree_leaves(f(x, (a, b)))
    assert len(got) == len(want) and got[0] is not None
    for one, other in zip(got, want, strict=True):
        if isinstance(other, Tensor):
            torch.testing.assert_close(one, other)
        else:
            assert one == other
    assert got[2] is a


def test_an_argument_is_written_to(packaged: Callable[..., Package]) -> None:
    def step(p: Tensor, g: Tensor, m: Tensor) -> None:
        m.mul_(0.9).add_(g)
        p.sub_(m, alpha=0.1)

    p, g, m = (torch.randn(70) for _ in "pgm")
    ours = [t.clone() for t in (p, g, m)]
    packaged(step, p, g, m)(*ours)
    step(p, g, m)
    torch.testing.assert_close(ours, [p, g, m])


def test_one_of_two_cotangents(packaged: Callable[..., Package]) -> None:
    def f(x: Tensor) -> tuple[Tensor, Tensor]:
        return x.sin(), x.exp()

    x = torch.randn(33, requires_grad=True)
    package = packaged(f, x, train=True)
    gradient, = torch.autograd.grad(package(x)[1].sum(), x)
    torch.testing.assert_close(gradient, x.exp().detach())


def test_operands_that_are_not_where_kernels_expect_them(packaged: Callable[..., Package]) -> None:
    x = torch.randn(40)
    package = packaged(lambda x: x * 2 + 1, x)
    shifted = torch.randn(44)[1:41]
    assert shifted.data_ptr() % 16
    torch.testing.assert_close(package(shifted)[0], shifted * 2 + 1)
    spread = torch.randn(80)[::2]
    torch.testing.assert_close(package(spread)[0], spread * 2 + 1)


def test_random_numbers_differ_and_the_seed_decides(packaged: Callable[..., Package]) -> None:
    x = torch.ones(4000, requires_grad=True)
    package = packaged(lambda x: F.dropout(x * 2, 0.25), x, train=True)
    torch.manual_seed(3)
    first, second = package(x)[0], package(x)[0]
    assert not torch.equal(first, second)
    assert abs((first != 0).float().mean().item() - 0.75) < 0.03
    torch.manual_seed(3)
    assert torch.equal(package(x)[0], first)
    gradient, = torch.autograd.grad(first.sum(), x)
    torch.testing.assert_close(gradient, first.detach())


def test_constants_of_the_function(packaged: Callable[..., Package]) -> None:
    table, large = torch.randn(6), [float(n % 7) for n in range(900)]

    def f(x: Tensor) -> Tensor:
        return (x[:, None] * table).flatten() + torch.tensor(large)

    x = torch.randn(150)
    package = packaged(f, x)
    torch.testing.assert_close(package(x, tensors={"table": table})[0], f(x))


# ---- errors


def test_another_shape(packaged: Callable[..., Package]) -> None:
    package = packaged(lambda x: x.sin(), torch.randn(5))
    with pytest.raises(ValueError, match=r"float32\[6\], not float32\[5\]"):
        package(torch.randn(6))


def test_a_parameter_is_missing(packaged: Callable[..., Package]) -> None:
    model, x = models.MLP(inputs=6, hidden=8, depth=1, classes=3), torch.randn(4, 6)
    with pytest.raises(ValueError, match="parameter body.0.weight is not given"):
        packaged(model, x)(x)


def test_a_function_of_two_graphs(packaged: Callable[..., Package]) -> None:
    def f(x: Tensor) -> Tensor:
        y = x.sin()
        torch._dynamo.graph_break()
        return y.cos()

    package = packaged(f, torch.randn(5))
    x = torch.randn(5)
    with pytest.raises(ValueError, match="no single graph"):
        package(x)
    torch.testing.assert_close(package.graphs[1](*package.graphs[0](x))[0], x.sin().cos())


def test_no_image_for_the_device(tmp_path: Path, driver: Driver) -> None:
    torch_trace.lower(lambda x: x.sin(), torch.randn(5), out=tmp_path, formats="ptx")
    with pytest.raises(DriverError, match=r"loading .*: there is no image"):
        Package(str(tmp_path), driver, torch.device("cpu"))


def test_a_damaged_image(tmp_path: Path, driver: Driver) -> None:
    torch_trace.lower(lambda x: x.sin(), torch.randn(5), out=tmp_path, formats="bitcode")
    image, = tmp_path.rglob("*.bc")
    image.write_bytes(image.read_bytes()[:100])
    with pytest.raises(DriverError, match=f"loading .*{image.stem}"):
        Package(str(tmp_path), driver, torch.device("cpu"))


def test_no_driver() -> None:
    with pytest.raises(DriverError, match="cannot be loaded"):
        Driver("/nowhere/libcuda.so.1")


# ---- the driver's calls


class FakeDriver(Driver):
    """test/Runtime/FakeCuda.cpp: computes nothing, and writes down each call."""

    def __init__(self, path: Path) -> None:
        self.fake = ctypes.CDLL(str(path))
        self.fake.fake_cuda_log.restype = ctypes.c_char_p
        self.fake.fake_cuda_reset()
        super().__init__(str(path))

    def calls(self, *names: str) -> list[str]:
        lines = self.fake.fake_cuda_log().decode().splitlines()
        return [line for line in lines if not names or line.split("(")[0] in names]

    def fail(self, function: str, code: int) -> None:
        self.fake.fake_cuda_fail(function.encode(), 0, code)


@pytest.fixture
def faked(tmp_path: Path) -> Callable[..., tuple[FakeDriver, Callable[..., Package]]]:
    """faked(fn, *args) -> the driver, and how to load fn's package, whose images say what kernels they have."""

    def run(fn: Any, *args: Any) -> tuple[FakeDriver, Callable[..., Package]]:
        lowered = torch_trace.lower(fn, *args, out=tmp_path)
        for sides in (graph["fusions"] for graph in lowered.graphs):
            for fusion in (f for side in sides.values() for f in side.values()):
                kernels = "".join(f"{k['name']} {len(k['slots'])}\n" for k in fusion["kernels"])
                for path in fusion["images"]:
                    (tmp_path / path).write_text(f"fake {path.rsplit('.', 1)[1]}\n{kernels}")
        driver = FakeDriver(Path(os.environ.get("TRACE_FAKE_CUDA_LIBRARY", ROOT / "build/lib/libtrace_fake_cuda.so")))
        return driver, lambda: Package(str(tmp_path), driver, torch.device("cpu"))

    return run


def test_calls_and_their_order(faked: Callable[..., Any]) -> None:
    x = torch.randn(5000, 30)
    driver, load = faked(lambda x: x.sin().sum(0), x)
    package = load()
    # The context of an earlier test may be the thread's still.
    log = [line for line in driver.calls() if line != "cuCtxSetCurrent(context0)"]
    assert log[:3] == ["cuInit(0)", "cuDeviceGet(0)", "cuDevicePrimaryCtxRetain(0)"]
    fusion, = package.manifest["graphs"][0]["fusions"]["forward"].values()
    kernels = fusion["kernels"]
    assert len(kernels) > 1
    assert log[3:] == ["cuModuleLoadDataEx(cubin)", *[f"cuModuleGetFunction(module0, {k['name']})" for k in kernels]]
    before = len(driver.calls())
    result, = package(x)
    launches = driver.calls()[before:]
    assert len(launches) == len(kernels)
    pointers: dict[int, str] = {0: hex(x.data_ptr()), 1: hex(result.data_ptr())}
    for line, kernel in zip(launches, kernels, strict=True):
        grid, block = (" ".join(map(str, kernel[key])) for key in ("grid", "block"))
        start = f"cuLaunchKernel({kernel['name']}, grid {grid}, block {block}, shared 0, stream 0, context0, "
        assert line.startswith(start)
        given = line.removeprefix(start).removesuffix(")").split(", ")
        for slot, pointer in zip(kernel["slots"], given, strict=True):
            assert pointers.setdefault(slot, pointer) == pointer
            assert int(pointer, 16) % 16 == 0
    assert len(set(pointers.values())) == 2 + len(fusion["scratch"])


def test_ptx_where_the_cubin_is_not_the_gpus(faked: Callable[..., Any]) -> None:
    driver, load = faked(lambda x: x.sin(), torch.randn(5))
    driver.fail("cuModuleLoadDataEx", 209)
    load()
    assert driver.calls("cuModuleLoadDataEx") == ["cuModuleLoadDataEx(cubin)", "cuModuleLoadDataEx(ptx)"]


def test_a_launch_that_fails(faked: Callable[..., Any]) -> None:
    driver, load = faked(lambda x: x.sin(), torch.randn(5))
    package = load()
    driver.fail("cuLaunchKernel", 701)
    with pytest.raises(DriverError, match=r"test_standalone.py.*launching fused_sin_0__kernel0 with grid \(1, 1, 1\)"
                                          r".*CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: so the test says"):
        package(torch.randn(5))


def test_a_kernel_that_is_not_there(faked: Callable[..., Any], tmp_path: Path) -> None:
    driver, load = faked(lambda x: x.sin(), torch.randn(5))
    for path in tmp_path.rglob("*.cubin"):
        path.write_text("fake cubin\n")
    with pytest.raises(DriverError, match="kernel fused_sin_0__kernel0: CUDA_ERROR_NOT_FOUND"):
        load()


def test_a_thread_without_a_context(faked: Callable[..., Any]) -> None:
    driver, load = faked(lambda x: x.sin(), torch.randn(5))
    package = load()
    before = len(driver.calls("cuCtxSetCurrent"))
    thread = threading.Thread(target=lambda: (package(torch.randn(5)), package(torch.randn(5))))
    thread.start()
    thread.join()
    package(torch.randn(5))
    assert len(driver.calls("cuLaunchKernel")) == 3
    assert len(driver.calls("cuCtxSetCurrent")) == before + 1


# ---- without the compiler


def test_a_copy_runs_where_torch_trace_is_not(tmp_path: Path) -> None:
    torch_trace.lower(lambda x: x.sin() + 1, torch.arange(5.0), out=tmp_path / "package", formats="bitcode")
    copied = tmp_path / "trace_standalone"
    copied.mkdir()
    for file in (ROOT / "python" / "torch_trace" / "standalone").glob("*.py"):
        (copied / file.name).write_text(file.read_text())
    code = f"""
import sys, torch
from trace_standalone import Driver, Package
driver = Driver({str(EMULATED)!r})
x = torch.arange(5.0)
got, = Package({str(tmp_path / "package")!r}, driver, torch.device("cpu"))(x)
torch.testing.assert_close(got, x.sin() + 1)
assert not any(name.startswith("torch_trace") for name in sys.modules), "the compiler was loaded"
"""
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
