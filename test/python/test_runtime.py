"""The runtime library through ctypes: pool, tensors, threads, library calls, errors.

Tensors cross as AtenTensorHandles, which are pointers to at::Tensor. A Python tensor is turned into one and back with
torch's own AOTInductor helpers.
"""

import ctypes
import threading

import pytest
import torch
from built import built

LIBRARY = built("lib/libtrace_runtime.so", "TORCH_TRACE_RUNTIME")

TYPES = {
    torch.bool: 0, torch.uint8: 1, torch.int8: 2, torch.int16: 3, torch.int32: 4, torch.int64: 5, torch.float16: 6,
    torch.bfloat16: 7, torch.float32: 8, torch.float64: 9,
}


class Desc(ctypes.Structure):
    _fields_ = [
        ("element_type", ctypes.c_int32), ("rank", ctypes.c_int32), ("offset", ctypes.c_int64),
        ("bytes", ctypes.c_int64), ("sizes", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
    ]


class Stats(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("allocated", "reserved", "peak", "cap", "requests", "hits")]


class TableEntry(ctypes.Structure):
    _fields_ = [
        ("kind", ctypes.c_int64), ("text", ctypes.c_char_p), ("desc", ctypes.POINTER(Desc)), ("data", ctypes.c_void_p),
    ]


KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
HOST = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_void_p))


@pytest.fixture(scope="module")
def rt():
    library = ctypes.CDLL(str(LIBRARY))
    for name in ("trace_rt_buffer", "trace_rt_data"):
        getattr(library, name).restype = ctypes.c_void_p
    library.trace_rt_buffer.argtypes = [ctypes.c_int64]
    library.trace_rt_buffer_free.argtypes = [ctypes.c_void_p]
    library.trace_rt_pool_set_cap.argtypes = [ctypes.c_int64]
    library.trace_rt_error.restype = ctypes.c_char_p
    library.trace_rt_num_threads.restype = ctypes.c_int64
    library.trace_rt_parallel_for.argtypes = [KERNEL, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64]
    library.trace_rt_data.argtypes = [ctypes.c_void_p]
    library.trace_rt_delete.argtypes = [ctypes.c_void_p]
    library.trace_rt_call_free.argtypes = [ctypes.c_void_p]
    library.trace_rt_context_free.argtypes = [ctypes.c_void_p]
    return library


def desc(shape, dtype=torch.float32, strides=None, offset=0):
    """A TraceTensorDesc; contiguous unless strides are given."""
    shape = list(shape)
    if strides is None:
        strides, step = [], 1
        for size in reversed(shape):
            strides.insert(0, step)
            step *= max(size, 1)
    rank = len(shape)
    extent = 0 if 0 in shape else 1 + sum((n - 1) * s for n, s in zip(shape, strides))
    sizes = (ctypes.c_int64 * max(rank, 1))(*shape)
    steps = (ctypes.c_int64 * max(rank, 1))(*strides)
    return Desc(TYPES[dtype], rank, offset, extent * dtype.itemsize, sizes, steps)


def handle(tensor):
    """A new AtenTensorHandle of a Python tensor."""
    return torch._C._aoti.unsafe_alloc_void_ptrs_from_tensors([tensor])[0]


def take(pointer):
    """The Python tensor of a handle, which it consumes."""
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return torch._C._aoti.alloc_tensors_by_stealing_from_void_ptrs([make(pointer, None, None)])[0]


def pointer(value):
    """The address that a handle (PyCapsule or int) holds."""
    if isinstance(value, int):
        return value
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return get(value, name(value))


def stats(rt):
    result = Stats()
    rt.trace_rt_pool_stats(ctypes.byref(result))
    return result


def call(rt, text, tensors, descs=None, results=1):
    """Prepares and runs a library call; returns its tensors. Raises RuntimeError with the runtime's message."""
    prepared = ctypes.c_void_p()
    if rt.trace_rt_call_create(text.encode(), ctypes.byref(prepared)):
        raise RuntimeError(rt.trace_rt_error().decode())
    handles = (ctypes.c_void_p * max(len(tensors), 1))(*[pointer(handle(t)) for t in tensors])
    out = (ctypes.c_void_p * max(results, 1))()
    wanted = None
    if descs is not None:
        wanted = (ctypes.POINTER(Desc) * results)(*[ctypes.pointer(d) for d in descs])
    try:
        if rt.trace_rt_call(prepared, handles, wanted, ctypes.c_int64(results), out):
            raise RuntimeError(rt.trace_rt_error().decode())
    finally:
        rt.trace_rt_call_free(prepared)
        for h in handles:
            rt.trace_rt_delete(h)
    return [take(h) if h else None for h in out]


# ---- pool


def test_buffers_are_aligned_and_reused(rt):
    rt.trace_rt_pool_empty()
    for size in (0, 1, 64, 65, 512, 513, 1000, 1 << 20, (1 << 20) + 1, 2 << 20, 5_000_000, 64 << 20):
        before = stats(rt)
        first = rt.trace_rt_buffer(size)
        assert first and first % 64 == 0
        ctypes.memset(first, 0x5A, size)
        taken = stats(rt).allocated - before.allocated
        assert size <= taken <= size * 1.13 + 3 * 4096
        rt.trace_rt_buffer_free(first)
        again = rt.trace_rt_buffer(size)
        assert again == first and stats(rt).hits > before.hits
        rt.trace_rt_buffer_free(again)
        assert stats(rt).allocated == before.allocated


def test_statistics_cap_and_empty(rt):
    rt.trace_rt_pool_empty()
    base = stats(rt)
    assert base.reserved == base.allocated
    buffers = [rt.trace_rt_buffer(10 << 20) for _ in range(3)]
    assert len(set(buffers)) == 3
    rt.trace_rt_pool_reset_peak()
    for buffer in buffers:
        rt.trace_rt_buffer_free(buffer)
    now = stats(rt)
    assert now.allocated == base.allocated and now.reserved >= base.reserved + (30 << 20)
    assert now.peak >= base.allocated + (30 << 20)
    rt.trace_rt_pool_set_cap(0)
    assert stats(rt).reserved == stats(rt).allocated
    rt.trace_rt_buffer_free(rt.trace_rt_buffer(10 << 20))
    assert stats(rt).reserved == stats(rt).allocated  # nothing is kept
    rt.trace_rt_pool_set_cap(-1)
    rt.trace_rt_pool_empty()


def test_kept_memory_is_bounded(rt):
    rt.trace_rt_pool_empty()
    before = stats(rt).reserved
    for megabytes in range(2, 200, 3):  # every size is a class of its own, none is used again
        rt.trace_rt_buffer_free(rt.trace_rt_buffer(megabytes << 20))
    assert stats(rt).reserved - before < 1.25 * stats(rt).peak + (65 << 20)
    rt.trace_rt_pool_empty()


def test_no_memory_is_a_null_pointer(rt):
    assert rt.trace_rt_buffer(1 << 55) is None
    assert rt.trace_rt_buffer(-1) is None


def test_pool_is_thread_safe(rt):
    before = stats(rt).allocated

    def work(seed):
        held = []
        for i in range(2000):
            size = (i * 7919 + seed * 104729) % 100_000 + 4
            buffer = rt.trace_rt_buffer(size)
            ctypes.c_uint32.from_address(buffer).value = seed * 10_000 + i
            held.append((buffer, seed * 10_000 + i))
            if len(held) > 16:
                old, mark = held.pop(i % 16)
                assert ctypes.c_uint32.from_address(old).value == mark
                rt.trace_rt_buffer_free(old)
        for old, mark in held:
            assert ctypes.c_uint32.from_address(old).value == mark
            rt.trace_rt_buffer_free(old)

    failures = []

    def guarded(seed):
        try:
            work(seed)
        except BaseException as error:  # noqa: BLE001 - reported below
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(s,)) for s in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures
    assert stats(rt).allocated == before


# ---- tensors


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (5,), (4, 8)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.bool, torch.int64])
def test_empty_lives_on_the_pool(rt, shape, dtype):
    before = stats(rt)
    out, data = ctypes.c_void_p(), ctypes.c_void_p()
    assert rt.trace_rt_empty(ctypes.byref(desc(shape, dtype)), ctypes.byref(out), ctypes.byref(data)) == 0
    assert stats(rt).requests == before.requests + 1
    tensor = take(out.value)
    assert tensor.shape == shape and tensor.dtype == dtype and tensor.is_contiguous()
    assert (tensor.data_ptr() or None) == data.value
    tensor.fill_(1)
    assert bool((tensor == 1).all())
    del tensor
    assert stats(rt).allocated == before.allocated


def test_eager_allocations_stay_outside(rt):
    before = stats(rt).requests
    torch.empty(1000)
    assert stats(rt).requests == before


def test_view_and_copy(rt):
    x = torch.arange(24.0).reshape(4, 6)
    out = ctypes.c_void_p()
    base = pointer(handle(x[1:]))
    assert rt.trace_rt_view(ctypes.c_void_p(base), ctypes.byref(desc((2, 3), strides=(2, 6), offset=1)), ctypes.byref(out)) == 0
    view = take(out.value)
    assert torch.equal(view, torch.as_strided(x, (2, 3), (2, 6), 7))
    view[0, 0] = -1
    assert x[1, 1] == -1
    want = desc((3, 6), strides=(1, 3))
    assert rt.trace_rt_copy(ctypes.c_void_p(base), ctypes.byref(want), ctypes.byref(out)) == 0
    copy = take(out.value)
    assert copy.stride() == (1, 3) and torch.equal(copy, x[1:])
    rt.trace_rt_delete(base)


def adapt(rt, tensors, descs):
    handles = (ctypes.c_void_p * len(tensors))(*[pointer(handle(t)) for t in tensors])
    wanted = (ctypes.POINTER(Desc) * len(tensors))(*[ctypes.pointer(d) for d in descs])
    out = (ctypes.c_void_p * len(tensors))()
    code = rt.trace_rt_adapt(handles, wanted, ctypes.c_int64(len(tensors)), out)
    return code, handles, out


def test_adapt_copies_only_what_does_not_fit(rt):
    x, g, one = torch.randn(3, 4), torch.randn(1).expand(3, 4), torch.randn(1, 4).as_strided((1, 4), (77, 1))
    code, handles, out = adapt(rt, [x, g, one], [desc((3, 4)), desc((3, 4)), desc((1, 4))])
    assert code == 0
    assert out[0] == handles[0] and out[1] != handles[1] and out[2] == handles[2]
    copy = take(out[1])
    assert copy.is_contiguous() and torch.equal(copy, g)


@pytest.mark.parametrize(
    "tensor,wanted",
    [
        (torch.zeros(3, 4), desc((4, 3))),
        (torch.zeros(3, 4), desc((3, 4), torch.float64)),
        (torch.zeros(3, 4, device="meta"), desc((3, 4))),
        (torch.zeros(3, 4).to_sparse(), desc((3, 4))),
    ],
)
def test_adapt_names_the_wrong_argument(rt, tensor, wanted):
    code, _, _ = adapt(rt, [torch.zeros(2), tensor], [desc((2,)), wanted])
    assert code == 1 and b"argument 1 should be a" in rt.trace_rt_error()


def test_adapt_resolves_lazy_negation(rt):
    x = torch.complex(torch.randn(4), torch.randn(4)).conj().imag
    assert x.is_neg()
    code, handles, out = adapt(rt, [x], [desc((4,), strides=(2,))])
    assert code == 0 and out[0] != handles[0]
    assert torch.equal(take(out[0]), x)


def check_index(rt, tensor, size, wrap=0, ignore=None, out=None):
    h = pointer(handle(tensor))
    code = rt.trace_rt_check_index(
        ctypes.c_void_p(h), ctypes.c_int64(size), wrap, int(ignore is not None), ctypes.c_int64(ignore or 0),
        ctypes.byref(desc(tensor.shape, torch.int64)), ctypes.byref(out) if out is not None else None,
    )
    rt.trace_rt_delete(h)
    return code


def test_check_index(rt):
    index = torch.tensor([[0, 9], [3, 12]])
    assert check_index(rt, index, 13) == 0
    assert check_index(rt, index, 10) == 1
    assert rt.trace_rt_error() == b"index 12 is out of bounds for dimension 0 with size 10"
    with pytest.raises(IndexError, match=rt.trace_rt_error().decode()):
        torch.zeros(10)[index]
    assert check_index(rt, index, 10, ignore=12) == 0
    assert check_index(rt, index.t()[0], 10) == 0  # strided: 0 and 3
    assert check_index(rt, torch.empty(0, dtype=torch.int64), 0) == 0
    assert check_index(rt, torch.tensor(-1), 10) == 1
    out = ctypes.c_void_p()
    wrapped = torch.tensor([[-1, 2], [-100, -10]])
    assert check_index(rt, wrapped.t(), 10, wrap=1, ignore=-100, out=out) == 0
    assert torch.equal(take(out.value), torch.tensor([[9, -100], [2, 0]]))


# ---- threads


@pytest.mark.parametrize("extent,grain", [(0, 1), (1, 1), (7, 100), (1000, 1), (1000, 300)])
def test_parallel_for_covers_the_range_once(rt, extent, grain):
    seen, lock = [], threading.Lock()

    @KERNEL
    def kernel(args, lo, hi, tid):
        with lock:
            seen.append((lo, hi, tid))

    rt.trace_rt_parallel_for(kernel, None, extent, grain)
    covered = sorted(i for lo, hi, _ in seen for i in range(lo, hi))
    assert covered == list(range(extent))
    assert all(0 <= tid < rt.trace_rt_num_threads() for _, _, tid in seen)
    if 0 < extent <= grain:
        assert seen == [(0, extent, 0)]


# ---- products


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_products_take_strided_operands(rt, dtype):
    a, b = torch.randn(6, 5, dtype=dtype).t(), torch.randn(12, 7, dtype=dtype)[::2]
    out = ctypes.c_void_p()
    ha, hb = pointer(handle(a)), pointer(handle(b))
    assert rt.trace_rt_mm(ctypes.c_void_p(ha), ctypes.c_void_p(hb), ctypes.byref(desc((5, 7), dtype)), ctypes.byref(out)) == 0
    assert torch.equal(take(out.value), a @ b)
    bias = torch.randn(7, dtype=dtype)
    hbias = pointer(handle(bias))
    assert rt.trace_rt_addmm(ctypes.c_void_p(hbias), ctypes.c_void_p(ha), ctypes.c_void_p(hb), ctypes.byref(desc((5, 7), dtype)), ctypes.byref(out)) == 0
    assert torch.equal(take(out.value), torch.addmm(bias, a, b))
    c, d = torch.randn(3, 5, 4, dtype=dtype).transpose(1, 2), torch.randn(1, 5, 2, dtype=dtype).expand(3, 5, 2)
    hc, hd = pointer(handle(c)), pointer(handle(d))
    assert rt.trace_rt_bmm(ctypes.c_void_p(hc), ctypes.c_void_p(hd), ctypes.byref(desc((3, 4, 2), dtype)), ctypes.byref(out)) == 0
    assert torch.equal(take(out.value), torch.bmm(c, d))
    assert rt.trace_rt_mm(ctypes.c_void_p(ha), ctypes.c_void_p(ha), ctypes.byref(desc((5, 7), dtype)), ctypes.byref(out)) == 1
    assert b"mm" in rt.trace_rt_error() and out.value is None
    for h in (ha, hb, hbias, hc, hd):
        rt.trace_rt_delete(h)


# ---- the dispatcher


def test_scalars_and_defaults(rt):
    x, y = torch.randn(3, 4), torch.randn(3, 4)
    assert torch.equal(call(rt, "aten::add|Tensor|T0 T1", [x, y])[0], x + y)
    assert torch.equal(call(rt, "aten::add|Tensor|T0 T1 I3", [x, y])[0], torch.add(x, y, alpha=3))
    assert torch.equal(call(rt, "aten::mul|Scalar|T0 D0x1.8p+1", [x])[0], x * 3.0)
    assert torch.equal(call(rt, "aten::clamp||T0 D-0.5 N", [x])[0], x.clamp(min=-0.5))
    assert torch.equal(call(rt, "aten::div|Tensor_mode|T0 T1 S5:floor", [x, y])[0], torch.div(x, y, rounding_mode="floor"))
    assert call(rt, "aten::pow|Tensor_Scalar|T0 Dinf", [x])[0].shape == x.shape


def test_lists_and_optional_lists(rt):
    x, i = torch.randn(4, 5, 6), torch.tensor([1, 3])
    assert torch.equal(call(rt, "aten::cat||[ T0 T1 ] I1", [x, x])[0], torch.cat([x, x], 1))
    assert torch.equal(call(rt, "aten::index|Tensor|T0 [ N T1 ]", [x, i])[0], x[:, i])
    assert torch.equal(call(rt, "aten::sum|dim_IntList|T0 [I0 I2] B1", [x])[0], x.sum((0, 2), keepdim=True))
    assert torch.equal(call(rt, "aten::sum|dim_IntList|T0 I1", [x])[0], x.sum(1))
    assert torch.equal(call(rt, "aten::permute||T0 [I2 I0 I1]", [x])[0], x.permute(2, 0, 1))
    assert torch.equal(call(rt, "aten::upsample_nearest1d|vec|T0 N [D2.0]", [x])[0], torch.nn.functional.interpolate(x, scale_factor=2.0))


def test_dtypes_devices_layouts(rt):
    x = torch.randn(2, 3, 4, 5)
    got = call(rt, "aten::_to_copy||T0 S14:torch.bfloat16", [x])[0]
    assert torch.equal(got, x.bfloat16())
    got = call(rt, "aten::full||[I2 I3] I7 S11:torch.int32 S13:torch.strided S3:cpu B0", [])[0]
    assert torch.equal(got, torch.full((2, 3), 7, dtype=torch.int32))
    got = call(rt, "aten::clone||T0 S19:torch.channels_last", [x])[0]
    assert got.is_contiguous(memory_format=torch.channels_last) and torch.equal(got, x)


def test_results(rt):
    x = torch.randn(4, 6)
    values, indices = call(rt, "aten::topk||T0 I2", [x], results=2)
    assert torch.equal(values, x.topk(2).values) and torch.equal(indices, x.topk(2).indices)
    parts = call(rt, "aten::split|Tensor|T0 I2 I1", [x], results=3)
    assert all(torch.equal(a, b) for a, b in zip(parts, x.split(2, 1)))
    w, g = torch.randn(3, 2, 3), torch.randn(1, 3, 4)
    text = "aten::convolution_backward||T0 T1 T2 N [I1] [I0] [I1] B0 [I0] I1 [B0 B1 B0]"
    inp = torch.randn(1, 2, 6)
    got = call(rt, text, [g, inp, w], results=3)
    assert got[0] is None and got[2] is None and got[1].shape == w.shape


def test_results_are_put_into_the_wanted_layout(rt):
    x = torch.randn(4, 6)
    got = call(rt, "aten::t||T0", [x], [desc((6, 4))])[0]
    assert got.is_contiguous() and torch.equal(got, x.t())
    got = call(rt, "aten::t||T0", [x], [desc((6, 4), strides=(1, 6))])[0]
    assert got.data_ptr() == x.data_ptr()
    with pytest.raises(RuntimeError, match="where a float64 tensor of shape"):
        call(rt, "aten::t||T0", [x], [desc((6, 4), torch.float64)])
    with pytest.raises(RuntimeError, match=r"shape \[6, 4\] where"):
        call(rt, "aten::t||T0", [x], [desc((4, 6))])


def test_results_come_from_the_pool(rt):
    before = stats(rt).requests
    call(rt, "aten::exp||T0", [torch.randn(100)])
    assert stats(rt).requests > before


@pytest.mark.parametrize(
    "text,message",
    [
        ("aten::no_such_operator||T0", "there is no operator aten::no_such_operator"),
        ("aten::add|NoSuchOverload|T0 T0", "there is no operator aten::add.NoSuchOverload"),
        ("aten::exp||", "needs its argument 'self'"),
        ("aten::exp||T0 I1", "takes 1 arguments, more are given"),
        ("aten::sum|dim_IntList|T0 [S1:x]", "argument 'dim'.*'x' is no dtype"),
        ("aten::exp||Q", "malformed argument"),
        ("aten::exp", "malformed call"),
        ("aten::mm||T0 T0", "mat1 and mat2 shapes cannot be multiplied"),
    ],
)
def test_errors_are_messages(rt, text, message):
    with pytest.raises(RuntimeError, match=message):
        call(rt, text, [torch.randn(2, 3)])


def test_calls_are_below_autograd(rt):
    """A host function that is run by trace_rt_run records no graph, whatever its arguments."""
    prepared = ctypes.c_void_p()
    assert rt.trace_rt_call_create(b"aten::exp||T0", ctypes.byref(prepared)) == 0
    x = torch.randn(3, requires_grad=True)

    @HOST
    def host(context, args, results):
        return rt.trace_rt_call(prepared, args, None, ctypes.c_int64(1), results)

    args = (ctypes.c_void_p * 1)(pointer(handle(x)))
    out = (ctypes.c_void_p * 1)()
    assert rt.trace_rt_run(host, None, args, ctypes.c_int64(1), out) == 0
    got = take(out[0])
    assert not got.requires_grad and got.grad_fn is None and torch.equal(got, x.exp())
    assert torch.is_grad_enabled()
    rt.trace_rt_call_free(prepared)
    rt.trace_rt_delete(args[0])


def test_context_holds_calls_and_constants(rt):
    values = (ctypes.c_float * 3)(1, 2, 3)
    constant = desc((3,))
    entries = (TableEntry * 2)(
        TableEntry(0, b"aten::exp||T0", None, None),
        TableEntry(1, None, ctypes.pointer(constant), ctypes.cast(values, ctypes.c_void_p)),
    )
    before = stats(rt).allocated
    context = ctypes.c_void_p()
    assert rt.trace_rt_context_create(entries, ctypes.c_int64(2), 0, 0, ctypes.byref(context)) == 0
    slots = ctypes.cast(context, ctypes.POINTER(ctypes.c_void_p))
    out = (ctypes.c_void_p * 1)()
    operand = (ctypes.c_void_p * 1)(slots[1])
    assert rt.trace_rt_call(ctypes.c_void_p(slots[0]), operand, None, ctypes.c_int64(1), out) == 0
    assert torch.equal(take(out[0]), torch.tensor([1.0, 2.0, 3.0]).exp())
    rt.trace_rt_context_free(context)
    assert stats(rt).allocated == before
    entries[0].text = b"aten::nothing||"
    assert rt.trace_rt_context_create(entries, ctypes.c_int64(2), 0, 0, ctypes.byref(context)) == 1
    assert b"there is no operator" in rt.trace_rt_error()
