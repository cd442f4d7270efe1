"""Every operator of PyTorch's own database that the front end translates, against eager: values and gradients.

The operator is traced to ATen on fake tensors and translated by the tables as in a compiled graph, but the prims are
run by PyTorch (prim_reference.py): this checks the translations, not the code generator.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import pytest
import torch
from prim_reference import EagerEmitter
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_flatten, tree_unflatten
from torch_trace.aten.random import is_random
from torch_trace.capture import Captured, Symbol, fake_input
from torch_trace.emitter import Tensor
from torch_trace.errors import Unsupported
from torch_trace.translate import Scope, Translator

warnings.filterwarnings("ignore")

#: Operators of the database that are not compared, and why.
EXCLUDED = {
    "result is not determined by the inputs": {
        "empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided",
    },
    "random numbers, of streams of our own": {
        "bernoulli", "multinomial", "normal", "rand_like", "randint", "randint_like", "randn", "randn_like", "uniform",
        "exponential", "geometric", "log_normal", "cauchy", "nn.functional.dropout", "nn.functional.dropout2d",
        "nn.functional.dropout3d", "nn.functional.alpha_dropout", "nn.functional.rrelu", "nn.functional.fractional_max_pool2d",
        "nn.functional.fractional_max_pool3d", "pca_lowrank", "svd_lowrank", "nn.functional.feature_alpha_dropout",
        "nn.functional.multi_head_attention_forward",
    },
    "CUDA only": {
        "jiterator_unary", "jiterator_binary", "jiterator_4inputs_with_extra_args", "jiterator_binary_return_by_ref",
        "jiterator_2inputs_2outputs",
    },
    "the sample is a part of a larger storage, which a copy of it is not": {"as_strided", "as_strided_partial_views"},
    "no value of its own, or no function of tensors": {"item", "resize_", "resize_as_", "to_sparse", "equal", "allclose"},
    "sparse tensors": {"sparse.mm", "sparse.sampled_addmm", "sparse.mm_reduce"},
}
_SKIPPED = frozenset().union(*EXCLUDED.values())
#: Samples per operator: a few in every run, many with TORCH_TRACE_TEST_FULL=1.
_SAMPLES = 12 if os.environ.get("TORCH_TRACE_TEST_FULL") == "1" else 3


def aten_graph(function: Any, tensors: list[torch.Tensor]) -> Captured:
    """The ATen nodes of a function of tensors, as one symbol."""
    mode = FakeTensorMode()
    fakes = [fake_input(mode, t) for t in tensors]
    with mode:
        graph = make_fx(torch.func.functionalize(function), tracing_mode="real")(*fakes)
    root = Symbol("root", "", ("", 0), True)
    root.items = [n for n in graph.graph.nodes if n.op in ("call_function", "get_attr")]
    captured = Captured(root, [], [], [], [], mode, True)
    captured.graph = graph
    return captured


def run_translated(function: Any, tensors: list[torch.Tensor]) -> list[Any]:
    """The function by its translation, on these tensors."""
    captured = aten_graph(function, tensors)
    nodes = list(captured.graph.graph.nodes)
    emitter = EagerEmitter()
    emitter.bind_seed(emitter.splat(0, (), torch.int64))
    translator = Translator(captured, emitter)
    scope = Scope()
    for node, tensor in zip((n for n in nodes if n.op == "placeholder"), tensors, strict=True):
        scope[node] = Tensor(tensor, tuple(tensor.shape), tensor.dtype)
        if tensor.requires_grad:
            translator.active.add(node)
    translator._emit_symbol_items(captured.root, scope, set())
    outputs = nodes[-1].args[0]
    outputs = list(outputs) if isinstance(outputs, tuple | list) else [outputs]
    return [scope[o].value if isinstance(o, torch.fx.Node) else o for o in outputs]


def supported(tensors: list[torch.Tensor]) -> bool:
    return not any(t.dtype.is_complex or t.is_sparse or t.layout != torch.strided for t in tensors)


def flat_tensors(value: Any) -> list[torch.Tensor]:
    return [v for v in tree_flatten(value)[0] if isinstance(v, torch.Tensor)]


def compare(op: Any, sample: Any, gradients: bool) -> str:
    """Runs one sample both ways; returns what was left out, if anything."""
    leaves, spec = tree_flatten((sample.input, sample.args, sample.kwargs))
    places = [i for i, v in enumerate(leaves) if isinstance(v, torch.Tensor)]
    given = [leaves[i].detach().clone() if leaves[i].is_contiguous() else leaves[i].detach() for i in places]
    if not supported(given):
        return "dtype"

    def call(*tensors: torch.Tensor) -> list[torch.Tensor]:
        filled = list(leaves)
        for i, t in zip(places, tensors, strict=True):
            filled[i] = t
        x, args, kwargs = tree_unflatten(filled, spec)
        return flat_tensors(op(x, *args, **kwargs))

    wants = [gradients and t.dtype.is_floating_point for t in given]

    def fresh() -> list[torch.Tensor]:
        return [t.clone(memory_format=torch.preserve_format).requires_grad_(w) for t, w in zip(given, wants, strict=True)]

    mine, theirs = fresh(), fresh()
    try:
        expected = call(*theirs)
    except RuntimeError as error:
        if "is not differentiable with respect to" not in str(error):
            raise
        wants[1:] = [False] * len(wants[1:])
        mine, theirs = fresh(), fresh()
        expected = call(*theirs)
    if not supported(expected):
        return "dtype"
    try:
        got = run_translated(call, mine)
    except Unsupported as error:
        return str(error)
    except (RuntimeError, NotImplementedError, TypeError) as error:
        if "fake" in str(type(error)).lower() or "fake" in str(error).lower() or "data-dependent" in str(error).lower() \
                or "data is not allocated yet" in str(error) \
                or "DynamicOutputShape" in type(error).__name__ or "DataDependent" in type(error).__name__:
            return "no static graph"
        raise
    assert len(got) == len(expected)
    for a, b in zip(got, expected, strict=True):
        torch.testing.assert_close(a.detach(), b.detach(), equal_nan=True, rtol=1e-4, atol=1e-5, check_stride=False)
    pairs = [(a, b) for a, b in zip(got, expected, strict=True) if b.requires_grad]
    if not gradients or not pairs:
        return ""
    cotangents = [torch.randn_like(b) for _, b in pairs]
    wanted = torch.autograd.grad([b for _, b in pairs], [t for t in theirs if t.requires_grad], cotangents,
                                 allow_unused=True)
    live = [(a, c) for (a, _), c in zip(pairs, cotangents, strict=True) if a.requires_grad]
    inputs = [t for t in mine if t.requires_grad]
    gradient = torch.autograd.grad([a for a, _ in live], inputs, [c for _, c in live], allow_unused=True) if live else [
        None] * len(inputs)
    for a, b in zip(gradient, wanted, strict=True):
        if b is None or a is None:
            assert a is None or not a.any()
            assert b is None or not b.any(), "a gradient is missing"
            continue
        torch.testing.assert_close(a, b, equal_nan=True, rtol=2e-4, atol=2e-5, check_stride=False)
    return ""


NAMES = [op for op in op_db if op.name not in _SKIPPED and torch.float32 in op.dtypes]


@pytest.mark.parametrize("op", NAMES, ids=lambda op: f"{op.name}{'-' + op.variant_test_name if op.variant_test_name else ''}")
def test_operator(op: Any) -> None:
    torch.manual_seed(0)
    samples = list(op.sample_inputs("cpu", torch.float32, requires_grad=False))[:_SAMPLES]
    left_out = [compare(op, s, op.supports_autograd) for s in samples]
    if samples and all(left_out):
        pytest.skip(f"not compiled: {left_out[0]}")


def test_random_operators_are_known() -> None:
    graph = aten_graph(lambda x: torch.nn.functional.dropout(x, 0.5), [torch.randn(3)])
    assert any(is_random(n) for n in graph.root.nodes())
