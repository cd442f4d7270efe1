"""Runs every prim that PyTorch has too by trace-run --interpret and by eager PyTorch, on the same inputs, and compares.

Inputs hold the awkward values: NaN, infinities, both zeros, subnormals, ties, the ends of integer ranges. Operations
that are exact are compared exactly (also the sign of zero), transcendental ones within a few units in the last place.
"""

import argparse
import os
import subprocess
import sys

import numpy as np
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--trace-run", required=True)
parser.add_argument("--out", required=True, help="folder for files")
options = parser.parse_args()
os.makedirs(options.out, exist_ok=True)

nan, inf = float("nan"), float("inf")
TYPES = {
    torch.float32: "f32", torch.float64: "f64", torch.bfloat16: "bf16", torch.float16: "f16", torch.int64: "i64",
    torch.int32: "i32", torch.int16: "i16", torch.int8: "i8", torch.uint8: "ui8", torch.bool: "i1",
}
ULP = {torch.float32: 2.0**-23, torch.float64: 2.0**-52, torch.bfloat16: 2.0**-7, torch.float16: 2.0**-10}


def mlir_type(tensor):
    return "tensor<" + "".join(f"{size}x" for size in tensor.shape) + TYPES[tensor.dtype] + ">"


def save(path, tensor):
    tensor = tensor.contiguous()
    np.save(path, (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy())


def load(path, dtype):
    array = torch.from_numpy(np.load(path))
    return array.view(torch.bfloat16) if dtype == torch.bfloat16 else array.to(dtype)


class Function:
    """Ops on some arguments, each with what eager gives; all are outputs of one function."""

    def __init__(self, name, **arguments):
        self.name, self.arguments, self.body, self.results = name, arguments, [], []
        self.types = {key: mlir_type(value) for key, value in arguments.items()}

    def op(self, text, expected, ulps=0.0, results=1):
        """`text` is an op without its result; {x} stands for an argument's type."""
        expected = expected if isinstance(expected, (tuple, list)) else (expected,)
        name = f"r{len(self.body)}"
        names = [f"%{name}_{i}" for i in range(len(expected))]
        for key, value in self.types.items():
            text = text.replace("{" + key + "}", value)
        self.body.append(f"  {', '.join(names)} = {text}")
        for n, tensor in zip(names, expected):
            self.results.append((n, tensor, ulps, text))

    def run(self):
        arguments = ", ".join(f"%{key}: {self.types[key]}" for key in self.arguments)
        types = ", ".join(mlir_type(tensor) for _, tensor, _, _ in self.results)
        names = ", ".join(n for n, _, _, _ in self.results)
        text = f"func.func @f({arguments}) -> ({types}) {{\n" + "\n".join(self.body)
        text += f"\n  trace.return outputs({names} : {types})\n}}\n"
        path = os.path.join(options.out, self.name)
        with open(path + ".mlir", "w") as file:
            file.write(text)
        command = [options.trace_run, path + ".mlir", "--interpret", "--no-print"]
        for i, (key, tensor) in enumerate(self.arguments.items()):
            save(f"{path}.{key}.npy", tensor)
            command.append(f"--arg={i}={path}.{key}.npy")
        command += [f"--save={i}={path}.out{i}.npy" for i in range(len(self.results))]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(f"{self.name}: trace-run failed\n{done.stderr}")
            return 1
        wrong = 0
        for i, (_, expected, ulps, text) in enumerate(self.results):
            got = load(f"{path}.out{i}.npy", expected.dtype)
            message = compare(got, expected, ulps, any(word in text for word in SUMS))
            if message:
                wrong += 1
                print(f"{self.name}: {text}\n  {message}")
        return wrong


def compare(got, expected, ulps, summed):
    if got.shape != expected.shape:
        return f"shape {tuple(got.shape)}, not {tuple(expected.shape)}"
    if not expected.dtype.is_floating_point:
        bad = got != expected
    else:
        g, e = got.double(), expected.double()
        same = (g == e) | (g.isnan() & e.isnan())
        if ulps == 0:
            same &= (g.signbit() == e.signbit()) | e.isnan()
        # Below the smallest normal number the last place is absolute; a sum may cancel, whose terms are near 1.
        floor = 1.0 if summed else torch.finfo(expected.dtype).tiny
        near = (g - e).abs() <= ulps * ULP[expected.dtype] * e.abs().clamp_min(floor)
        bad = ~(same | near)
    if not bad.any():
        return None
    at = tuple(bad.nonzero()[0].tolist())
    return f"{int(bad.sum())} of {bad.numel()} elements differ; first at {list(at)}: {got[at].item()}, eager {expected[at].item()}"


SUMS = ("sum", "_add", "accumulate", "matmul", "convolution", "mm", "linear", "mean")
FLOATS = [nan, inf, -inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -3.0, 1e-3, -7.25, 100.0, -100.0, 1e-10, 0.99, 2.0, 7.0, -0.1]
torch.manual_seed(0)


def floats(dtype):
    tiny = torch.finfo(dtype).tiny
    values = torch.tensor(FLOATS + [tiny, -tiny / 2, tiny / 4], dtype=torch.float64)
    return torch.cat([values, torch.randn(30, dtype=torch.float64) * 3]).to(dtype)


def pairs(values):
    n = len(values)
    return values.repeat_interleave(n), values.repeat(n)


def unary_floats(dtype):
    x = floats(dtype)
    f = Function(f"unary_{TYPES[dtype]}", x=x)
    for name in ("abs", "neg", "sign", "reciprocal", "relu", "ceil", "floor", "round", "trunc"):
        f.op(f"trace.{name} %x : {{x}}", getattr(torch, name)(x))
    for name in ("isnan", "isinf", "isfinite", "signbit", "logical_not"):
        f.op(f"trace.{name} %x : {{x}}", getattr(torch, name)(x))
    for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "sin", "cos", "tan", "asin", "acos", "atan",
                 "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "sigmoid"):
        if name == "erf" and dtype == torch.bfloat16:
            continue  # eager's is 0 for tiny arguments
        f.op(f"trace.{name} %x : {{x}}", getattr(torch, name)(x), ulps=8 if dtype == torch.float64 else 4)
    for name in ("erfinv", "digamma"):
        f.op(f"trace.{name} %x : {{x}}", getattr(torch, name)(x), ulps=64)
    # Near its zeros lgamma has no digits to compare.
    f.op("trace.lgamma %x : {x}", torch.lgamma(x), ulps=512)
    for to in (torch.float64, torch.float32, torch.bfloat16, torch.float16, torch.int64, torch.int32, torch.int16,
               torch.int8, torch.uint8, torch.bool):
        big = torch.cat([x, torch.tensor([3e4, -4e4, 6e4], dtype=torch.float64).to(dtype)])
        g = Function(f"convert_{TYPES[dtype]}_{TYPES[to]}", x=big)
        g.op(f"trace.convert %x : {{x}} to {mlir_type(big.to(to))}", big.to(to))
        yield g
    yield f


def binary_floats(dtype):
    a, b = pairs(floats(dtype)[:40])
    # Eager's vectorised fmod gives up (NaN) where the quotient is huge.
    keep = ~((a.double() / b.double()).abs() > 1e6) | b.isinf() | (b == 0) | a.isinf()
    f = Function(f"remainder_{TYPES[dtype]}", a=a[keep], b=b[keep])
    for name, function in (("div_floor", torch.floor_divide), ("remainder", torch.remainder), ("fmod", torch.fmod)):
        f.op(f"trace.{name} %a, %b : {{a}}", function(a[keep], b[keep]), ulps=1 if name == "div_floor" else 0)
    yield f
    f = Function(f"binary_{TYPES[dtype]}", a=a, b=b)
    for name, function in (("add", torch.add), ("sub", torch.sub), ("mul", torch.mul), ("div", torch.div),
                           ("div_trunc", lambda a, b: torch.div(a, b, rounding_mode="trunc")),
                           ("copysign", torch.copysign)):
        f.op(f"trace.{name} %a, %b : {{a}}", function(a, b))
    # Which of two zeros wins differs between eager's vectors and its tails.
    for name in ("maximum", "minimum", "fmax", "fmin"):
        f.op(f"trace.{name} %a, %b : {{a}}", getattr(torch, name)(a, b), ulps=1e-9)
    for name, function in (("pow", torch.pow), ("atan2", torch.atan2)):
        f.op(f"trace.{name} %a, %b : {{a}}", function(a, b), ulps=8)
    if dtype not in (torch.float16,):
        f.op("trace.nextafter %a, %b : {a}", torch.nextafter(a, b))
    if dtype in (torch.float32, torch.float64):
        f.op("trace.hypot %a, %b : {a}", torch.hypot(a, b), ulps=4)
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        f.op(f"trace.{name} %a, %b : {{a}}", getattr(torch, name)(a, b))
    f.op("trace.clamp %a, %b, %a : {a}", torch.clamp(a, b, a))
    yield f


def integers(dtype):
    info = torch.iinfo(dtype)
    values = [0, 1, 2, 3, 5, 7, 10, 100, info.max, info.max - 1, info.min, info.min + 1]
    if info.min < 0:
        values += [-1, -2, -3, -7, -10]
    x = torch.tensor(values, dtype=dtype)
    name = TYPES[dtype]
    f = Function(f"unary_{name}", x=x)
    for op in ("abs", "neg", "sign", "relu", "bitwise_not", "logical_not", "signbit"):
        f.op(f"trace.{op} %x : {{x}}", getattr(torch, op)(x))
    for to in TYPES:
        f.op(f"trace.convert %x : {{x}} to {mlir_type(x.to(to))}", x.to(to))
    yield f
    a, b = pairs(x)
    f = Function(f"binary_{name}", a=a, b=b)
    for op in ("add", "sub", "mul", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor", "eq", "ne", "lt", "le",
               "gt", "ge"):
        f.op(f"trace.{op} %a, %b : {{a}}", getattr(torch, op)(a, b))
    f.op("trace.shift_left %a, %b : {a}", torch.bitwise_left_shift(a, b))
    f.op("trace.shift_right %a, %b : {a}", torch.bitwise_right_shift(a, b))
    f.op("trace.pow %a, %b : {a}", torch.pow(a, b))
    yield f
    keep = (b != 0) & ~((b == -1) & (a == info.min))
    a, b = a[keep], b[keep]
    f = Function(f"division_{name}", a=a, b=b)
    f.op("trace.div_floor %a, %b : {a}", torch.floor_divide(a, b))
    f.op("trace.div_trunc %a, %b : {a}", torch.div(a, b, rounding_mode="trunc"))
    f.op("trace.remainder %a, %b : {a}", torch.remainder(a, b))
    f.op("trace.fmod %a, %b : {a}", torch.fmod(a, b))
    yield f


def booleans():
    a, b = pairs(torch.tensor([True, False]))
    f = Function("booleans", a=a, b=b)
    for op in ("add", "mul", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor", "eq", "ne", "lt", "le", "gt", "ge"):
        f.op(f"trace.{op} %a, %b : {{a}}", getattr(torch, op)(a, b))
    for op in ("bitwise_not", "logical_not"):
        f.op(f"trace.{op} %a : {{a}}", getattr(torch, op)(a))
    for to in TYPES:
        f.op(f"trace.convert %a : {{a}} to {mlir_type(a.to(to))}", a.to(to))
    yield f


def shapes():
    x = torch.randn(2, 3, 4)
    f = Function("shapes", x=x, i=torch.arange(24).reshape(2, 3, 4), v=torch.tensor(7.0), w=torch.randn(2, 5, 4))
    f.op("trace.transpose %x [2, 0, 1] : {x}", x.permute(2, 0, 1))
    f.op("trace.reshape %x : {x} to tensor<6x4xf32>", x.reshape(6, 4))
    f.op("trace.broadcast_in_dim %x [0, 2, 3] : {x} to tensor<2x5x3x4xf32>", x[:, None].expand(2, 5, 3, 4))
    f.op("trace.slice %x [0, 1, 0] to [2, 3, 4] by [1, 1, 3] : {x}", x[:, 1:3, ::3])
    f.op("trace.reverse %x [0, 2] : {x}", x.flip(0, 2))
    f.op("trace.cat %x, %w dim 1 : {x}, {w}", torch.cat([x, f.arguments["w"]], 1))
    padded = torch.full((2, 5, 4), 7.0)
    padded[:, 1:4] = x
    f.op("trace.pad %x, %v low [0, 1, 0] high [0, 1, 0] interior [0, 0, 0] : {x}, {v}", padded)
    spread = torch.full((2, 3, 8), 7.0)
    spread[:, :, 1::2] = x
    f.op("trace.pad %x, %v low [0, 0, 1] high [0, 0, 0] interior [0, 0, 1] : {x}, {v}", spread)
    f.op("trace.pad %x, %v low [0, -1, 0] high [0, -1, 0] interior [0, 0, 0] : {x}, {v}", x[:, 1:2])
    f.op("trace.iota 1 : tensor<2x3xi32>", torch.arange(3, dtype=torch.int32).expand(2, 3))
    f.op("trace.bitcast %x : {x} to tensor<2x3x4xi32>", x.view(torch.int32))
    yield f


def reductions():
    x = torch.randn(3, 5, 4)
    x[0, 1, 2], x[1] = nan, -inf
    n = torch.randint(-100, 100, (3, 5, 4), dtype=torch.int8)
    b = torch.rand(3, 5, 4) > 0.4
    h = torch.randn(3, 200, 4).bfloat16()
    e = torch.empty(3, 0)
    f = Function("reductions", x=x, n=n, b=b, h=h, e=e, z=torch.full((3, 2), -0.0))
    for dims in ([1], [0, 2], [0, 1, 2]):
        f.op(f"trace.reduce_sum %x {dims} : {{x}}", x.sum(dims), ulps=16)
        f.op(f"trace.reduce_max %x {dims} : {{x}}", x.amax(dims))
        f.op(f"trace.reduce_min %x {dims} : {{x}}", x.amin(dims))
        f.op(f"trace.reduce_max %n {dims} : {{n}}", n.amax(dims))
        f.op(f"trace.reduce_min %n {dims} : {{n}}", n.amin(dims))
        f.op(f"trace.reduce_any %b {dims} : {{b}}", b.any(dims) if len(dims) < 3 else b.any())
        f.op(f"trace.reduce_all %b {dims} : {{b}}", b.all(dims) if len(dims) < 3 else b.all())
        f.op(f"trace.reduce_sum %n {dims} : {{n}}", n.sum(dims).to(torch.int8))
    f.op("trace.reduce_prod %n [1] : {n}", n.prod(1, dtype=torch.int8))
    f.op("trace.reduce_prod %x [1] : {x}", x.prod(1), ulps=16)
    f.op("trace.reduce_sum %h [1] : {h}", h.sum(1), ulps=1)
    f.op("trace.reduce_sum %e [1] : {e}", e.sum(1))
    f.op("trace.reduce_prod %e [1] : {e}", e.prod(1))
    f.op("trace.reduce_sum %z [1] : {z}", f.arguments["z"].sum(1))
    for dim in range(3):
        f.op(f"trace.argmax %x dim {dim} : {{x}}", x.argmax(dim))
        f.op(f"trace.argmin %x dim {dim} : {{x}}", x.argmin(dim))
        f.op(f"trace.cumsum %x dim {dim} : {{x}}", x.cumsum(dim), ulps=16)
        f.op(f"trace.cumprod %x dim {dim} : {{x}}", x.cumprod(dim), ulps=16)
    f.op("trace.cumsum %n dim 1 : {n}", n.cumsum(1, dtype=torch.int8))
    yield f


def indexing():
    x = torch.randn(4, 6, 3)
    x[1, 2, 0] = nan
    i = torch.randint(0, 6, (4, 2, 3))
    t = torch.randint(0, 6, (2, 5))
    p, q = torch.randint(0, 4, (5,)), torch.randint(0, 6, (5,))
    r = torch.randint(0, 3, (5,))
    s = torch.randn(4, 2, 3)
    f = Function("indexing", x=x, i=i, t=t, p=p, q=q, r=r, s=s, ta=torch.randn(4, 2, 5, 3), pq=torch.randn(5, 3),
                 pr=torch.randn(5, 6))
    a = f.arguments
    f.op("trace.gather %x, %i dim 1 : {x}, {i}", x.gather(1, i))
    f.op("trace.take %x, %t dim 1 : {x}, {t}", x[:, t])
    f.op("trace.scatter_add %x, %i, %s dim 1 : {x}, {i}, {s}", x.scatter_add(1, i, s), ulps=4)
    f.op("trace.index_add %x, %t, %ta dim 1 : {x}, {t}, {ta}", x.index_add(1, t.flatten(), a["ta"].flatten(1, 2)), ulps=8)
    f.op("trace.index %x[%p, %q] dims [0, 1] : {x}, {p}, {q} to tensor<5x3xf32>", x[p, q])
    f.op("trace.index %x[%p, %r] dims [0, 2] : {x}, {p}, {r} to tensor<5x6xf32>", x[p, :, r])
    f.op("trace.index %x[%r] dims [1] : {x}, {r} to tensor<4x5x3xf32>", x[:, r])
    f.op("trace.index_put %x, %pq[%p, %q] dims [0, 1] accumulate true : {x}, {pq}, {p}, {q}",
         x.index_put((p, q), a["pq"], accumulate=True), ulps=4)
    f.op("trace.index_put %x, %pr[%p, %r] dims [0, 2] accumulate true : {x}, {pr}, {p}, {r}",
         x.clone().index_put((p[:, None], torch.arange(6)[None], r[:, None]), a["pr"], accumulate=True), ulps=4)
    for dim in range(3):
        for descending in ("true", "false"):
            values, indices = torch.sort(x, stable=True, dim=dim, descending=descending == "true")
            f.op(f"trace.sort %x dim {dim} descending {descending} stable true : {{x}}", (values, indices))
            values, indices = x.topk(2, dim, largest=descending == "true")
            f.op(f"trace.topk %x dim {dim} k 2 largest {descending} sorted true : {{x}}", (values, indices))
    yield f


def products():
    a, b = torch.randn(2, 3, 4, dtype=torch.float64), torch.randn(2, 4, 5, dtype=torch.float64)
    f = Function("matmul", a=a, b=b, i=torch.randint(-9, 9, (3, 4)), j=torch.randint(-9, 9, (4, 2)),
                 e=torch.empty(3, 0), g=torch.empty(0, 4))
    f.op("trace.matmul %a, %b : {a}, {b}", a @ b, ulps=64)
    f.op("trace.matmul %i, %j : {i}, {j}", f.arguments["i"] @ f.arguments["j"])
    f.op("trace.matmul %e, %g : {e}, {g}", f.arguments["e"] @ f.arguments["g"])
    yield f
    for n, (size, groups, stride, padding, dilation, transposed, output_padding) in enumerate([
        ((7,), 1, [2], [1], [1], False, [0]), ((7, 6), 1, [1, 1], [0, 0], [1, 1], False, [0, 0]),
        ((7, 6), 2, [2, 3], [1, 2], [2, 1], False, [0, 0]), ((4, 5), 2, [2, 3], [1, 0], [1, 2], True, [1, 2]),
        ((3, 4, 3), 1, [1, 2, 1], [1, 0, 1], [1, 1, 1], False, [0, 0, 0])]):
        c_in, c_out, kernel = 4, 6, [3, 2, 2][: len(size)]
        x = torch.randn(2, c_in, *size, dtype=torch.float64)
        shape = (c_in, c_out // groups) if transposed else (c_out, c_in // groups)
        w = torch.randn(*shape, *kernel, dtype=torch.float64)
        y = torch.ops.aten.convolution(x, w, None, stride, padding, dilation, transposed, output_padding, groups)
        g = torch.randn_like(y)
        gx, gw, _ = torch.ops.aten.convolution_backward(g, x, w, None, stride, padding, dilation, transposed,
                                                        output_padding, groups, [True, True, False])
        f = Function(f"convolution{n}", x=x, w=w, g=g)

        def array(values):
            return "array<i64: " + ", ".join(map(str, values)) + ">"

        attributes = (f"{{stride = {array(stride)}, padding = {array(padding)}, dilation = {array(dilation)}, transposed = "
                      f"{str(transposed).lower()}, output_padding = {array(output_padding)}, groups = {groups} : i64}}")
        for op, operands, expected in (("convolution", "xw", y), ("convolution_input_grad", "gw", gx),
                                       ("convolution_weight_grad", "gx", gw)):
            p, q = operands
            f.op(f"trace.{op} %{p}, %{q} {attributes} : ({{{p}}}, {{{q}}}) -> {mlir_type(expected)}", expected, ulps=1e4)
        yield f


def library():
    d = dict(dtype=torch.float64)
    a, b, c, v = torch.randn(3, 4, **d), torch.randn(4, 5, **d), torch.randn(3, 5, **d), torch.randn(5, **d)
    f = Function("library", a=a, b=b, c=c, v=v, x=torch.randn(2, 3, 4, **d), y=torch.randn(2, 4, 5, **d),
                 w=torch.randn(7, 5, **d), e=torch.randn(10, 4, **d), t=torch.randint(0, 10, (2, 3)))
    g = f.arguments
    aten = torch.ops.aten

    def call(name, arguments, operands, expected, ulps=256):
        results = expected if isinstance(expected, (tuple, list)) else (expected,)
        names = ", ".join(f"%{o}" for o in operands)
        types = ", ".join(f"{{{o}}}" for o in operands)
        to = ", ".join(mlir_type(r) for r in results)
        f.op(f'trace.call_library "aten.{name}"({names}) {{arguments = [{arguments}]}} : ({types}) -> ({to})', expected, ulps)

    def op(i):
        return f"#trace.operand<{i}>"

    call("mm.default", f"{op(0)}, {op(1)}", "ab", a @ b)
    call("bmm.default", f"{op(0)}, {op(1)}", "xy", g["x"] @ g["y"])
    call("addmm.default", f"{op(0)}, {op(1)}, {op(2)}", "vab", torch.addmm(v, a, b))
    call("addmm.default", f"{op(0)}, {op(1)}, {op(2)}, 2, 0.5", "cab", torch.addmm(c, a, b, beta=2, alpha=0.5))
    call("t.default", op(0), "a", a.t())
    call("linear.default", f"{op(0)}, {op(1)}, unit", "cw", torch.nn.functional.linear(c, g["w"]))
    call("mul.Tensor", f"{op(0)}, {op(1)}", "cv", c * v)
    call("add.Tensor", f"{op(0)}, {op(1)}, 3", "cv", c + 3 * v)
    call("mul.Scalar", f"{op(0)}, 0.1", "c", c * 0.1)
    call("exp.default", op(0), "c", c.exp())
    call("relu.default", op(0), "c", c.relu())
    call("cumsum.default", f"{op(0)}, -1", "c", c.cumsum(-1))
    call("sum.dim_IntList", f"{op(0)}, [1], true", "c", c.sum(1, keepdim=True))
    call("mean.dim", f"{op(0)}, [0]", "c", c.mean(0))
    call("amax.default", f"{op(0)}, [-1], true", "c", c.amax(-1, keepdim=True))
    call("_softmax.default", f"{op(0)}, 1, false", "c", c.softmax(1))
    call("_log_softmax.default", f"{op(0)}, -1, false", "c", c.log_softmax(1))
    call("embedding.default", f"{op(0)}, {op(1)}", "et", aten.embedding(g["e"], g["t"]))
    call("sort.stable", f"{op(0)}, true, 1, true", "c", torch.sort(c, stable=True, dim=1, descending=True))
    call("topk.default", f"{op(0)}, 2", "c", c.topk(2))
    call("view.default", f"{op(0)}, [5, -1]", "c", c.reshape(5, -1))
    call("permute.default", f"{op(0)}, [1, 0]", "c", c.t())
    yield f


wrong = total = 0
for kind in ([*map(unary_floats, (torch.float32, torch.float64, torch.bfloat16, torch.float16))] +
             [*map(binary_floats, (torch.float32, torch.float64, torch.bfloat16, torch.float16))] +
             [*map(integers, (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8))] +
             [booleans(), shapes(), reductions(), indexing(), products(), library()]):
    for function in kind:
        total += len(function.results)
        wrong += function.run()
print(f"{total} results compared, {wrong} wrong")
sys.exit(wrong != 0)
