"""The gradient rules against eager PyTorch, at ordinary points and where conventions differ: ties, zeros, bounds, NaN,
infinities. Each function is differentiated by trace-opt and run by the reference interpreter in f64.
"""

import subprocess

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from built import built

TOOLS = built("bin", "TORCH_TRACE_TOOLS")
assert (TOOLS / "trace-run").exists(), "trace-run is not there; run ./dev build first"

INF, NAN = float("inf"), float("nan")
# With every value against every other one: ties, zeros, signs, NaN and infinities meet.
POINTS = torch.tensor([0.0, -0.0, 0.25, -0.25, 1.0, -1.0, 1.5, -1.5, 2.0, -3.0, 6.5, INF, -INF, NAN], dtype=torch.float64)
PAIRS = torch.cartesian_prod(POINTS, POINTS)


def gradients(tmp_path, function, arguments, cotangents):
    """Differentiates a function and runs it: one array per argument that has a gradient, by number."""
    joint = tmp_path / "joint.mlir"
    made = subprocess.run([TOOLS / "trace-opt", "-", "--trace-autodiff", "-o", joint], input=function, text=True,
                          capture_output=True)
    assert made.returncode == 0, made.stderr
    text = joint.read_text()
    numbers = [int(n) for n in text.rsplit("of [", 1)[1].split("]")[0].split(",")]
    command = [TOOLS / "trace-run", joint, "--interpret", "--no-print"]
    for kind, values in (("arg", arguments), ("cotangent", cotangents)):
        for i, value in enumerate(values):
            if value is not None:
                np.save(tmp_path / f"{kind}{i}.npy", value.numpy())
                command.append(f"--{kind}={i}={tmp_path / f'{kind}{i}.npy'}")
    for k, number in enumerate(numbers):
        command.append(f"--save={len(cotangents) + k}={tmp_path / f'gradient{number}.npy'}")
    ran = subprocess.run(command, text=True, capture_output=True)
    assert ran.returncode == 0, ran.stderr
    return {number: torch.from_numpy(np.load(tmp_path / f"gradient{number}.npy")) for number in numbers}


def tensor_type(value):
    element = {torch.float64: "f64", torch.int64: "i64", torch.bool: "i1"}[value.dtype]
    return "tensor<" + "".join(f"{n}x" for n in value.shape) + element + ">"


def check(tmp_path, body, eager, *arguments, outputs=1):
    """`body` gives %y (or %y0, %y1, ..) from %0, %1, ..; floating-point arguments need gradients."""
    inputs = [a.clone().requires_grad_() if a.is_floating_point() else a for a in arguments]
    results = eager(*inputs)
    results = results if isinstance(results, tuple) else (results,)
    generator = torch.Generator().manual_seed(0)
    cotangents = [torch.randn(r.shape, generator=generator, dtype=torch.float64) if r.is_floating_point() else None
                  for r in results]
    differentiable = [i for i in inputs if i.requires_grad]
    kept = [(r, c) for r, c in zip(results, cotangents, strict=True) if c is not None]
    expected = torch.autograd.grad([r for r, _ in kept], differentiable, [c for _, c in kept])

    parameters = ", ".join(f"%{i}: {tensor_type(a)}" + (" {trace.requires_grad}" if a.is_floating_point() else "")
                           for i, a in enumerate(arguments))
    types = ", ".join(tensor_type(r) for r in results)
    names = "%y" if len(results) == 1 else ", ".join(f"%y{i}" for i in range(len(results)))
    text = f"func.func @f({parameters}) -> ({types}) {{\n{body}\ntrace.return outputs({names} : {types})\n}}"
    got = gradients(tmp_path, text, arguments, cotangents)
    numbers = [i for i, a in enumerate(arguments) if a.is_floating_point()]
    assert sorted(got) == numbers
    for number, value in zip(numbers, expected, strict=True):
        torch.testing.assert_close(got[number], value, rtol=1e-9, atol=1e-12, equal_nan=True,
                                   msg=lambda m, n=number: f"gradient of argument {n}: {m}")


def unary(name):
    return f"%y = trace.{name} %0 : tensor<{len(POINTS)}xf64>"


UNARY = {
    "abs": torch.abs, "neg": torch.neg, "sign": torch.sign, "exp": torch.exp, "exp2": torch.exp2, "expm1": torch.expm1,
    "log": torch.log, "log2": torch.log2, "log10": torch.log10, "log1p": torch.log1p, "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt, "reciprocal": torch.reciprocal, "sin": torch.sin, "cos": torch.cos, "tan": torch.tan,
    "asin": torch.asin, "acos": torch.acos, "atan": torch.atan, "sinh": torch.sinh, "cosh": torch.cosh,
    "tanh": torch.tanh, "asinh": torch.asinh, "acosh": torch.acosh, "atanh": torch.atanh, "erf": torch.erf,
    "erfc": torch.erfc, "erfinv": torch.erfinv, "lgamma": torch.lgamma, "digamma": torch.digamma,
    "sigmoid": torch.sigmoid, "relu": torch.relu, "ceil": torch.ceil, "floor": torch.floor, "round": torch.round,
    "trunc": torch.trunc,
}


@pytest.mark.parametrize("name", UNARY)
def test_unary(tmp_path, name):
    check(tmp_path, unary(name), UNARY[name], POINTS)


BINARY = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "remainder": torch.remainder,
    "fmod": torch.fmod, "pow": torch.pow, "atan2": torch.atan2, "hypot": torch.hypot, "copysign": torch.copysign,
    "maximum": torch.maximum, "minimum": torch.minimum, "fmax": torch.fmax, "fmin": torch.fmin,
    "div_floor": lambda a, b: torch.div(a, b, rounding_mode="floor"),
    "div_trunc": lambda a, b: torch.div(a, b, rounding_mode="trunc"),
}


@pytest.mark.parametrize("name", BINARY)
def test_binary(tmp_path, name):
    a, b = PAIRS.unbind(1)
    check(tmp_path, f"%y = trace.{name} %0, %1 : {tensor_type(a)}", BINARY[name], a.contiguous(), b.contiguous())


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0, 2.0, 3.0, -1.0, -2.0, 2.5])
def test_pow_of_a_constant(tmp_path, exponent):
    kind = tensor_type(POINTS)
    check(tmp_path, f"%c = trace.constant dense<{exponent}> : {kind}\n%y = trace.pow %0, %c : {kind}",
          lambda x: torch.pow(x, exponent), POINTS)


def test_clamp(tmp_path):
    points = torch.tensor([-1.0, 0.0, 0.5, 1.0, 2.0, NAN], dtype=torch.float64)
    x, low, high = (v.contiguous() for v in torch.cartesian_prod(points, points[:4], points[:4]).unbind(1))
    check(tmp_path, f"%y = trace.clamp %0, %1, %2 : {tensor_type(x)}", torch.clamp, x, low, high)


@pytest.mark.parametrize("low, high", [(None, 0.5), (0.5, None), (-1.0, 1.0)])
def test_clamp_to_constants(tmp_path, low, high):
    kind = tensor_type(POINTS)
    as_dense = [0xFFF0000000000000 if low is None else low, 0x7FF0000000000000 if high is None else high]
    low_text, high_text = (hex(v).upper().replace("X", "x") if isinstance(v, int) else v for v in as_dense)
    check(tmp_path, f"%l = trace.constant dense<{low_text}> : {kind}\n%h = trace.constant dense<{high_text}> : {kind}\n"
                    f"%y = trace.clamp %0, %l, %h : {kind}", lambda x: torch.clamp(x, low, high), POINTS)


def test_where_lets_no_infinite_cotangent_through(tmp_path):
    # The branch that is not taken: sqrt at 0 has an infinite derivative.
    kind, mask = tensor_type(POINTS), tensor_type(POINTS > 0)
    check(tmp_path, f"%z = trace.constant dense<0.0> : {kind}\n%c = trace.gt %0, %z : {kind}\n"
                    f"%y = trace.where %c, %0, %1 : {mask}, {kind}",
          lambda a, b: torch.where(a > 0, a, b), POINTS, POINTS.flip(0).contiguous())


ROWS = torch.tensor([[1.0, 2.0, 2.0, -1.0], [0.0, 3.0, 2.0, 5.0], [0.0, 0.0, 2.0, 5.0], [2.0, 2.0, 2.0, 2.0],
                     [4.0, 0.0, 0.0, 0.0], [-1.0, 2.0, 0.0, 3.0]], dtype=torch.float64)
WITH_NAN = torch.cat([ROWS, torch.tensor([[1.0, NAN, 2.0, 3.0], [INF, INF, 1.0, 2.0]], dtype=torch.float64)])


@pytest.mark.parametrize("name, eager", [("max", torch.amax), ("min", torch.amin)])
@pytest.mark.parametrize("dims", [[1], [0], [0, 1]])
def test_extrema(tmp_path, name, eager, dims):
    check(tmp_path, f"%y = trace.reduce_{name} %0 {dims} : {tensor_type(WITH_NAN)}", lambda x: eager(x, dims), WITH_NAN)


@pytest.mark.parametrize("dim", [0, 1])
def test_prod(tmp_path, dim):
    check(tmp_path, f"%y = trace.reduce_prod %0 [{dim}] : {tensor_type(ROWS)}", lambda x: torch.prod(x, dim), ROWS)


@pytest.mark.parametrize("name, eager", [("cumsum", torch.cumsum), ("cumprod", torch.cumprod)])
@pytest.mark.parametrize("dim", [0, 1])
def test_scans(tmp_path, name, eager, dim):
    check(tmp_path, f"%y = trace.{name} %0 dim {dim} : {tensor_type(ROWS)}", lambda x: eager(x, dim), ROWS)


@pytest.mark.parametrize("descending", [False, True])
def test_sort(tmp_path, descending):
    check(tmp_path, f"%y0, %y1 = trace.sort %0 dim 1 descending {str(descending).lower()} stable true : {tensor_type(ROWS)}",
          lambda x: tuple(torch.sort(x, dim=1, descending=descending, stable=True)), ROWS)


def test_gather(tmp_path):
    one, several = torch.tensor([[1], [0], [3], [2], [0], [1]]), torch.tensor([[1, 1], [0, 2], [3, 3]])
    for index in (one, several):
        check(tmp_path, f"%y = trace.gather %0, %1 dim 1 : {tensor_type(ROWS)}, {tensor_type(index)}",
              lambda x, i: torch.gather(x, 1, i), ROWS, index)


def test_scatter(tmp_path):
    index, source = torch.tensor([[1], [0], [3]]), torch.tensor([[7.0], [8.0], [9.0]], dtype=torch.float64)
    for name, eager in (("scatter", torch.scatter), ("scatter_add", torch.scatter_add)):
        check(tmp_path, f"%y = trace.{name} %0, %1, %2 dim 1 : {tensor_type(ROWS)}, {tensor_type(index)}, {tensor_type(source)}",
              lambda x, i, s, f=eager: f(x, 1, i, s), ROWS, index, source)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("groups, stride, padding, dilation", [(1, 1, 0, 1), (2, 2, 1, 1), (1, 2, 2, 2)])
def test_convolution(tmp_path, transposed, groups, stride, padding, dilation):
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(2, 4, 9, 8, generator=generator, dtype=torch.float64)
    shape = (4, 6 // groups, 3, 2) if transposed else (6, 4 // groups, 3, 2)
    w = torch.randn(*shape, generator=generator, dtype=torch.float64)
    extra = 1 if transposed and stride > 1 else 0

    def eager(x, w):
        return torch.ops.aten.convolution(x, w, None, [stride] * 2, [padding] * 2, [dilation] * 2, transposed, [extra] * 2,
                                          groups)

    def pair(n):
        return f"array<i64: {n}, {n}>"

    kind = tensor_type(eager(x, w))
    check(tmp_path, f"%y = trace.convolution %0, %1 {{stride = {pair(stride)}, padding = {pair(padding)}, "
                    f"dilation = {pair(dilation)}, transposed = {str(transposed).lower()}, "
                    f"output_padding = {pair(extra)}, groups = {groups} : i64}} "
                    f": ({tensor_type(x)}, {tensor_type(w)}) -> {kind}", eager, x, w)


# ---- composites, as the front end captures them: what is differentiated is what users write


def captured_gradients(tmp_path, function, *arguments):
    """Captures `function` on real tensors and compares the gradients of its outputs with eager's, in f64."""
    from torch_trace.capture import capture
    from torch_trace.translate import Translator

    texts, given = [], []

    def backend(gm, example_inputs):
        texts.append(Translator(capture(gm, example_inputs, [])).module().text())

        def run(*inputs):
            given.append(inputs)
            return gm(*inputs)

        return run

    inputs = [a.clone().requires_grad_() if a.is_floating_point() else a for a in arguments]
    torch.compile(function, backend=backend)(*inputs)
    (text,), (placed,) = texts, given
    results = function(*inputs)
    results = results if isinstance(results, tuple) else (results,)
    generator = torch.Generator().manual_seed(0)
    cotangents = [torch.randn(r.shape, generator=generator, dtype=r.dtype) for r in results]
    differentiable = [(i, p) for i, p in enumerate(placed) if p.requires_grad]
    expected = torch.autograd.grad(results, [p for _, p in differentiable], cotangents)
    claimed = subprocess.run([TOOLS / "trace-opt", "-", "--trace-claim", "--cse"], input=text, text=True, capture_output=True)
    assert claimed.returncode == 0, claimed.stderr
    got = gradients(tmp_path, claimed.stdout, [p.detach() for p in placed], cotangents)
    for (number, _), value in zip(differentiable, expected, strict=True):
        torch.testing.assert_close(got[number], value, rtol=1e-8, atol=1e-10)
    return claimed.stdout


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


TARGET = torch.tensor([1, 7, -100, 3])


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("weighted", [False, True])
def test_cross_entropy(tmp_path, reduction, weighted):
    weight = torch.linspace(0.5, 2.0, 8, dtype=torch.float64) if weighted else None
    if weighted:
        captured_gradients(tmp_path, lambda x, t: F.cross_entropy(x, t, weight=weight, reduction=reduction), normal(4, 8),
                           TARGET)
    else:
        captured_gradients(tmp_path, lambda x, t: F.cross_entropy(x, t, reduction=reduction), normal(4, 8), TARGET)


def test_cross_entropy_with_nothing_kept(tmp_path):
    captured_gradients(tmp_path, lambda x, t: F.cross_entropy(x, t, reduction="sum"), normal(4, 8), torch.full((4,), -100))


def test_cross_entropy_of_images(tmp_path):
    captured_gradients(tmp_path, F.cross_entropy, normal(2, 5, 3), torch.tensor([[1, 0, 4], [2, 2, 3]]))


COMPOSITES = {
    "gelu": (F.gelu, normal(4, 8)),
    "gelu_tanh": (lambda x: F.gelu(x, approximate="tanh"), normal(4, 8)),
    "silu": (F.silu, normal(4, 8)),
    "softmax": (lambda x: F.softmax(x, -1), normal(4, 8)),
    "log_softmax": (lambda x: F.log_softmax(x, 0), normal(4, 8)),
    "softmax_by_hand": (lambda x: torch.exp(x - x.amax(-1, keepdim=True))
                        / torch.exp(x - x.amax(-1, keepdim=True)).sum(-1, keepdim=True), normal(4, 8)),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (8,), w, b), normal(4, 8), normal(8, seed=1), normal(8, seed=2)),
    "rms_norm": (lambda x, w: F.rms_norm(x, (8,), w), normal(4, 8), normal(8, seed=1)),
    "rms_norm_by_hand": (lambda x, w: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w, normal(4, 8),
                         normal(8, seed=1)),
    "linear": (F.linear, normal(2, 4, 8), normal(3, 8, seed=1), normal(3, seed=2)),
    "mlp": (lambda x, w, v: F.silu(x @ w.t()) @ v.t(), normal(4, 8), normal(16, 8, seed=1), normal(2, 16, seed=2)),
    "attention": (lambda q, k, v: torch.softmax(q @ k.transpose(-2, -1) / 2, -1) @ v, normal(2, 3, 5, 4),
                  normal(2, 3, 5, 4, seed=1), normal(2, 3, 5, 4, seed=2)),
    "rotary": (lambda q: q * 0.5 + torch.cat((-q[..., 4:], q[..., :4]), -1) * 0.25, normal(2, 8)),
    "embedding": (lambda w, i: F.embedding(i, w), normal(10, 4), torch.tensor([[1, 2, 1], [9, 0, 1]])),
    "mse": (F.mse_loss, normal(4, 8), normal(4, 8, seed=1)),
    "norm": (lambda x: x / x.norm(dim=-1, keepdim=True), normal(4, 8)),
    "norm_at_zero": (lambda x: (x * 0).norm(dim=-1), normal(4, 8)),
    "std": (lambda x: x.std(-1), normal(4, 8)),
    "chunk_with_an_unused_piece": (lambda x: x.chunk(2, -1)[0].sin(), normal(4, 8)),
    "index_and_mask": (lambda x: x[:, [1, 1, 3]].masked_fill(x[:, [0, 2, 4]] > 0, 2.0), normal(4, 8)),
    "max_and_argmax": (lambda x: x.max(-1).values, normal(4, 8)),
    "cumulative": (lambda x: (x.cumsum(-1), x.cumprod(0)), normal(4, 8)),
    "products_with_zeros": (lambda x: (x.cumprod(-1), x.prod(0)), ROWS),
    "logsumexp": (lambda x: x.logsumexp(-1), normal(4, 8)),
    "scatter": (lambda x, i: torch.zeros(4, 8, dtype=torch.float64).scatter_add(1, i, x), normal(4, 3),
                torch.tensor([[0, 0, 7]]).expand(4, 3).contiguous()),
    "tied": (lambda x, w: F.linear(F.linear(x, w), w), normal(4, 8), normal(8, 8, seed=1)),
    "batch_norm": (lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), normal(4, 3, 5), normal(3, seed=1),
                   normal(3, seed=2)),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b), normal(2, 4, 5), normal(4, seed=1), normal(4, seed=2)),
    "convolution": (lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1), normal(2, 3, 7, 7), normal(4, 3, 3, 3, seed=1),
                    normal(4, seed=2)),
}


@pytest.mark.parametrize("name", COMPOSITES)
def test_composite(tmp_path, name):
    function, *arguments = COMPOSITES[name]
    captured_gradients(tmp_path, function, *arguments)
