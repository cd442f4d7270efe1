"""Every way in which a kernel's work is shared among threads (include/trace/Codegen/GPU/Launch.h), over element types,
sizes with tails and wishes for the launch, on the simulator, under two orders of threads and against eager PyTorch. The
remark of the pass must say that the kernel was made in the way that the test is about."""

import pathlib
import random
import sys

import pytest
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Codegen"))
from kernels import Fusion  # noqa: E402

F32, F64, BF16, F16 = torch.float32, torch.float64, torch.bfloat16, torch.float16
I64, I32, BOOL = torch.int64, torch.int32, torch.bool
FLOATS = [F32, BF16, F16, F64]
# What eager rounds after every operation is rounded once here.
TOLERANCES = {F32: 2e-5, F64: 1e-12, BF16: 2e-2, F16: 3e-3}

POINTS, ROWS, COLUMNS, CHUNKS, TILES = "points: ", "rows: ", "columns: ", "chunks of rows: ", "tiles: "
IN_REGISTERS = "rows in registers"
# Few threads: longer loops, several blocks.
SMALL_BLOCKS = "threads=32"


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def data(shape, dtype=F32):
    if dtype == BOOL:
        return torch.rand(shape) < 0.3
    if not dtype.is_floating_point:
        return torch.randint(-9, 9, shape).to(dtype)
    return torch.randn(shape, dtype=F64).to(dtype)


def verify(f, *wanted, unwanted=(), chip="sm_90", options="", tolerance=0.0):
    """Runs the fusion; `wanted` is in the remarks, `unwanted` is not."""
    f.device, f.device_options = chip, options
    run = f.check(rtol=tolerance, atol=tolerance, parts=(1, 2))
    remarks = " | ".join(run.remarks)
    for word in wanted:
        assert word in remarks, f"{word!r} is not in {remarks!r}"
    for word in unwanted:
        assert word not in remarks, f"{word!r} is in {remarks!r}"
    return run


# ---- points


def points(shape, dtype):
    f = Fusion()
    x, y = f.input(data(shape, dtype)), f.input(data(shape, dtype))
    if dtype == BOOL:
        f.output(f.binary("bitwise_or", x, y), f.binary("bitwise_and", x, y))
    else:
        f.output(f.add(x, y), f.mul(x, y))
    return f


@pytest.mark.parametrize("dtype", [*FLOATS, I32, I64, BOOL])
@pytest.mark.parametrize("n", [1, 31, 33, 127, 1000, 4096, 4097])
def test_points(n, dtype):
    verify(points((n,), dtype), POINTS if n > 1 else ROWS)  # A single point is a row without elements.


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "exp", "log", "tanh"])
def test_mathematics_of_libdevice(name):
    """Of f64. Large angles are reduced with inline assembly."""
    f = Fusion()
    x = f.input(torch.tensor([0.3, -2.5, 1e5, 1e15, 3e22, 1.7e300, float("inf"), float("nan"), 0.0], dtype=F64))
    f.output(f.unary(name, x))
    verify(f, POINTS, tolerance=1e-12)


@pytest.mark.parametrize("shape", [(0,), (0, 5), (3, 0)])
def test_no_points(shape):
    assert verify(points(shape, F32)).kernels == []


@pytest.mark.parametrize("chip", ["sm_80", "sm_90"])
@pytest.mark.parametrize("options", ["lanes=2 unroll=2", "lanes=8 unroll=8 threads=64", "lanes=1 unroll=4", "lanes=16 threads=1000"])
@pytest.mark.parametrize("n, dtype", [(4096, F32), (33000, BF16), (10008, F64), (5000, BOOL)])
def test_points_as_wished(n, dtype, options, chip):
    run = verify(points((n,), dtype), POINTS, chip=chip, options=options)
    wish = dict(word.split("=") for word in options.split())
    if "unroll" in wish and n > 32000:
        assert f"lanes x {wish['unroll']}" in run.remarks[0]
    if n % int(wish["lanes"]) == 0:
        assert f", {wish['lanes']} lanes" in run.remarks[0]


@pytest.mark.parametrize("dtype", [F32, BF16])
@pytest.mark.parametrize("shape", [(1, 33), (33, 1), (127, 3), (7, 9, 12), (37, 264), (1000, 2)])
def test_points_of_several_loops(shape, dtype):
    f = Fusion()
    row, column = f.input(data(shape[-1:], dtype)), f.input(data(shape[:1], dtype))
    x = f.add(f.input(data(shape, dtype)), f.broadcast(row, shape, [len(shape) - 1]))
    f.output(f.mul(x, f.broadcast(column, shape, [0])))
    verify(f, POINTS, tolerance=TOLERANCES[dtype])


# ---- rows


def softmax(shape, dtype):
    f = Fusion()
    x = f.input(data(shape, dtype))
    e = f.exp(f.sub(x, f.broadcast(f.reduce("max", x, [1]), shape, [0])))
    f.output(f.div(e, f.broadcast(f.reduce("sum", e, [1]), shape, [0])))
    return f


@pytest.mark.parametrize("chip", ["sm_80", "sm_90"])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(1, 2), (5, 31), (33, 33), (3, 127), (7, 1000), (2, 4097), (257, 96)])
def test_rows_in_registers(shape, dtype, chip):
    verify(softmax(shape, dtype), ROWS, IN_REGISTERS, chip=chip, tolerance=TOLERANCES[dtype])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape, options", [((3, 1500), SMALL_BLOCKS), ((5, 4097), "threads=64"), ((2, 50001), ""),
                                            ((3, 1031), "threads=32 lanes=1 unroll=8"), ((2, 65536), "")])
def test_rows_in_loops(shape, options, dtype):
    verify(softmax(shape, dtype), ROWS, unwanted=[IN_REGISTERS], options=options, tolerance=TOLERANCES[dtype])


@pytest.mark.parametrize("options", ["", SMALL_BLOCKS, "lanes=2 unroll=2 threads=128", "unroll=8 threads=1024"])
@pytest.mark.parametrize("kind, dtype", [("sum", F32), ("sum", I64), ("prod", I32), ("max", BF16), ("min", F16),
                                         ("max", I64), ("any", BOOL), ("all", BOOL), ("sum", F64)])
@pytest.mark.parametrize("shape", [(4, 31), (3, 1000), (9, 4097)])
def test_row_reductions(shape, kind, dtype, options):
    f = Fusion()
    f.output(f.reduce(kind, f.input(data(shape, dtype)), [1]))
    tolerance = TOLERANCES[dtype] * 32 if dtype.is_floating_point and kind == "sum" else 0
    verify(f, ROWS, options=options, tolerance=tolerance)


def arg(shape, dtype, dim):
    """The first of the greatest, of which there are several, and of the least."""
    f = Fusion()
    x = f.input(data(shape, dtype))
    x.tensor[:] = x.tensor % 7
    for kind in ("max", "min"):
        best = getattr(x.tensor, f"a{kind}")(dim, keepdim=True)
        value = f.arg(kind, x, dim)
        value.tensor = (x.tensor == best).int().argmax(dim)
        f.output(value)
    return f


@pytest.mark.parametrize("options", ["", SMALL_BLOCKS])
@pytest.mark.parametrize("dtype", [F32, I64, BF16])
@pytest.mark.parametrize("shape", [(3, 33), (5, 1000), (2, 4097)])
def test_row_positions(shape, dtype, options):
    verify(arg(shape, dtype, 1), ROWS, options=options)


@pytest.mark.parametrize("sizes", [(31, 33), (128, 64), (1000, 1, 7)])
def test_rows_of_several_boxes(sizes):
    """A row that is put together of operands of their own."""
    f = Fusion()
    x = f.cat([f.input(data((5, n))) for n in sizes], 1)
    f.output(f.sub(x, f.broadcast(f.reduce("max", x, [1]), (5, sum(sizes)), [0])))
    verify(f, ROWS)


@pytest.mark.parametrize("dtype", [F32, I64])
@pytest.mark.parametrize("shape", [(7, 3, 33), (4, 130, 9), (3, 17, 96)])
def test_rows_of_several_loops(shape, dtype):
    f = Fusion()
    f.output(f.reduce("sum", f.input(data(shape, dtype)), [1, 2]))
    verify(f, ROWS, tolerance=1e-4)


# ---- columns


@pytest.mark.parametrize("options", ["", SMALL_BLOCKS, "lanes=1", "lanes=8 threads=1024"])
@pytest.mark.parametrize("kind, dtype", [("sum", F32), ("sum", F64), ("max", BF16), ("min", F16), ("sum", I64),
                                         ("prod", I32), ("any", BOOL)])
@pytest.mark.parametrize("shape", [(5, 33), (127, 64), (31, 1000), (300, 264)])
def test_columns(shape, kind, dtype, options):
    f = Fusion()
    f.output(f.reduce(kind, f.input(data(shape, dtype)), [0]))
    tolerance = TOLERANCES[dtype] * 32 if dtype.is_floating_point and kind == "sum" else 0
    verify(f, COLUMNS, options=options, tolerance=tolerance)


@pytest.mark.parametrize("options", ["", SMALL_BLOCKS])
@pytest.mark.parametrize("dtype", [F32, I64])
@pytest.mark.parametrize("shape", [(33, 40), (127, 65)])
def test_column_positions(shape, dtype, options):
    verify(arg(shape, dtype, 0), COLUMNS, options=options)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(33, 40), (127, 65), (64, 4, 33)])
def test_columns_feed_points(shape, dtype):
    f = Fusion()
    x = f.input(data(shape, dtype))
    f.output(f.sub(x, f.broadcast(f.reduce("max", x, [0]), shape, list(range(1, len(shape))))))
    verify(f, COLUMNS, tolerance=TOLERANCES[dtype])


# ---- chunks of rows, and reductions of everything


def rows_and_columns(shape, dtype):
    f = Fusion()
    x, g = f.input(data(shape, dtype)), f.input(data(shape, dtype))
    p = f.mul(x, g)
    row = f.reduce("max", p, [1])
    f.output(f.sub(x, f.broadcast(row, shape, [0])), f.reduce("sum", p, [0]), f.reduce("max", g, [0]))
    return f


@pytest.mark.parametrize("chip", ["sm_80", "sm_90"])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(1000, 127), (523, 264), (70, 1000)])
def test_chunks_in_registers(shape, dtype, chip):
    verify(rows_and_columns(shape, dtype), CHUNKS, IN_REGISTERS, chip=chip, tolerance=TOLERANCES[dtype] * 32)


@pytest.mark.parametrize("dtype", [F32, F64, BF16])
@pytest.mark.parametrize("shape", [(65, 4097), (131, 1000)])
def test_chunks_in_loops(shape, dtype):
    verify(rows_and_columns(shape, dtype), CHUNKS, unwanted=[IN_REGISTERS], options=SMALL_BLOCKS,
           tolerance=TOLERANCES[dtype] * 32)


@pytest.mark.parametrize("options", ["", "lanes=1 threads=32", "unroll=8 threads=1024"])
@pytest.mark.parametrize("kind, dtype", [("sum", F32), ("max", BF16), ("sum", I64), ("min", F64), ("all", BOOL)])
@pytest.mark.parametrize("n", [1, 31, 4097, 100003])
def test_everything(n, kind, dtype, options):
    f = Fusion()
    f.output(f.reduce(kind, f.input(data((n,), dtype)), [0]))
    run = verify(f, ROWS, options=options, tolerance=1e-3 if kind == "sum" else 0)
    assert (len(run.kernels) == 2) == (n > 50000)


# ---- tiles


@pytest.mark.parametrize("chip", ["sm_80", "sm_90"])
@pytest.mark.parametrize("dtype", [*FLOATS, I32, I64, BOOL])
@pytest.mark.parametrize("shape", [(32, 64), (33, 31), (127, 100), (16, 17)])
def test_tiles(shape, dtype, chip):
    f = Fusion()
    x, y = f.input(data(shape, dtype)), f.input(data(shape[::-1], dtype))
    t = f.transpose(y, [1, 0])
    f.output(f.binary("bitwise_or", x, t) if dtype == BOOL else f.add(x, t))
    verify(f, TILES, chip=chip)


@pytest.mark.parametrize("dtype", [F32, BF16])
@pytest.mark.parametrize("shape", [(5, 33, 40), (3, 2, 70, 16)])
def test_tiles_of_batches(shape, dtype):
    """With a number for each row, which is read at points of the tile only."""
    f = Fusion()
    turned = (*shape[:-2], shape[-1], shape[-2])
    n = len(shape)
    y = f.transpose(f.input(data(turned, dtype)), [*range(n - 2), n - 1, n - 2])
    z = f.transpose(f.input(data(turned, dtype)), [*range(n - 2), n - 1, n - 2])
    row = f.broadcast(f.input(data(shape[-2:-1], dtype)), shape, [n - 2])
    f.output(f.mul(f.add(y, row), z), f.reverse(z, [n - 1]))
    verify(f, TILES, tolerance=TOLERANCES[dtype])


# ---- the limits of a block


@pytest.mark.parametrize("dtype", [F32, BF16, F64])
def test_many_reductions_of_columns(dtype):
    """Shared memory for all of them at once would be more than a block may have."""
    f = Fusion()
    x = f.input(data((300, 512), dtype))
    for i in range(9):
        f.output(f.reduce("max", f.add(x, f.constant(i, x)), [0]), f.reduce("min", f.mul(x, f.constant(i, x)), [0]))
    verify(f, COLUMNS, options="threads=1024", tolerance=TOLERANCES[dtype])
    verify(f, COLUMNS, tolerance=TOLERANCES[dtype])


@pytest.mark.parametrize("dtype", [F32, F64])
def test_many_transposed_operands(dtype):
    f = Fusion()
    shape = (33, 40)
    x = f.input(data(shape, dtype))
    for _ in range(13):
        x = f.add(x, f.transpose(f.input(data(shape[::-1], dtype)), [1, 0]))
    f.output(x)
    verify(f, TILES, tolerance=TOLERANCES[dtype] * 8)


# ---- any wish for any of these

FUSIONS = {
    "points": lambda shape, dtype: points(shape, dtype),
    "softmax": softmax,
    "rows and columns": rows_and_columns,
    "arg of rows": lambda shape, dtype: arg(shape, dtype, 1),
    "arg of columns": lambda shape, dtype: arg(shape, dtype, 0),
}


@pytest.mark.parametrize("seed", range(40))
def test_random_wishes(seed):
    r = random.Random(seed)
    name = r.choice(list(FUSIONS))
    shape = (r.choice([1, 2, 7, 33, 65, 129, 600]), r.choice([1, 2, 31, 32, 48, 127, 256, 1000]))
    dtype = r.choice(FLOATS)
    options = " ".join(f"{key}={r.choice(values)}" for key, values in
                       [("lanes", [0, 1, 2, 3, 4, 8, 16]), ("unroll", [0, 1, 2, 3, 4, 8]),
                        ("threads", [0, 1, 32, 33, 64, 256, 1024])])
    verify(FUSIONS[name](shape, dtype), chip=r.choice(["sm_80", "sm_86", "sm_90", "sm_100"]), options=options,
           tolerance=TOLERANCES[dtype] * 32)
