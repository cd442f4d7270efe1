"""The driver calls that the runtime makes: their order and arguments, and what becomes of their failures.

The driver is libtrace_fake_cuda.so (test/Runtime/FakeCuda.cpp), which writes down what it is asked. Contexts are for the
emulated device, whose tensors are the CPU's: what is PyTorch's own on a GPU (guards, streams, the allocator) is not
tested here.
"""

import ctypes
import os
import pathlib
import re
import subprocess
import sys
import textwrap

import pytest
import torch
from built import built
from test_runtime import HOST, LIBRARY, Desc, TableEntry, desc, handle, pointer, take

FAKE = built("lib/libtrace_fake_cuda.so", "TRACE_FAKE_CUDA_LIBRARY")
EMULATED = 2
CALL, CONSTANT, MODULE, KERNEL = range(4)


class Image(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_char_p), ("data", ctypes.c_char_p), ("bytes", ctypes.c_int64)]


class Module(ctypes.Structure):
    _fields_ = [("num_images", ctypes.c_int64), ("images", ctypes.POINTER(Image))]


class Kernel(ctypes.Structure):
    _fields_ = [
        ("module", ctypes.c_int64), ("grid", ctypes.c_int64 * 3), ("block", ctypes.c_int64 * 3),
        ("num_slots", ctypes.c_int64), ("slots", ctypes.POINTER(ctypes.c_int64)),
    ]


class Fake:
    def __init__(self):
        self.library = ctypes.CDLL(str(FAKE))
        self.library.fake_cuda_log.restype = ctypes.c_char_p

    def take(self):
        """The calls since the last time."""
        lines = self.library.fake_cuda_log().decode().splitlines()
        self.library.fake_cuda_reset()
        return lines

    def fail(self, function, code, skip=0):
        self.library.fake_cuda_fail(function.encode(), skip, code)


@pytest.fixture
def rt():
    library = ctypes.CDLL(str(LIBRARY))
    library.trace_rt_error.restype = ctypes.c_char_p
    library.trace_rt_context_free.argtypes = [ctypes.c_void_p]
    library.trace_rt_buffers_free.restype = None
    return library


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setenv("TORCH_TRACE_CUDA_DRIVER", str(FAKE))
    driver = Fake()
    driver.take()
    yield driver
    driver.take()


def module(name, *images):
    """An entry; an image is (kind, text)."""
    array = (Image * len(images))(*[Image(kind, text, len(text)) for kind, text in images])
    data = Module(len(images), array)
    return TableEntry(MODULE, name, None, ctypes.cast(ctypes.pointer(data), ctypes.c_void_p)), data


def kernel(name, module, grid, block, slots):
    data = Kernel(module, (ctypes.c_int64 * 3)(*grid), (ctypes.c_int64 * 3)(*block), len(slots),
                  (ctypes.c_int64 * max(len(slots), 1))(*slots))
    return TableEntry(KERNEL, name, None, ctypes.cast(ctypes.pointer(data), ctypes.c_void_p)), data


class Table:
    """A table with its context."""

    def __init__(self, rt, entries, index=0):
        self.rt, self.data = rt, [data for _, data in entries]
        self.entries = (TableEntry * len(entries))(*[entry for entry, _ in entries])
        self.context = ctypes.c_void_p()
        if rt.trace_rt_context_create(self.entries, ctypes.c_int64(len(entries)), EMULATED, index,
                                      ctypes.byref(self.context)):
            raise RuntimeError(rt.trace_rt_error().decode())

    def slot(self, number):
        return ctypes.c_void_p(ctypes.cast(self.context, ctypes.POINTER(ctypes.c_void_p))[number])

    def run(self, body):
        """Runs a host function, body(context), as compiled code is run."""
        failures = []

        @HOST
        def host(context, args, results):
            try:
                return body(context) or 0
            except BaseException as error:  # an exception cannot pass through C
                failures.append(error)
                return 1

        code = self.rt.trace_rt_run(host, self.context, None, ctypes.c_int64(0), None)
        if failures:
            raise failures[0]
        if code:
            raise RuntimeError(self.rt.trace_rt_error().decode())

    def launch(self, number, pointers):
        array = (ctypes.c_void_p * len(pointers))(*pointers)
        self.run(lambda context: self.rt.trace_rt_launch(self.slot(number), array))

    def free(self):
        self.rt.trace_rt_context_free(self.context)


def add_table(rt, index=0, images=((b"ptx", b"fake ptx\nadd__kernel0 3\nadd__kernel1 2\n"),)):
    return Table(rt, [
        module(b"add__gpu", *images),
        kernel(b"add__kernel0", 0, (4, 2, 1), (64, 1, 1), (0, 2, 1)),
        kernel(b"add__kernel1", 0, (1, 1, 3), (8, 4, 2), (1, 3)),
    ], index)


def without_setup(lines):
    """Not the calls that are made once in a process."""
    return [line for line in lines if not re.match("cuInit|cuDeviceGet|cuDevicePrimaryCtxRetain|cuCtxSetCurrent", line)]


def test_load_launch_unload(rt, fake):
    table = add_table(rt)
    assert without_setup(fake.take()) == [
        "cuModuleLoadDataEx(ptx)", "cuModuleGetFunction(module0, add__kernel0)",
        "cuModuleGetFunction(module0, add__kernel1)",
    ]
    # Each parameter is the pointer of its slot.
    table.launch(1, [0x1000, 0x2000, 0x3000, 0x4000])
    table.launch(2, [0x1000, 0x2000, 0x3000, 0x4000])
    assert fake.take() == [
        "cuLaunchKernel(add__kernel0, grid 4 2 1, block 64 1 1, shared 0, stream 0, context0, 0x1000, 0x3000, 0x2000)",
        "cuLaunchKernel(add__kernel1, grid 1 1 3, block 8 4 2, shared 0, stream 0, context0, 0x2000, 0x4000)",
    ]
    # A module is unloaded when nothing of it runs any more.
    table.free()
    assert fake.take() == ["cuCtxSynchronize()", "cuModuleUnload(module0 in context0)", "cuCtxSetCurrent(context0)"]


def test_setup_is_done_once():
    """In a process of its own: the driver is initialised, and a context retained, at first use."""
    program = textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
        import torch, ctypes, test_device_runtime as t
        rt, fake = ctypes.CDLL(str(t.LIBRARY)), t.Fake()
        rt.trace_rt_error.restype = ctypes.c_char_p
        for _ in range(2):
            t.add_table(rt)
        print("\\n".join(fake.take()))
    """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                          env={**os.environ, "TORCH_TRACE_CUDA_DRIVER": str(FAKE)})
    load = ["cuModuleLoadDataEx(ptx)", "cuModuleGetFunction(module{}, add__kernel0)",
            "cuModuleGetFunction(module{}, add__kernel1)"]
    assert done.stdout.splitlines() == [
        "cuInit(0)", "cuDeviceGet(0)", "cuDevicePrimaryCtxRetain(0)", "cuCtxSetCurrent(context0)",
        *[line.format(0) for line in load], *[line.format(1) for line in load],
    ]


def test_two_devices(rt, fake):
    """Each device has modules of its own, and its context is current when they are used."""
    tables = [add_table(rt, index) for index in (0, 1)]
    fake.take()
    for table in (tables[0], tables[1], tables[0]):
        table.launch(2, [1, 2, 3, 4])
    lines = fake.take()
    assert [re.search("context.", line).group() for line in lines if "Launch" in line] == [
        "context0", "context1", "context0"]
    assert [line for line in lines if "SetCurrent" in line] == [f"cuCtxSetCurrent(context{i})" for i in (0, 1, 0)]
    # Unloading is done in the module's own context, and leaves the current one as it was.
    tables[1].free()
    assert fake.take() == ["cuCtxSetCurrent(context1)", "cuCtxSynchronize()", "cuModuleUnload(module1 in context1)",
                           "cuCtxSetCurrent(context0)"]
    tables[0].free()


BOTH = ((b"cubin", b"fake cubin\nadd__kernel0 3\nadd__kernel1 2\n"),
        (b"ptx", b"fake ptx\nadd__kernel0 3\nadd__kernel1 2\n"))


def test_machine_code_is_taken_where_it_fits(rt, fake):
    table = add_table(rt, images=BOTH)
    assert [line for line in fake.take() if "Load" in line] == ["cuModuleLoadDataEx(cubin)"]
    table.free()


def test_ptx_where_machine_code_is_refused(rt, fake):
    fake.fail("cuModuleLoadDataEx", 209)
    table = add_table(rt, images=BOTH)
    assert [line for line in fake.take() if "Load" in line] == ["cuModuleLoadDataEx(cubin)", "cuModuleLoadDataEx(ptx)"]
    table.free()


def test_no_image_is_taken(rt, fake):
    fake.fail("cuModuleLoadDataEx", 209)
    with pytest.raises(RuntimeError) as raised:
        add_table(rt, images=BOTH[:1])
    assert str(raised.value).splitlines() == [
        "device module add__gpu cannot be loaded on device 0:",
        "  cubin: CUDA_ERROR_NO_BINARY_FOR_GPU (209): so the test says", "ptxas says no",
    ]


def test_out_of_memory_is_no_reason_for_ptx(rt, fake):
    """A failure that is not the image's is the last one."""
    fake.fail("cuModuleLoadDataEx", 2)
    with pytest.raises(RuntimeError, match=r"add__gpu cannot be loaded on device 0:\n  cubin: error \(2\)"):
        add_table(rt, images=BOTH)
    assert len([line for line in fake.take() if "Load" in line]) == 1


def test_a_kernel_that_is_not_there(rt, fake):
    with pytest.raises(RuntimeError, match=r"kernel add__kernel1: cuModuleGetFunction: CUDA_ERROR_NOT_FOUND \(500\)"):
        add_table(rt, images=((b"ptx", b"fake ptx\nadd__kernel0 3\n"),))
    # What was loaded until then is not left behind.
    assert "cuModuleUnload(module0 in context0)" in fake.take()


def test_a_failed_launch(rt, fake):
    table = add_table(rt)
    fake.fail("cuLaunchKernel", 701, skip=1)
    table.launch(1, [1, 2, 3])
    with pytest.raises(RuntimeError) as raised:
        table.launch(1, [1, 2, 3])
    assert str(raised.value) == ("kernel add__kernel0 with grid (4, 2, 1) and block (64, 1, 1): cuLaunchKernel: "
                                 "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701): so the test says")
    table.launch(1, [1, 2, 3])
    table.free()


def test_a_device_that_is_not_there(rt, fake):
    with pytest.raises(RuntimeError, match=r"device 7: cuDeviceGet: CUDA_ERROR_INVALID_DEVICE \(101\)"):
        add_table(rt, 7)


def test_no_driver(rt, monkeypatch):
    monkeypatch.setenv("TORCH_TRACE_CUDA_DRIVER", "/nowhere/libcuda.so.1")
    with pytest.raises(RuntimeError, match="the CUDA driver cannot be loaded: /nowhere/libcuda.so.1"):
        add_table(rt)


def test_kernels_need_a_device(rt, fake):
    entries = (TableEntry * 1)(module(b"add__gpu")[0])
    context = ctypes.c_void_p()
    assert rt.trace_rt_context_create(entries, ctypes.c_int64(1), 0, 0, ctypes.byref(context)) == 1
    assert b"add__gpu is in an executable that was loaded for the CPU" in rt.trace_rt_error()


def test_alignment(rt, fake):
    """Operands at odd addresses are copied by the driver, others are left alone; the copies are given back."""
    rt.trace_rt_buffer.restype = ctypes.c_void_p
    table = add_table(rt)
    fake.take()
    x = torch.arange(100, dtype=torch.float32)
    start = x.data_ptr()
    assert start % 16 == 0
    pointers = (ctypes.c_void_p * 3)(start, start + 4, start + 8)
    copies = (ctypes.c_void_p * 3)()
    sizes = (ctypes.c_int64 * 3)(400, 40, -1)

    def body(context):
        assert rt.trace_rt_align(pointers, ctypes.c_int64(3), sizes, copies) == 0
        assert pointers[0] == start and copies[0] is None
        assert pointers[1] == copies[1] and copies[1] % 16 == 0
        assert pointers[2] == start + 8 and copies[2] is None
        copied = (ctypes.c_float * 10).from_address(copies[1])
        assert list(copied) == list(range(1, 11))
        address = copies[1]
        rt.trace_rt_buffers_free(copies, ctypes.c_int64(3))
        assert list(copies) == [None] * 3
        assert fake.take() == [f"cuMemcpyDtoDAsync({address:#x}, {start + 4:#x}, 40)"]

    table.run(body)
    fake.fail("cuMemcpyDtoDAsync", 2)
    pointers = (ctypes.c_void_p * 3)(start, start + 4, start + 8)
    with pytest.raises(RuntimeError, match="cuMemcpyDtoDAsync of 40 bytes: error"):
        table.run(lambda context: rt.trace_rt_align(pointers, ctypes.c_int64(3), sizes, copies))
    assert copies[1] is not None, "the buffer stays with its owner, who frees it"
    table.run(lambda context: rt.trace_rt_buffers_free(copies, ctypes.c_int64(3)))
    table.free()


def test_constants_and_calls_beside_kernels(rt, fake):
    values = (ctypes.c_float * 3)(1, 2, 3)
    layout = desc((3,))
    table = Table(rt, [
        (TableEntry(CALL, b"aten::exp||T0", None, None), None),
        module(b"add__gpu", (b"ptx", b"fake ptx\nadd__kernel0 3\n")),
        (TableEntry(CONSTANT, None, ctypes.pointer(layout), ctypes.cast(values, ctypes.c_void_p)), layout),
        kernel(b"add__kernel0", 1, (1, 1, 1), (32, 1, 1), (0,)),
    ])
    assert isinstance(layout, Desc)
    out = (ctypes.c_void_p * 1)()
    operand = (ctypes.c_void_p * 1)(table.slot(2))
    table.run(lambda context: rt.trace_rt_call(table.slot(0), operand, None, ctypes.c_int64(1), out))
    torch.testing.assert_close(take(out[0]), torch.tensor([1.0, 2.0, 3.0]).exp())
    table.free()


def test_whole_programs(fake):
    """A compiled function's launches, and its error, which names the user's line and the kernel."""
    import torch_trace

    def f(x, y):
        return (x.exp() + y).sum()

    with torch_trace.config.patch(device_emulation=True, fallback="error"):
        compiled = torch.compile(f, backend="trace", dynamic=False)
        compiled(torch.randn(4096), torch.randn(4096))
        launches = [line for line in fake.take() if "Launch" in line]
        assert launches and all("context0" in line for line in launches)
        fake.fail("cuLaunchKernel", 701, skip=len(launches) - 1)
        with pytest.raises(RuntimeError, match=r"fused_\w+ at .*test_device_runtime.py:\d+: kernel fused_\w+__kernel\d+ "
                                               r"with grid .*: cuLaunchKernel: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"):
            compiled(torch.randn(4096), torch.randn(4096))
        # Nothing is left behind in an odd state.
        compiled(torch.randn(4096), torch.randn(4096))


def test_argument_on_another_device(rt):
    """Where arguments are is checked; a tensor without memory stands for one on another device."""
    layout = desc((3,))
    layouts = (ctypes.c_void_p * 1)(ctypes.addressof(layout))
    x = torch.empty(3, device="meta")
    given, adapted = (ctypes.c_void_p * 1)(pointer(handle(x))), (ctypes.c_void_p * 1)()
    assert rt.trace_rt_adapt(given, layouts, ctypes.c_int64(1), adapted) == 1
    assert b"should be a float32 tensor of shape [3] on cpu, but is on meta" in rt.trace_rt_error()
    rt.trace_rt_delete(ctypes.c_void_p(given[0]))
