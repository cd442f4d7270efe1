"""Numbers of the CPU kernels against eager PyTorch, over shapes, layouts and element types."""

import pathlib
import sys

import pytest
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Codegen"))
from kernels import Fusion  # noqa: E402

F32, F64, BF16, F16 = torch.float32, torch.float64, torch.bfloat16, torch.float16
I64, I32, I8, U8, BOOL = torch.int64, torch.int32, torch.int8, torch.uint8, torch.bool


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def data(shape, dtype=F32):
    if dtype == BOOL:
        return torch.rand(shape) < 0.4
    if dtype == U8:
        return torch.randint(0, 256, shape, dtype=dtype)
    if not dtype.is_floating_point:
        return torch.randint(-100, 100, shape).to(dtype)
    return torch.randn(shape, dtype=F64).to(dtype)


# ---- pointwise


@pytest.mark.parametrize("dtype", [F32, F64, BF16, F16, I64, I32, I8, U8])
@pytest.mark.parametrize("n", [1, 17, 100])
def test_add_mul(dtype, n):
    f = Fusion()
    x, y = f.input(data((n,), dtype)), f.input(data((n,), dtype))
    f.output(f.add(x, y))
    f.output(f.mul(x, y))
    f.check(rtol=0, atol=0)


@pytest.mark.parametrize("shape", [(), (1,), (2,), (15,), (16,), (31,), (33,), (3, 5, 7), (5000,), (0, 3), (4, 1, 3)])
@pytest.mark.parametrize("bits", [0, 256, 128])
def test_shapes(shape, bits):
    f = Fusion()
    x, y = f.input(data(shape)), f.input(data(shape))
    f.output(f.mul(f.add(x, y), x))
    f.check(rtol=0, atol=0, bits=bits)


def test_strided_and_expanded_inputs():
    f = Fusion()
    shape = (6, 35)
    inputs = [data((35, 6)).t(), data((35,)).expand(shape), data((6, 1)).expand(shape), data((12, 70))[::2, ::2]]
    value = f.input(data(shape))
    for t in inputs:
        value = f.add(value, f.input(t))
    f.output(value)
    f.check(rtol=1e-6, atol=1e-6)


def test_strided_outputs():
    f = Fusion()
    x = f.input(data((4, 3, 5, 17)))
    f.output(f.add(x, x), f.mul(x, x))
    f.check(rtol=0, atol=0, output_strides=[(255, 1, 51, 3), None])


@pytest.mark.parametrize("shape", [(5, 33), (7, 3), (2, 3, 64), (1000, 3), (3, 1)])
def test_bias(shape):
    f = Fusion()
    x, b = f.input(data(shape)), f.input(data(shape[-1:]))
    f.output(f.add(x, f.broadcast(b, shape, [len(shape) - 1])))
    f.check(rtol=0, atol=0)


def test_integers():
    f = Fusion()
    for dtype in (I64, I32, I8, U8):
        x, y = f.input(data((37,), dtype)), f.input(data((37,), dtype))
        y.tensor[y.tensor == 0] = 3
        f.output(f.binary("div_floor", x, y, lambda a, b: torch.div(a, b, rounding_mode="floor")))
        f.output(f.binary("div_trunc", x, y, lambda a, b: torch.div(a, b, rounding_mode="trunc")))
        f.output(f.binary("remainder", x, y))
        f.output(f.binary("maximum", x, y))
        f.output(f.binary("lt", x, y))
    f.check(rtol=0, atol=0)


def test_division_by_zero_does_not_trap():
    f = Fusion()
    x, y = f.input(data((37,), I32)), f.input(torch.zeros(37, dtype=I32))
    f.output(f.binary("div_floor", x, y, lambda a, b: torch.zeros_like(a)))
    f.check(rtol=0, atol=0)


@pytest.mark.parametrize("source", [F32, F64, BF16, F16, I64, I32, I8, U8, BOOL])
def test_convert(source):
    f = Fusion()
    x = f.input(data((37,), source))
    for target in (F32, F64, BF16, F16, I64, I32, I8, U8, BOOL):
        if target == U8 and source != BOOL and source != U8:
            x2 = f.input(data((37,), source).abs())
            f.output(f.convert(x2, target))
        elif target != source:
            f.output(f.convert(x, target))
    f.check(rtol=0, atol=0)


def test_float_to_integer_out_of_range():
    f = Fusion()
    x = f.input(torch.tensor([1e30, -1e30, float("nan"), float("inf"), 2.5, -2.5] * 3))
    f.output(f.convert(x, I64), f.convert(x, I32))
    f.check(rtol=0, atol=0)


def test_bool_logic():
    f = Fusion()
    x, y = f.input(data((37,), BOOL)), f.input(data((37,), BOOL))
    f.output(f.binary("bitwise_and", x, y), f.binary("bitwise_or", x, y), f.unary("logical_not", x))
    f.output(f.where(x, y, f.constant(True, y)))
    f.check(rtol=0, atol=0)


def test_where_clamp_compare():
    f = Fusion()
    x, y = f.input(data((50,))), f.input(data((50,)))
    x.tensor[3] = float("nan")
    f.output(f.where(f.binary("gt", x, y), x, y))
    f.output(f.clamp(x, f.constant(-0.5, x), f.constant(0.5, x)))
    f.check(rtol=0, atol=0)


# ---- rounding of bf16


def test_bf16_chain_keeps_f32():
    f = Fusion()
    x, y = f.input(data((64,), BF16)), f.input(data((64,), BF16))
    r = f.mul(f.add(x, y), y)
    exact = ((x.tensor.float() + y.tensor.float()) * y.tensor.float()).to(BF16)
    r.tensor = exact
    f.output(r)
    f.check(rtol=0, atol=0)


def test_bf16_exact_rounding():
    f = Fusion()
    x, y = f.input(data((64,), BF16)), f.input(data((64,), BF16))
    f.output(f.mul(f.add(x, y), y))
    f.check(rtol=0, atol=0, options="exact-rounding")


def test_bf16_rounds_where_it_shows():
    f = Fusion()
    x, y = f.input(data((640,), BF16)), f.input(data((640,), BF16))
    s = f.add(x, y)
    f.output(s, f.mul(s, y))  # written out: the rounded sum is what is multiplied
    p = f.mul(x, y)
    f.output(f.binary("eq", p, f.convert(f.convert(f.mul(x, y), F32), BF16)))  # a comparison sees rounded numbers
    f.output(f.convert(f.convert(f.mul(f.convert(x, F32), f.convert(y, F32)), BF16), F32))  # an explicit cast
    f.check(rtol=0, atol=0)


# ---- views


def test_transpose():
    for shape in ((4, 33), (100, 50)):
        f = Fusion()
        x, y = f.input(data(shape)), f.input(data(shape[::-1]))
        f.output(f.add(x, f.transpose(y, [1, 0])))
        f.check(rtol=0, atol=0)


def test_reshapes():
    f = Fusion()
    x = f.input(data((4, 6, 10)))
    y = f.input(data((24, 10)))
    z = f.input(data((4, 60)))
    s = f.add(f.reshape(x, (240,)), f.reshape(y, (240,)))
    f.output(f.mul(f.reshape(s, (4, 60)), z))
    f.output(f.reshape(f.transpose(f.reshape(s, (8, 30)), [1, 0]), (10, 24)))
    f.check(rtol=0, atol=0)


def test_slices_and_reverse():
    f = Fusion()
    x = f.input(data((9, 70)))
    f.output(f.slice(x, [1, 3], [8, 69], [2, 3]), f.reverse(x, [1]), f.reverse(x, [0]))
    f.check(rtol=0, atol=0)


@pytest.mark.parametrize("sizes", [(2, 3), (16, 16), (17, 40), (5, 0, 9), (1, 1, 1, 1, 1, 1, 1, 1, 1, 1)])
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_cat(sizes, dim):
    f = Fusion()
    parts = []
    for n in sizes:
        shape = [3, 4, 5]
        shape[dim] = n
        parts.append(f.input(data(shape)))
    f.output(f.cat(parts, dim))
    r = f.cat([f.unary("neg", p) for p in parts], dim)
    f.output(f.add(r, r))
    f.check(rtol=0, atol=0)


@pytest.mark.parametrize(
    "low,high,interior",
    [([0, 2], [0, 3], [0, 0]), ([1, 0], [2, 0], [0, 0]), ([0, 1], [0, 0], [0, 2]), ([2, -3], [0, -4], [1, 0])],
)
def test_pad(low, high, interior):
    f = Fusion()
    x = f.input(data((4, 37)))
    zero = f.input(torch.tensor(2.5))
    p = f.pad(x, zero, low, high, interior)
    f.output(p, f.mul(p, p))
    f.check(rtol=0, atol=0)


@pytest.mark.parametrize("dtype", [F32, BF16])
@pytest.mark.parametrize("shape", [(2, 3, 8), (2, 3, 64), (2, 3, 70)])
def test_rope(shape, dtype):
    f = Fusion()
    B, S, D = shape
    x, c, s = f.input(data(shape, dtype)), f.input(data((S, D), dtype)), f.input(data((S, D), dtype))
    h = D // 2
    rotated = f.cat([f.unary("neg", f.slice(x, [0, 0, h], [B, S, D])), f.slice(x, [0, 0, 0], [B, S, h])], 2)
    f.output(f.add(f.mul(x, f.broadcast(c, shape, [1, 2])), f.mul(rotated, f.broadcast(s, shape, [1, 2]))))
    f.check(**({} if dtype == F32 else {"rtol": 2e-2, "atol": 2e-2}))


def test_rope_backward():
    f = Fusion()
    B, S, D = 2, 3, 64
    g, s = f.input(data((B, S, D))), f.input(data((S, D)))
    t = f.mul(g, f.broadcast(s, (B, S, D), [1, 2]))
    zero = f.input(torch.tensor(0.0))
    h = D // 2
    high = f.pad(f.unary("neg", f.slice(t, [0, 0, 0], [B, S, h])), zero, [0, 0, h], [0, 0, 0], [0, 0, 0])
    low = f.pad(f.slice(t, [0, 0, h], [B, S, D]), zero, [0, 0, 0], [0, 0, h], [0, 0, 0])
    f.output(f.add(high, low))
    f.check(rtol=0, atol=0)


# ---- reductions


@pytest.mark.parametrize("kind", ["sum", "prod", "max", "min"])
@pytest.mark.parametrize("dims", [[0], [1], [2], [0, 1], [1, 2], [0, 2], [0, 1, 2], []])
def test_reduce_dims(kind, dims):
    f = Fusion()
    x = f.input(data((3, 19, 21)) * (0.3 if kind == "prod" else 1))
    if not dims and kind != "sum":
        pytest.skip("eager has no such reduction")
    f.output(f.reduce(kind, x, dims))
    f.check(rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [F64, BF16, F16, I64, I32])
@pytest.mark.parametrize("dims", [[0], [1]])
def test_reduce_types(dtype, dims):
    f = Fusion()
    x = f.input(data((37, 50), dtype))
    for kind in ("sum", "max", "min"):
        f.output(f.reduce(kind, x, dims))
    f.check(**({"rtol": 1e-2, "atol": 1e-2} if dtype in (BF16, F16) else {"rtol": 1e-12, "atol": 1e-12}))


@pytest.mark.parametrize("kind", ["any", "all"])
@pytest.mark.parametrize("dims", [[0], [1], [0, 1]])
def test_reduce_bool(kind, dims):
    f = Fusion()
    x = f.input(torch.rand(5, 37) < (0.02 if kind == "any" else 0.98))
    f.output(f.reduce(kind, x, dims))
    f.check(rtol=0, atol=0)


@pytest.mark.parametrize("dims", [[0], [1]])
def test_nan_in_max(dims):
    f = Fusion()
    x = f.input(data((35, 37)))
    x.tensor[3, 5] = float("nan")
    x.tensor[0, 0] = float("nan")
    x.tensor[34, 36] = float("-inf")
    f.output(f.reduce("max", x, dims), f.reduce("min", x, dims))
    f.check(rtol=0, atol=0)


@pytest.mark.parametrize("dtype", [F32, F64, BF16, I64, I32, U8])
@pytest.mark.parametrize("dim", [0, 1])
def test_arg(dtype, dim):
    f = Fusion()
    x = f.input(data((35, 53), dtype))
    if dtype.is_floating_point:
        x.tensor[:, 7] = x.tensor.max()  # ties: the first counts
        x.tensor[:, 9] = x.tensor.max()
        x.tensor[2, 40] = float("nan")
        x.tensor[2, 41] = float("nan")
        x.tensor[5] = float("-inf")
    got = [f.arg("max", x, dim), f.arg("min", x, dim)]
    for value, kind in zip(got, ("max", "min")):  # eager does not promise the first of equals
        t = x.tensor.double().nan_to_num(nan=float("inf") if kind == "max" else float("-inf"))
        best = t.amax(dim, keepdim=True) if kind == "max" else t.amin(dim, keepdim=True)
        hit = (t == best) & (x.tensor.isnan() | ~x.tensor.isnan().any(dim, keepdim=True))
        value.tensor = hit.long().cumsum(dim).eq(1).long().argmax(dim)
    f.output(*got)
    f.check(rtol=0, atol=0)


def test_reduce_nothing():
    f = Fusion()
    x = f.input(data((3, 0)))
    f.output(f.reduce("sum", x, [1]), f.reduce("prod", x, [1]))
    y = f.input(data((5, 1)))
    f.output(f.reduce("max", y, [1]), f.arg("max", y, 1))
    f.check(rtol=0, atol=0)


def test_sum_of_ones_is_exact():
    f = Fusion()
    x = f.input(torch.ones(1, dtype=F32).expand(4096, 4096))
    f.output(f.reduce("sum", x, [0, 1]))
    f.check(rtol=0, atol=0)


@pytest.mark.parametrize("shape", [(5, 33), (100, 7), (3000, 64), (70, 1000), (40000, 5), (5000, 300)])
def test_column_sum(shape):
    f = Fusion()
    x = f.input(data(shape))
    f.output(f.reduce("sum", x, [0]))
    f.check(rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("shape", [(5, 33), (1000, 777), (100003,)])
@pytest.mark.parametrize("kind", ["sum", "max", "min"])
def test_full(shape, kind):
    f = Fusion()
    x = f.input(data(shape))
    f.output(f.reduce(kind, x, list(range(len(shape)))))
    f.check(rtol=1e-4, atol=1e-2)


def test_full_mean_feeds_everything():
    f = Fusion()
    x = f.input(data((700, 300)))
    m = f.mul(f.reduce("sum", x, [0, 1]), f.input(torch.tensor(1 / 210000)))
    f.output(f.sub(x, f.broadcast(m, (700, 300), [])), m)
    f.check(rtol=1e-4, atol=1e-5)


# ---- what models are made of


@pytest.mark.parametrize("dtype", [F32, BF16, F64])
@pytest.mark.parametrize("shape", [(5, 33), (3, 1), (4, 16), (2, 3, 100), (40, 7), (3, 100000)])
def test_softmax(shape, dtype):
    f = Fusion()
    n = len(shape)
    x = f.input(data(shape, dtype) * 3)
    kept = list(range(n - 1))
    y = f.convert(x, F32) if dtype == BF16 else x
    e = f.exp(f.sub(y, f.broadcast(f.reduce("max", y, [n - 1]), shape, kept)))
    r = f.div(e, f.broadcast(f.reduce("sum", e, [n - 1]), shape, kept))
    f.output(f.convert(r, BF16) if dtype == BF16 else r)
    f.check(**({"rtol": 1e-2, "atol": 1e-5} if dtype == BF16 else {"rtol": 1e-5, "atol": 1e-7}))


@pytest.mark.parametrize("shape", [(6, 50), (3, 7, 129), (1000, 70), (9, 101, 80)])
def test_layer_norm_forward_and_backward(shape):
    f = Fusion()
    n, C = len(shape), shape[-1]
    x, w, b, g = f.input(data(shape)), f.input(data((C,))), f.input(data((C,))), f.input(data(shape))
    kept = list(range(n - 1))

    def row(v):
        return f.broadcast(v, shape, kept)

    def col(v):
        return f.broadcast(v, shape, [n - 1])

    def mean(v):
        s = f.reduce("sum", v, [n - 1])
        return f.mul(s, f.constant(1 / C, s))

    d = f.sub(x, row(mean(x)))
    var = mean(f.mul(d, d))
    rstd = f.unary("rsqrt", f.add(var, f.constant(1e-5, var)))
    xhat = f.mul(d, row(rstd))
    f.output(f.add(f.mul(xhat, col(w)), col(b)), rstd)
    gw = f.mul(g, col(w))
    dx = f.mul(f.sub(f.sub(gw, row(mean(gw))), f.mul(xhat, row(mean(f.mul(gw, xhat))))), row(rstd))
    f.output(dx, f.reduce("sum", f.mul(g, xhat), kept), f.reduce("sum", g, kept))
    f.check(rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [F32, BF16])
def test_rms_norm(dtype):
    f = Fusion()
    shape = (7, 131)
    x, r, w = f.input(data(shape, dtype)), f.input(data(shape, dtype)), f.input(data((131,), dtype))
    h = f.add(x, r)
    hf = f.convert(h, F32) if dtype == BF16 else h
    wf = f.convert(w, F32) if dtype == BF16 else w
    s = f.reduce("sum", f.mul(hf, hf), [1])
    rstd = f.unary("rsqrt", f.add(f.mul(s, f.constant(1 / 131, s)), f.constant(1e-6, s)))
    y = f.mul(f.mul(hf, f.broadcast(rstd, shape, [0])), f.broadcast(wf, shape, [1]))
    f.output(h, f.convert(y, BF16) if dtype == BF16 else y, rstd)
    f.check(**({"rtol": 1e-2, "atol": 1e-2} if dtype == BF16 else {}))


def test_batch_norm():
    for shape in ((4, 3, 5, 5), (2, 8, 16, 16)):
        f = Fusion()
        x = f.input(data(shape))
        s = f.reduce("sum", x, [0, 2, 3])
        c = f.constant(shape[1] / x.tensor.numel(), s)
        m = f.mul(s, c)
        d = f.sub(x, f.broadcast(m, shape, [1]))
        v = f.mul(f.reduce("sum", f.mul(d, d), [0, 2, 3]), c)
        f.output(f.mul(d, f.broadcast(f.unary("rsqrt", v), shape, [1])), m, v)
        f.check(rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [(4, 33), (100, 50), (5000, 40)])
def test_column_mean_subtracted(shape):
    f = Fusion()
    x = f.input(data(shape))
    s = f.reduce("sum", x, [0])
    f.output(f.sub(x, f.broadcast(s, shape, [1])))
    f.check(rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("dtype", [F32, BF16])
def test_cross_entropy(dtype):
    f = Fusion()
    T, V = 9, 300
    x, t = f.input(data((T, V), dtype)), f.input(torch.randint(0, V, (T,)))
    y = f.convert(x, F32) if dtype == BF16 else x
    m = f.reduce("max", y, [1])
    e = f.exp(f.sub(y, f.broadcast(m, (T, V), [0])))
    lse = f.add(f.unary("log", f.reduce("sum", e, [1])), m)
    logp = f.sub(y, f.broadcast(lse, (T, V), [0]))
    picked = f.reshape(f.gather(logp, f.reshape(t, (T, 1)), 1), (T,))
    loss = f.reduce("sum", f.unary("neg", picked), [0])
    f.output(lse, loss)
    onehot = f.convert(f.binary("eq", f.iota(1, (T, V)), f.broadcast(t, (T, V), [0])), F32)
    grad = f.sub(f.exp(logp), onehot)
    f.output(f.convert(grad, BF16) if dtype == BF16 else grad)
    f.check(**({"rtol": 1e-2, "atol": 1e-2} if dtype == BF16 else {"rtol": 1e-5, "atol": 1e-5}))


@pytest.mark.parametrize("width", [5, 64, 100])
def test_embedding(width):
    f = Fusion()
    w, i = f.input(data((50, width))), f.input(torch.randint(0, 50, (4, 6)))
    e = f.take(w, i, 0)
    f.output(f.mul(e, e))
    f.output(f.take(w, f.input(torch.randint(0, width, (7,))), 1))
    f.check(rtol=0, atol=0)


def test_gather_along_rows_and_columns():
    f = Fusion()
    x = f.input(data((6, 40)))
    f.output(f.gather(x, f.input(torch.randint(0, 40, (6, 23))), 1))
    f.output(f.gather(x, f.input(torch.randint(0, 6, (3, 40))), 0))
    f.check(rtol=0, atol=0)


def test_computed_indices():
    f = Fusion()
    x, i = f.input(data((6, 40))), f.input(torch.randint(0, 20, (6, 23)))
    y = f.exp(x)
    f.output(f.gather(y, f.add(i, i), 1), f.take(y, f.reduce("max", i, [1]), 1))
    f.check()


def test_repeated_heads():
    f = Fusion()
    x = f.input(data((2, 3, 40)))
    r = f.reshape(f.broadcast(x, (2, 3, 4, 40), [0, 1, 3]), (2, 12, 40))
    f.output(f.mul(r, f.input(data((2, 12, 40)))))
    f.check(rtol=0, atol=0)


def test_iota():
    f = Fusion()
    i, j = f.iota(0, (5, 37)), f.iota(1, (5, 37))
    f.output(f.binary("le", j, i), f.convert(f.add(i, j), F32), f.iota(1, (5, 37), F32), f.iota(1, (5, 37), I32))
    f.check(rtol=0, atol=0)


def test_values_returned_twice_and_arguments_returned():
    f = Fusion()
    x = f.input(data((40,)))
    y = f.exp(x)
    f.output(y, x, y, f.constant(2.0, x))
    f.check()


def test_siblings_of_different_shapes():
    f = Fusion()
    a, b, c = f.input(data((40,))), f.input(data((3, 5))), f.input(data((40,)))
    f.output(f.mul(a, a), f.mul(b, b), f.add(c, c))
    f.check(rtol=0, atol=0)


def test_dense_constant():
    f = Fusion()
    x = f.input(data((2, 3)))
    t = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    c = f.op("trace.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>", t)
    m = f.op("trace.constant dense<[true, false, true]> : tensor<3xi1>", torch.tensor([True, False, True]))
    f.output(f.mul(x, c), f.where(f.broadcast(m, (2, 3), [1]), x, c))
    f.check(rtol=0, atol=0)


# ---- size of the graph


def test_diamonds_do_not_explode():
    f = Fusion()
    v = f.input(torch.full((40,), 1.0))
    for _ in range(50):
        v = f.add(v, v)
    f.output(v)
    f.check(rtol=0, atol=0)


def test_rolled_sums_do_not_explode():
    f = Fusion()
    v = f.input(torch.randint(0, 3, (6, 64)).float())
    for _ in range(12):
        rolled = f.cat([f.slice(v, [0, 1], [6, 64]), f.slice(v, [0, 0], [6, 1])], 1)
        v = f.add(v, rolled)
    f.output(v)
    f.check(rtol=0, atol=0)


def test_long_chain():
    f = Fusion()
    x, y = f.input(data((1000,))), f.input(data((1000,)))
    v = x
    for i in range(1000):
        v = f.add(f.mul(v, y), x) if i % 2 else f.sub(v, y)
        if i % 50 == 0:
            v = f.unary("tanh", v)
    f.output(v)
    f.check(rtol=1e-3, atol=1e-3)
