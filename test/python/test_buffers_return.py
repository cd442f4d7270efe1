"""Buffers of the pool come back: a training step leaves none behind (PyTorch's function that makes a tensor of one
handle kept a reference for ever, so that every gradient's buffer was lost)."""

import ctypes
import gc
import os

import torch
import torch_trace


class PoolStats(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("allocated", "reserved", "peak", "cap", "requests", "hits")]


def allocated() -> int:
    path = os.path.join(os.path.dirname(torch_trace.__file__), "libtrace_runtime.so")
    stats = PoolStats()
    ctypes.CDLL(path).trace_rt_pool_stats(ctypes.byref(stats))
    return stats.allocated


def test_training_steps_leave_no_buffer_behind():
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: x.sin() * x, backend="trace")
    x = torch.randn(1 << 18, requires_grad=True)

    def step():
        y = compiled(x)
        (gradient,) = torch.autograd.grad(y, x, torch.ones_like(y))
        return gradient

    step()
    gc.collect()
    before = allocated()
    held = step()
    assert allocated() > before, "gradients should lie in the pool"
    del held
    for _ in range(3):
        step()
    gc.collect()
    assert allocated() == before
