"""Programs for test_fake_gpus.py, each run in a process of its own: `python fake_gpus.py NAME`.

PyTorch has two CUDA devices here that are not there (test/Runtime/FakeTorchCuda.cpp). The library takes PyTorch's places,
so it is loaded before torch.
"""

import contextlib
import copy
import ctypes
import gc
import itertools
import os
import re
import sys

_torch_cuda = ctypes.CDLL(os.environ["TRACE_FAKE_TORCH_CUDA_LIBRARY"], mode=ctypes.RTLD_GLOBAL)
_torch_cuda.fake_torch_log.restype = ctypes.c_char_p

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

_torch_cuda.fake_torch_install()
torch.cuda._lazy_init = lambda: None
torch.cuda.get_device_capability = lambda device=None: (9, 0)

import torch_trace  # noqa: E402
from test_device_emulation import TinyGPT, batch, mlp  # noqa: E402
from test_device_runtime import Fake  # noqa: E402
from torch_trace import devices  # noqa: E402
from torch_trace.executable import Executable  # noqa: E402
from torch_trace.standalone.cuda import Driver  # noqa: E402

torch_trace.config.fallback = "error"
PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def memory_log():
    lines = _torch_cuda.fake_torch_log().decode().splitlines()
    _torch_cuda.fake_torch_reset()
    return lines


def use_bitcode():
    """What the emulated driver takes in place of machine code."""
    compile_options = devices.compile_options
    devices.compile_options = lambda device: {**compile_options(device), "formats": ["bitcode"]}


def trains(name):
    """One step on "cuda:0" against eager on the CPU, with the emulated driver: results and all gradients."""
    use_bitcode()
    torch.manual_seed(0)
    eager = {"mlp": mlp, "gpt": TinyGPT}[name]()
    model = copy.deepcopy(eager)
    for parameter in model.parameters():
        parameter.data = parameter.data.to("cuda:0")
    x, y = batch(name, torch.float32)
    compiled = torch.compile(lambda x, y: F.cross_entropy(model(x), y), backend="trace")
    for _ in range(2):
        got, want = compiled(x.to("cuda:0"), y.to("cuda:0")), F.cross_entropy(eager(x), y)
        torch.testing.assert_close(got.cpu(), want)
        got.backward()
        want.backward()
        for (key, a), b in zip(model.named_parameters(), eager.parameters(), strict=True):
            assert a.grad.device == torch.device("cuda:0")
            torch.testing.assert_close(a.grad.cpu(), b.grad, msg=lambda m, key=key: f"{key}: {m}")
            a.grad = b.grad = None
    assert "@trace_rt_launch" in torch_trace.stages(compiled)[0]["lowered"]


@program
def trains_mlp():
    trains("mlp")


@program
def trains_gpt():
    trains("gpt")


@program
def memory():
    """Buffers, results and copies come from PyTorch's allocator, on the current stream, and go back."""
    use_bitcode()
    compiled = torch.compile(lambda x: ((x * 2).softmax(-1) @ x.t()).exp().sum(), backend="trace")
    base = torch.randn(70 * 40 + 1).to("cuda:0")
    x = base[1:].view(70, 40)  # at an odd address
    want = ((x.cpu() * 2).softmax(-1) @ x.cpu().t()).exp().sum()
    compiled(x)
    gc.collect()
    memory_log()
    result = compiled(x)
    torch.testing.assert_close(result.cpu(), want)
    del result
    lines = memory_log()
    allocations = [line for line in lines if line.startswith("allocate")]
    assert len(allocations) >= 4 and lines.count("free()") == len(allocations), lines
    assert all("device 0, stream 0" in line for line in allocations)


@program
def numbers_on_the_cpu():
    use_bitcode()
    compiled = torch.compile(lambda x, scale: x.exp() * scale, backend="trace")
    x = torch.randn(9)
    torch.testing.assert_close(compiled(x.to("cuda:0"), torch.tensor(3.0)).cpu(), x.exp() * 3)


@program
def indices():
    """Checked on the device."""
    use_bitcode()
    compiled = torch.compile(lambda w, i: F.embedding(i, w) * 2, backend="trace")
    weight = torch.randn(5, 3)
    torch.testing.assert_close(compiled(weight.to("cuda:0"), torch.tensor([4, 0]).to("cuda:0")).cpu(),
                               weight[[4, 0]] * 2)
    try:
        compiled(weight.to("cuda:0"), torch.tensor([4, 5]).to("cuda:0"))
    except IndexError as error:
        assert "index is out of bounds for dimension with size 5" in str(error), error
        assert "Exception raised from" not in str(error)
        assert "fake_gpus.py" in str(error) or "functional.py" in str(error), error
    else:
        raise AssertionError("an index out of range")


def executable_of(compiled):
    (found,) = torch_trace.inspection._executables(compiled)
    assert isinstance(found, Executable)
    return found


def launches(lines):
    """(stream, context) of each."""
    return [re.search(r"stream (\d+), (context\d)", line).groups() for line in lines if "Launch" in line]


@program
def streams_and_devices():
    """The fake driver: launches are on the current stream of the arguments' device, which is left as it was."""
    fake = Fake()
    compiled = torch.compile(lambda x: x.exp() + 1, backend="trace")
    x, other = torch.randn(100).to("cuda:0"), torch.randn(100).to("cuda:1")
    compiled(x)
    lines = fake.take()
    assert lines[:4] == ["cuInit(0)", "cuDeviceGet(0)", "cuDevicePrimaryCtxRetain(0)", "cuCtxSetCurrent(context0)"]
    assert launches(lines) == [("0", "context0")]
    _torch_cuda.fake_torch_set_stream(0, 7)
    compiled(x)
    assert launches(fake.take()) == [("1007", "context0")]
    # The same code on the other device: it is loaded there at its first run, once.
    _torch_cuda.fake_torch_set_stream(1, 5)
    run = executable_of(compiled)
    memory_log()
    (result,) = run(other)
    assert result.device == torch.device("cuda:1")
    assert _torch_cuda.fake_torch_device() == 0
    lines = fake.take()
    assert [line for line in lines if "Load" in line] and launches(lines) == [("2005", "context1")]
    assert all("device 1, stream 5" in line for line in memory_log() if line.startswith("allocate"))
    run(other), run(x), run(other)
    lines = fake.take()
    assert not [line for line in lines if "Load" in line]
    assert launches(lines) == [("2005", "context1"), ("1007", "context0"), ("2005", "context1")]
    # Both modules are unloaded, each in its own context.
    del run, result, compiled
    torch._dynamo.reset()
    gc.collect()
    unloads = [line for line in fake.take() if "Unload" in line]
    assert sorted(re.search("context.", line).group() for line in unloads) == ["context0", "context1"], unloads


@program
def constants_and_streams():
    """A constant is not given back before the streams that read it are done."""
    fake = Fake()
    compiled = torch.compile(lambda x: x.exp() @ torch.full((8, 8), 3.0, device=x.device), backend="trace")
    x = torch.randn(8, 8).to("cuda:0")
    compiled(x)
    for stream in (3, 4, 3):
        _torch_cuda.fake_torch_set_stream(0, stream)
        compiled(x)
    memory_log()
    fake.take()
    del compiled
    torch._dynamo.reset()
    gc.collect()
    recorded = [line for line in memory_log() if line.startswith("record_stream")]
    assert set(recorded) == {f"record_stream(device 0, stream {i})" for i in (0, 3, 4)}, recorded


@program
def mixed_devices():
    compiled = torch.compile(lambda x, y: x.exp() + y, backend="trace")
    x = torch.randn(8)
    compiled(x.to("cuda:0"), x.to("cuda:0"))
    run = executable_of(compiled)
    for second in ("cuda:1", "cpu"):
        try:
            run(x.to("cuda:0"), x.to(second))
        except RuntimeError as error:
            assert f"argument 1 should be a float32 tensor of shape [8] on cuda:0, but is on {second}" in str(error), error
            assert "runs on one device" in str(error)
        else:
            raise AssertionError("tensors on two devices")
    for second in ("cuda:1", "cpu"):
        try:
            torch.compile(lambda x, y: x.sin() + y, backend="trace")(x.to("cuda:0"), x.to(second))
        except Exception as error:
            assert "cuda:0 and" in str(error) or "on cuda:0" in str(error) or "two devices" in str(error), error
        else:
            raise AssertionError("tensors on two devices")


@program
def machine_code_and_ptx():
    """A GPU is offered a cubin, where one could be made, then PTX; what it says of them reaches the user."""
    fake = Fake()
    fake.fail("cuModuleLoadDataEx", 209)
    x = torch.randn(8).to("cuda:0")
    try:
        torch.compile(lambda x: x.exp(), backend="trace")(x)
    except Exception as error:
        # Without ptxas there is PTX only, which was refused.
        assert "cannot be loaded on device 0" in str(error) and "CUDA_ERROR_NO_BINARY_FOR_GPU" in str(error), error
        assert "llvm.func" not in str(error)
    else:
        assert [line.split("(")[0] for line in fake.take()].count("cuModuleLoadDataEx") == 2


class FakeStream:
    """torch.cuda.Stream, on the emulated driver's."""

    driver = None
    numbers = itertools.count(1)

    def __init__(self, number=None):
        self.number, self.handle = number, ctypes.c_void_p()
        if number is None:
            self.number = next(self.numbers)
            self.driver.check(self.driver.library.cuStreamCreate(ctypes.byref(self.handle), 1), "cuStreamCreate")
            _torch_cuda.fake_torch_set_handle(ctypes.c_int64(self.number), self.handle)

    def wait_stream(self, other):
        assert isinstance(other, FakeStream)

    def wait_event(self, event):
        assert event == "event"

    def record_event(self, event=None):
        assert event in (None, "event")
        return "event"


class FakeCuda:
    """What CudaRecorder uses of torch.cuda."""

    def __init__(self):
        self.streams, self.replays, self.captures = [FakeStream(0)], 0, 0
        for name in ("device", "stream", "graph", "current_stream", "graph_pool_handle"):
            setattr(torch.cuda, name, getattr(self, name))
        torch.cuda.Stream = FakeStream
        torch.cuda.is_current_stream_capturing = lambda: False
        fake, library = self, FakeStream.driver.library

        class Graph:
            def replay(self):
                fake.replays += 1
                FakeStream.driver.check(library.cuGraphLaunch(self.executable, None), "cuGraphLaunch")

        torch.cuda.CUDAGraph = Graph

    @contextlib.contextmanager
    def device(self, device):
        assert device == torch.device("cuda:0")
        yield

    def current_stream(self, device=None):
        return self.streams[-1]

    def graph_pool_handle(self):
        return (0, 1)

    @contextlib.contextmanager
    def stream(self, stream):
        self.streams.append(stream)
        _torch_cuda.fake_torch_set_stream(0, ctypes.c_int64(stream.number))
        yield
        self.streams.pop()
        _torch_cuda.fake_torch_set_stream(0, ctypes.c_int64(self.streams[-1].number))

    @contextlib.contextmanager
    def graph(self, graph, pool, stream, capture_error_mode):
        assert pool == (0, 1) and capture_error_mode == "thread_local"
        driver, captured, graph.executable = FakeStream.driver, ctypes.c_void_p(), ctypes.c_void_p()
        self.captures += 1
        with self.stream(stream):
            _torch_cuda.fake_torch_hold(1)
            driver.check(driver.library.cuStreamBeginCapture_v2(stream.handle, 1), "begin")
            yield
            driver.check(driver.library.cuStreamEndCapture(stream.handle, ctypes.byref(captured)), "end")
            _torch_cuda.fake_torch_hold(0)
        driver.check(driver.library.cuGraphInstantiateWithFlags(ctypes.byref(graph.executable), captured, 0), "make")


@program
def graphs():
    """The recorder for CUDA, with torch.cuda replaced: a program of kernels only is captured, on the side stream."""
    use_bitcode()
    FakeStream.driver = Driver(os.environ["TORCH_TRACE_CUDA_DRIVER"])
    FakeStream.driver.enter()
    fake = FakeCuda()
    weight = torch.randn(16)
    parameter = torch.nn.Parameter(weight.to("cuda:0"))
    eager = torch.nn.Parameter(weight.clone())

    def f(x, w):
        return ((x * w).softmax(-1) * x).sum(-1).exp()

    compiled = torch.compile(f, backend="trace", mode="reduce-overhead")
    for i in range(5):
        x = torch.randn(8, 16)
        got, want = compiled(x.to("cuda:0"), parameter), f(x, eager)
        torch.testing.assert_close(got.detach().cpu(), want.detach())
        got.backward(torch.ones(8).to("cuda:0"))
        want.backward(torch.ones(8))
        torch.testing.assert_close(parameter.grad.cpu(), eager.grad, rtol=1e-4, atol=1e-4)
        parameter.grad = eager.grad = None
        with torch.no_grad():
            parameter.copy_(torch.full((16,), float(i)))
            eager.copy_(torch.full((16,), float(i)))
    (report,) = torch_trace.report(compiled)
    assert report["cudagraphs"] == ("captured", "captured"), report
    assert fake.captures == 2 and fake.replays == 8, (fake.captures, fake.replays)


if __name__ == "__main__":
    PROGRAMS[sys.argv[1]]()
    # Autograd's threads of devices do not survive that their devices end before them, as these do.
    sys.stdout.flush()
    os._exit(0)
