"""Compiled programs on CUDA tensors, where there is no GPU.

PyTorch's side (guard, allocator, stream, a few operators) is test/Runtime/FakeTorchCuda.cpp, on the host's memory; the
driver is the emulated one, which computes, or the fake one, which writes calls down. So the runtime's own code for CUDA
runs as it does on a GPU; PyTorch's and NVIDIA's does not. The programs are in fake_gpus.py.
"""

import os
import pathlib
import subprocess
import sys

import pytest
import torch
from test_device_runtime import FAKE

HERE = pathlib.Path(__file__).parent
TORCH_CUDA = pathlib.Path(os.environ.get("TRACE_FAKE_TORCH_CUDA_LIBRARY", FAKE.parent / "libtrace_fake_torch_cuda.so"))
EMULATED = HERE.parents[1] / "python" / "torch_trace" / "libtrace_emulated_cuda.so"
pytestmark = [
    pytest.mark.skipif(torch.version.cuda is None, reason="a PyTorch without CUDA"),
    pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU"),
]


@pytest.mark.parametrize("driver, name", [
    ("emulated", "trains_mlp"), ("emulated", "trains_gpt"), ("emulated", "memory"), ("emulated", "numbers_on_the_cpu"),
    ("emulated", "indices"), ("emulated", "graphs"), ("fake", "streams_and_devices"), ("fake", "constants_and_streams"), ("fake", "mixed_devices"),
    ("fake", "machine_code_and_ptx"),
])
def test_program(driver, name):
    done = subprocess.run(
        [sys.executable, str(HERE / "fake_gpus.py"), name], capture_output=True, text=True, timeout=300,
        env={
            **os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parents[1] / "python")]),
            "OMP_NUM_THREADS": "1", "TRACE_FAKE_TORCH_CUDA_LIBRARY": str(TORCH_CUDA),
            "TORCH_TRACE_CUDA_DRIVER": str(EMULATED if driver == "emulated" else FAKE),
        },
    )
    assert done.returncode == 0, done.stderr[-4000:]
