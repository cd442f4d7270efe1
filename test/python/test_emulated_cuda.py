"""The simulator as a CUDA driver: what the environment says, and how failures come back."""

import ctypes
import pathlib
import subprocess
import sys

import pytest
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Codegen"))
from kernels import LLVM_BIN, emulated_driver  # noqa: E402
from torch_trace.standalone.cuda import DriverError  # noqa: E402

# Each thread takes the next number; the second kernel reads one element past what it is given.
KERNELS = """
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @ticket(ptr addrspace(1) %counter, ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %old = atomicrmw add ptr addrspace(1) %counter, i32 1 monotonic, align 4
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %old, ptr addrspace(1) %p, align 4
  ret void
}
define ptx_kernel void @shift(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %t, 1
  %q = getelementptr i32, ptr addrspace(1) %a, i32 %i
  %v = load i32, ptr addrspace(1) %q, align 4
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
}
"""


@pytest.fixture
def image(tmp_path):
    subprocess.run([f"{LLVM_BIN}/llvm-as", "-o", f"{tmp_path}/k.bc"], input=KERNELS.encode(), check=True)
    return (tmp_path / "k.bc").read_bytes()


@pytest.fixture
def registered():
    library = emulated_driver().library

    def register(t):
        bytes = t.numel() * t.element_size()
        library.trace_emulated_cuda_register(ctypes.c_void_p(t.data_ptr()), ctypes.c_size_t(bytes))

    yield register
    library.trace_emulated_cuda_unregister(None)


def run(image, name, a, out):
    driver = emulated_driver()
    kernel = driver.kernel(driver.load([image], "k"), name)
    kernel.launch((1, 1, 1), (out.numel(), 1, 1), 0, 0, [a.data_ptr(), out.data_ptr()])
    return out.tolist()


def test_seed(image, monkeypatch):
    def order(seed):
        if seed is not None:
            monkeypatch.setenv("TRACE_EMULATED_CUDA_SEED", seed)
        return run(image, "ticket", torch.zeros(1, dtype=torch.int32), torch.zeros(16, dtype=torch.int32))

    numbered = list(range(16))
    assert order(None) == numbered
    assert order("0") == numbered
    first, second = order("1"), order("2")
    assert sorted(first) == sorted(second) == numbered
    assert len({tuple(numbered), tuple(first), tuple(second)}) == 3
    assert order("1") == first


def test_checks_off(image, registered, monkeypatch):
    memory = torch.arange(17, dtype=torch.int32)
    given, out = memory[:16], torch.zeros(16, dtype=torch.int32)
    registered(given)
    monkeypatch.setenv("TRACE_EMULATED_CUDA_CHECKS", "1")
    with pytest.raises(DriverError, match=r"launching shift.*\n.*'shift', block \(0, 0, 0\), thread \(15, 0, 0\): load of 4 "
                                          r"bytes through parameter 0 is out of bounds: .*byte 64 of a registered range"):
        run(image, "shift", given, out)
    monkeypatch.setenv("TRACE_EMULATED_CUDA_CHECKS", "0")
    assert run(image, "shift", given, out) == list(range(1, 17))
    # The image that was compiled with checks still has them.
    monkeypatch.delenv("TRACE_EMULATED_CUDA_CHECKS")
    with pytest.raises(DriverError, match="out of bounds"):
        run(image, "shift", given, out)


def test_much_shared_memory(tmp_path):
    """Each kernel may have what a block has, however many kernels there are."""
    text = 'target triple = "nvptx64-nvidia-cuda"\n'
    for i in range(20):
        text += f"@s{i} = internal addrspace(3) global [12288 x float] undef, align 16\n"
        text += f"define ptx_kernel void @k{i}(ptr addrspace(1) %a, ptr addrspace(1) %out) {{\n"
        text += f"  store i32 {i}, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @s{i}, i32 12287)\n"
        text += f"  %v = load i32, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @s{i}, i32 12287)\n"
        text += "  store i32 %v, ptr addrspace(1) %out, align 4\n  ret void\n}\n"
    subprocess.run([f"{LLVM_BIN}/llvm-as", "-o", f"{tmp_path}/k.bc"], input=text.encode(), check=True)
    image = (tmp_path / "k.bc").read_bytes()
    for i in (0, 19):
        assert run(image, f"k{i}", torch.zeros(1), torch.zeros(1, dtype=torch.int32)) == [i]
