"""A model compiled for a GPU on a machine without one, and run here on the simulator of GPUs."""

import tempfile
from pathlib import Path

import torch
import torch_trace
from torch_trace.standalone import Driver, Package

model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.LayerNorm(256), torch.nn.Linear(256, 10))
x = torch.randn(128, 64)
with tempfile.TemporaryDirectory() as out:
    lowered = torch_trace.lower(model, x, target="sm_90", out=out, train=True, formats=("cubin", "ptx", "bitcode"))
    print(str(lowered).replace(out, "OUT"))

    # On a machine with a GPU: Driver(), torch.device("cuda"), and tensors that are there.
    driver = Driver(str(Path(torch_trace.__file__).parent / "libtrace_emulated_cuda.so"))
    package = Package(out, driver, torch.device("cpu"))
    (y,) = package(x, tensors=dict(model.named_parameters()))
    y.square().mean().backward()
    print("results as eager's:", torch.allclose(y, model(x), atol=1e-5))
