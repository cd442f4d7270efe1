"""Builds a fusion function and its eager result side by side, compiles the function and compares.

A `Fusion` records each operation twice: as text of the trace dialect, and as a torch tensor. `check` lowers the text
with trace-opt, compiles it with LLVM's own tools into a shared object, calls its entry and compares with the tensors.
"""

import ctypes
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest.mock

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACE_OPT = os.environ.get("TRACE_OPT", str(ROOT / "build" / "bin" / "trace-opt"))
LLVM_BIN = os.environ.get("LLVM_BIN", "/usr/lib/llvm-22/bin")
TYPES = {
    torch.float32: "f32",
    torch.float64: "f64",
    torch.bfloat16: "bf16",
    torch.float16: "f16",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.int16: "i16",
    torch.int8: "i8",
    torch.uint8: "ui8",
    torch.bool: "i1",
}

# A runtime small enough to be read here: `parts` ranges one after the other, the last first, so that a kernel whose
# result depended on the order or on the split would be caught.
RUNTIME = r"""
#include <stdint.h>
#include <stdlib.h>
static int64_t parts = 1;
void set_parts(int64_t n) { parts = n; }
void trace_rt_parallel_for(void (*k)(void **, int64_t, int64_t, int64_t), void **args, int64_t extent, int64_t grain) {
  if (parts == 1) { k(args, 0, extent, 0); return; }
  int64_t size = (extent + parts - 1) / parts;
  for (int64_t i = parts; i-- > 0;) {
    int64_t lo = i * size, hi = lo + size < extent ? lo + size : extent;
    if (lo < hi) k(args, lo, hi, i);
  }
}
void *trace_rt_scratch(int64_t bytes) { return aligned_alloc(64, (bytes + 127) / 64 * 64); }
void trace_rt_scratch_free(void *p) { free(p); }
"""


def tensor_type(t):
    return "tensor<" + "".join(f"{n}x" for n in t.shape) + TYPES[t.dtype] + ">"


class Value:
    def __init__(self, name, tensor):
        self.name, self.tensor, self.type = name, tensor, tensor_type(tensor)


class Fusion:
    #: What `check` compiles for: "cpu", or a GPU of this name, whose kernels then run on the simulator.
    device = "cpu"
    #: Further options of the pass that makes the kernels.
    device_options = ""

    def __init__(self):
        self.inputs, self.lines, self.outputs = [], [], []

    def input(self, tensor):
        value = Value(f"%arg{len(self.inputs)}", tensor)
        self.inputs.append(value)
        return value

    def op(self, text, result):
        value = Value(f"%{len(self.lines)}", result)
        self.lines.append(f"{value.name} = {text}")
        return value

    def unary(self, name, x, f=None):
        f = f or getattr(torch, name)
        return self.op(f"trace.{name} {x.name} : {x.type}", f(x.tensor))

    def binary(self, name, x, y, f=None):
        f = f or getattr(torch, name)
        return self.op(f"trace.{name} {x.name}, {y.name} : {x.type}", f(x.tensor, y.tensor))

    def add(self, x, y):
        return self.binary("add", x, y)

    def sub(self, x, y):
        return self.binary("sub", x, y)

    def mul(self, x, y):
        return self.binary("mul", x, y)

    def div(self, x, y):
        return self.binary("div", x, y)

    def exp(self, x):
        return self.unary("exp", x)

    def where(self, c, x, y):
        return self.op(
            f"trace.where {c.name}, {x.name}, {y.name} : {c.type}, {x.type}", torch.where(c.tensor, x.tensor, y.tensor)
        )

    def clamp(self, x, low, high):
        return self.op(
            f"trace.clamp {x.name}, {low.name}, {high.name} : {x.type}", torch.clamp(x.tensor, low.tensor, high.tensor)
        )

    def constant(self, value, like):
        t = like.tensor
        text = (
            str(value).lower() if t.dtype == torch.bool else (f"{value:.17e}" if t.is_floating_point() else str(value))
        )
        return self.op(f"trace.constant dense<{text}> : {like.type}", torch.full(t.shape, value, dtype=t.dtype))

    def convert(self, x, dtype):
        result = x.tensor.to(dtype)
        return self.op(f"trace.convert {x.name} : {x.type} to {tensor_type(result)}", result)

    def broadcast(self, x, shape, dims):
        view = [1] * len(shape)
        for i, d in enumerate(dims):
            view[d] = x.tensor.shape[i]
        result = x.tensor.reshape(view).expand(shape)
        return self.op(f"trace.broadcast_in_dim {x.name} {list(dims)} : {x.type} to {tensor_type(result)}", result)

    def reshape(self, x, shape):
        result = x.tensor.reshape(shape)
        return self.op(f"trace.reshape {x.name} : {x.type} to {tensor_type(result)}", result)

    def transpose(self, x, perm):
        return self.op(f"trace.transpose {x.name} {list(perm)} : {x.type}", x.tensor.permute(perm))

    def slice(self, x, starts, limits, strides=None):
        strides = strides or [1] * len(starts)
        result = x.tensor[tuple(slice(a, b, c) for a, b, c in zip(starts, limits, strides))]
        return self.op(f"trace.slice {x.name} {list(starts)} to {list(limits)} by {list(strides)} : {x.type}", result)

    def cat(self, values, dim):
        return self.op(
            f"trace.cat {', '.join(v.name for v in values)} dim {dim} : {', '.join(v.type for v in values)}",
            torch.cat([v.tensor for v in values], dim),
        )

    def reverse(self, x, dims):
        return self.op(f"trace.reverse {x.name} {list(dims)} : {x.type}", x.tensor.flip(dims))

    def pad(self, x, value, low, high, interior):
        t = x.tensor
        spread = torch.full(
            [n + (n - 1) * i if n else 0 for n, i in zip(t.shape, interior)], value.tensor.item(), dtype=t.dtype
        )
        spread[tuple(slice(None, None, i + 1) for i in interior)] = t
        flat = [v for a, b in zip(reversed(low), reversed(high)) for v in (a, b)]
        result = torch.nn.functional.pad(spread, flat, value=value.tensor.item())
        return self.op(
            f"trace.pad {x.name}, {value.name} low {list(low)} high {list(high)} interior {list(interior)} : "
            f"{x.type}, {value.type}",
            result,
        )

    def reduce(self, kind, x, dims):
        def each(f):
            t = x.tensor
            for d in sorted(dims, reverse=True):
                t = f(t, d)
            return t

        t = x.tensor
        f = {
            "sum": lambda: t.sum(dims, dtype=t.dtype) if dims else t,
            "prod": lambda: each(lambda t, d: t.prod(d, dtype=t.dtype)),
            "max": lambda: t.amax(dims),
            "min": lambda: t.amin(dims),
            "any": lambda: each(torch.any),
            "all": lambda: each(torch.all),
        }[kind]
        return self.op(f"trace.reduce_{kind} {x.name} {list(dims)} : {x.type}", f())

    def arg(self, kind, x, dim):
        return self.op(f"trace.arg{kind} {x.name} dim {dim} : {x.type}", getattr(torch, f"arg{kind}")(x.tensor, dim))

    def gather(self, x, index, dim):
        return self.op(
            f"trace.gather {x.name}, {index.name} dim {dim} : {x.type}, {index.type}",
            torch.gather(x.tensor, dim, index.tensor),
        )

    def take(self, x, index, dim):
        t, i = x.tensor, index.tensor
        result = t.index_select(dim, i.reshape(-1)).reshape(t.shape[:dim] + i.shape + t.shape[dim + 1 :])
        return self.op(f"trace.take {x.name}, {index.name} dim {dim} : {x.type}, {index.type}", result)

    def iota(self, dim, shape, dtype=torch.int64):
        view = [1] * len(shape)
        view[dim] = shape[dim]
        result = torch.arange(shape[dim]).to(dtype).reshape(view).expand(shape)
        return self.op(f"trace.iota {dim} : {tensor_type(result)}", result)

    def output(self, *values):
        self.outputs += values

    def text(self, output_strides=None):
        def attribute(strides):
            return f" {{trace.strides = array<i64{':' if strides else ''} {', '.join(map(str, strides))}>}}"

        args = ", ".join(
            f"{v.name}: {v.type}{'' if v.tensor.is_contiguous() else attribute(v.tensor.stride())}" for v in self.inputs
        )
        results = ", ".join(
            f"{v.type}{attribute(g) if g else ''}"
            for v, g in zip(self.outputs, output_strides or [None] * len(self.outputs))
        )
        body = "\n".join("  " + line for line in self.lines)
        outs = ", ".join(v.name for v in self.outputs) + " : " + ", ".join(v.type for v in self.outputs)
        return (
            f"func.func private @k({args}) -> ({results}) attributes {{trace.fusion}} {{\n{body}\n"
            f"  trace.return outputs({outs})\n}}\n"
        )

    def check(self, rtol=None, atol=None, parts=(1, 3), bits=0, options="", output_strides=None):
        """Runs the kernel for each number of parts; the results must be the same bits, and close to eager's. On the
        simulator the numbers stand for orders of blocks and threads."""
        if self.device == "cpu":
            run = Compiled(self.text(output_strides), bits, options)
        else:
            run = DeviceCompiled(self.text(output_strides), self.device, f"{options} {self.device_options}")
        results = None
        for n in parts:
            run.set_parts(n)
            got = []
            for v, strides in zip(self.outputs, output_strides or [None] * len(self.outputs)):
                out = torch.empty(v.tensor.shape, dtype=v.tensor.dtype)
                if strides:
                    out = torch.empty_strided(tuple(v.tensor.shape), strides, dtype=v.tensor.dtype)
                got.append(out.fill_(1 if v.tensor.dtype == torch.bool else 77))
            run([v.tensor for v in self.inputs], got)
            for a, b in zip(results or got, got):
                if a.is_floating_point():
                    a, b = a.nan_to_num(123.0), b.nan_to_num(123.0)
                assert torch.equal(a, b), "the result depends on how the work is split"
            results = got
        kwargs = {} if rtol is None and atol is None else {"rtol": rtol or 0.0, "atol": atol or 0.0}
        for i, (v, g) in enumerate(zip(self.outputs, results)):
            torch.testing.assert_close(
                g, v.tensor, equal_nan=True, msg=lambda m, i=i: f"output {i}: {m}\n{self.text()}", **kwargs
            )
        return run


_runtime = None


def runtime():
    global _runtime
    if _runtime is None:
        directory = tempfile.mkdtemp()
        path = pathlib.Path(directory) / "runtime.c"
        path.write_text(RUNTIME)
        subprocess.run(
            [f"{LLVM_BIN}/clang", "-O2", "-fPIC", "-c", str(path), "-o", f"{directory}/runtime.o"], check=True
        )
        _runtime = f"{directory}/runtime.o"
    return _runtime


class Compiled:
    def __init__(self, text, bits=0, options=""):
        directory = pathlib.Path(tempfile.mkdtemp())
        self.directory = directory
        source = directory / "k.mlir"
        source.write_text(text)
        lowered = subprocess.run(
            [
                TRACE_OPT,
                f"--trace-lower-fusions-to-cpu=vector-bits={bits} {options}",
                "--symbol-dce",
                "--trace-lower-to-llvm",
                str(source),
            ],
            capture_output=True,
            text=True,
        )
        assert lowered.returncode == 0, lowered.stderr + text
        ir = subprocess.run(
            [f"{LLVM_BIN}/mlir-translate", "--mlir-to-llvmir"], input=lowered.stdout, text=True, capture_output=True
        )
        assert ir.returncode == 0, ir.stderr
        (directory / "k.ll").write_text(ir.stdout)
        command = [f"{LLVM_BIN}/clang", "-O2", "-fno-vectorize", "-fno-slp-vectorize", "-march=native", "-fPIC"]
        command += ["-shared", "-Wno-override-module", str(directory / "k.ll"), runtime(), "-lm"]
        subprocess.run([*command, "-o", str(directory / "k.so")], check=True)
        self.library = ctypes.CDLL(str(directory / "k.so"))
        self.library.set_parts.argtypes = [ctypes.c_int64]
        self.entry = self.library.k__entry
        self.entry.argtypes = [ctypes.c_void_p]

    def set_parts(self, n):
        self.library.set_parts(n)

    def __call__(self, inputs, outputs):
        pointers = (ctypes.c_void_p * (len(inputs) + len(outputs)))(*[t.data_ptr() for t in [*inputs, *outputs]])
        self.entry(pointers)


@functools.cache
def emulated_driver():
    """The simulator, as a CUDA driver. Failures of its checks are exceptions of the launch."""
    sys.path.insert(0, str(ROOT / "python"))
    from torch_trace.standalone.cuda import Driver

    default = ROOT / "python" / "torch_trace" / "libtrace_emulated_cuda.so"
    driver = Driver(os.environ.get("TRACE_EMULATED_CUDA_LIBRARY", str(default)))
    driver.enter()
    return driver


class DeviceCompiled:
    """The fusion's kernels for a GPU, as the LLVM IR that the NVPTX code generator gets, run on the simulator."""

    def __init__(self, text, chip, options=""):
        self.directory, self.order = pathlib.Path(tempfile.mkdtemp()), 0
        directory = self.directory
        (directory / "k.mlir").write_text(text)
        lowered = subprocess.run(
            [
                TRACE_OPT,
                f"--trace-lower-fusions-to-gpu=chip={chip} {options}",
                "--trace-lower-device",
                f"--trace-gpu-to-binary=format=bitcode chip={chip} keep-assembly={directory}",
                "--remarks-filter=trace-lower-fusions-to-gpu",
                str(directory / "k.mlir"),
            ],
            capture_output=True,
            text=True,
        )
        assert lowered.returncode == 0, lowered.stderr + text
        #: What the schedule and the launch of each kernel are, in words.
        self.remarks = re.findall(r'Remark="kernel \d+: ([^"]*)"', lowered.stderr)
        header = lowered.stdout.split("gpu.binary", 1)[1].split("[#gpu.object", 1)[0]
        numbers = r"array<i64(?:: ([-0-9, ]*))?>"

        def listed(name, where):
            found = re.search(rf"{name} = {numbers}", where).group(1)
            return [int(n) for n in found.split(",")] if found else []

        self.scratch = listed("trace.scratch", header)
        self.kernels = []
        entries = re.findall(r"\{block = [^{}]*\}", header)
        driver = emulated_driver()
        bitcode = directory / "k.bc"
        subprocess.run([f"{LLVM_BIN}/llvm-as", str(directory / "k__gpu.ll"), "-o", str(bitcode)], check=True)
        module = driver.load([bitcode.read_bytes()], "k__gpu") if entries else None
        for entry in entries:
            kernel = driver.kernel(module, re.search(r'name = "([^"]*)"', entry).group(1))
            self.kernels.append((kernel, listed("grid", entry), listed("block", entry), listed("slots", entry)))

    def set_parts(self, n):
        self.order = n - 1  # 0: as numbered.

    def __call__(self, inputs, outputs):
        """Runs the kernels on copies of the tensors, of whose bounds and uninitialised bytes the simulator is told."""
        places, ranges = [], []
        for t in [*inputs, *outputs, *[torch.empty(n, dtype=torch.uint8) for n in self.scratch]]:
            span = 1 + sum((n - 1) * s for n, s in zip(t.shape, t.stride(), strict=True)) if t.numel() else 0
            # Aligned to 16 bytes as a launch promises, and to no more.
            memory = torch.empty(span * t.element_size() + 48, dtype=torch.uint8)
            start = (16 - memory.data_ptr()) % 32
            flat = memory[start : start + span * t.element_size()].view(t.dtype)
            places.append(flat.as_strided(t.shape, t.stride(), flat.storage_offset()))
            ranges.append((memory.data_ptr() + start, memory.numel() - 48))
            if len(places) <= len(inputs):
                flat.copy_(t.as_strided((span,), (1,), t.storage_offset()))
        seed = unittest.mock.patch.dict(os.environ, TRACE_EMULATED_CUDA_SEED=str(self.order))
        with seed, emulated_driver().bounds(ranges[: len(inputs)], ranges[len(inputs) :]):
            for kernel, grid, block, slots in self.kernels:
                kernel.launch(grid, block, 0, 0, [ranges[slot][0] for slot in slots])
        for out, place in zip(outputs, places[len(inputs) :], strict=False):
            out.copy_(place)
