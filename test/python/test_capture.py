"""What is captured of each feature of a PyTorch program: the important lines of the IR."""

from __future__ import annotations

import re

import pytest
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


def count(text: str, pattern: str) -> int:
    return len(re.findall(pattern, text))


def x48(requires_grad: bool = True) -> torch.Tensor:
    return torch.randn(4, 8, requires_grad=requires_grad)


def test_two_equal_expressions_stay_two(captured):
    (text,) = captured(lambda x: (x.sin(), x.sin()), x48())
    assert count(text, r"trace\.sin") == 2
    assert "trace.role = #trace.role<output 1>" in text


def test_roles_and_gradients_of_arguments(captured):
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(8, 3)
            self.fc.bias.requires_grad_(False)
            self.register_buffer("scale", torch.ones(3))

        def forward(self, x):
            return self.fc(x) * self.scale

    (text,) = captured(M(), x48(False))
    signature = text.split("->")[0]
    assert re.search(r'tensor<3x8xf32> \{trace.requires_grad, trace.role = #trace.role<parameter "fc.weight">', signature)
    assert re.search(r'tensor<3xf32> \{trace.role = #trace.role<parameter "fc.bias">', signature)
    assert '<buffer "scale">' in signature
    assert re.search(r"tensor<4x8xf32> \{trace.role = #trace.role<input \d", signature)


def test_a_symbol_per_call_with_its_decomposition(captured):
    (text,) = captured(lambda x, w: F.gelu(F.linear(x, w)), x48(), torch.randn(3, 8))
    assert 'trace.bsym "torch.nn.functional.linear"' in text
    assert 'trace.bsym "torch.nn.functional.gelu"' in text
    assert "trace.transpose" in text and "trace.matmul" in text


def test_no_gradient_wanted_under_no_grad(captured):
    with torch.no_grad():
        (text,) = captured(lambda x: F.gelu(x), x48())
    assert "requires_grad" not in text and "custom_grad" not in text


def test_no_grad_block_and_detach_stop_gradients(captured):
    def f(x):
        with torch.no_grad():
            y = x * 2
        return x + y, x.detach() + x

    (text,) = captured(f, x48())
    assert count(text, r"trace\.stop_gradient") == 2


def test_in_place_and_views_become_values(captured):
    def f(x):
        y = x * 2
        y[0].mul_(3)
        y.view(-1)[3:5] = 7
        return y.sum()

    (text,) = captured(f, x48())
    assert "_" not in {m for m in re.findall(r"trace\.(\w+_)\b", text)}
    assert "trace.cat" in text


def test_buffers_are_mutated_results(captured):
    bn = nn.BatchNorm1d(8)
    (text,) = captured(lambda x: bn(x), x48())
    results = text.split("->")[1].split("{\n")[0]
    assert count(results, r"#trace\.role<mutated \d>") == 3
    assert '<buffer "running_mean">' in text


def test_custom_function(captured):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, k):
            ctx.save_for_backward(x)
            ctx.k = k
            return x * x * k

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * x * g * ctx.k * 3, None

    (text,) = captured(lambda x: Double.apply(x, 2.0).sin(), x48())
    assert count(text, r"trace\.custom_grad") == 1
    assert "dense<3.0" in text.split("backward")[1]


def test_custom_function_returning_its_input(captured):
    class Half(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 0.5

    (text,) = captured(lambda x: Half.apply(x).sin(), x48())
    value = re.search(r"(%\d+) = trace.custom_grad", text).group(1)
    assert f"trace.sin {value}" in text


def test_checkpoint(captured):
    def block(y):
        return F.dropout(y.sin(), 0.5).cos()

    (text,) = captured(lambda x: checkpoint(block, x, use_reentrant=False).sum(), x48())
    body = text[text.index("trace.checkpoint"):]
    assert "trace.random_uniform" in body and "trace.cos" in body
    assert "rng_state" in text.split("->")[0]


def test_dropout_streams_differ(captured):
    (text,) = captured(lambda x: F.dropout(x, 0.5) + F.dropout(x, 0.5), x48())
    assert {"0", "1"} == set(re.findall(r"stream (\d+)", text))


def test_dropout_edges_draw_nothing(captured):
    (text,) = captured(lambda x: F.dropout(x, 0.0) + F.dropout(x, 1.0), x48())
    assert "random" not in text and "rng_state" not in text


def test_autocast(captured):
    def f(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return x @ x.t()

    (text,) = captured(f, x48())
    assert count(text, r"trace\.convert .*xf32> to .*xbf16>") >= 1
    assert re.search(r"trace.matmul .*bf16", text)


def test_opaque_operator_with_a_gradient_rule(captured):
    (text,) = captured(lambda x: F.max_pool2d(x[None, None], 2), x48())
    assert 'trace.bsym "aten.max_pool2d_with_indices.default"' in text
    assert "#trace.operand<0>" in text
    assert "func.func private @aten_max_pool2d_with_indices_default_vjp_backward_0" in text
    assert "vjp_operands = array<i64: 0>" in text


def test_attention_is_one_library_call(captured):
    q = torch.randn(1, 2, 4, 8, requires_grad=True)
    (text,) = captured(lambda q: F.scaled_dot_product_attention(q, q, q, is_causal=True), q)
    assert 'trace.bsym "aten._scaled_dot_product_flash_attention_for_cpu.default"' in text
    assert "_scaled_dot_product_flash_attention_for_cpu_backward" in text


def test_index_checks(captured):
    (text,) = captured(lambda w, i: F.embedding(i, w), x48(), torch.tensor([1, 3]))
    assert re.search(r"trace.check_index %\w+ size 4 wrap false", text)
    assert "trace.take" in text


def test_strides_of_arguments_and_results(captured):
    (text,) = captured(lambda x: x * 2, torch.randn(8, 4).t())
    assert "trace.strides = array<i64: 1, 4>" in text.split("->")[0]
    assert "trace.strides = array<i64: 1, 4>" in text.split("->")[1]


def test_user_locations(captured):
    def f(x):
        return x.sin()

    (text,) = captured(f, x48(), locations=True)
    assert re.search(r'test_capture.py":%d' % (f.__code__.co_firstlineno + 1), text)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64, torch.int32, torch.uint8, torch.bool])
def test_element_types(captured, dtype):
    names = {torch.bfloat16: "bf16", torch.float64: "f64", torch.int32: "i32", torch.uint8: "ui8", torch.bool: "i1"}
    (text,) = captured(lambda x: torch.cat([x, x]), torch.ones(3, dtype=dtype))
    assert f"tensor<6x{names[dtype]}>" in text


def test_half_precision_with_a_number_computes_in_f32(captured):
    (text,) = captured(lambda x: x * 0.1, torch.ones(3, dtype=torch.bfloat16))
    assert re.search(r"trace.mul .*tensor<3xf32>", text)


def test_written_under_no_grad_keeps_its_history(captured):
    def f(x, scale):
        with torch.no_grad():
            scale.clamp_(0, 1)
        return x * scale

    (text,) = captured(f, x48(), torch.ones(8, requires_grad=True))
    assert re.search(r"trace.custom_grad\(%arg\d, %\d+\) \{grad_operands = array<i64: 0>\}", text)
    assert "#trace.role<mutated " in text


def test_numbers_that_change_are_arguments():
    from torch_trace.capture import capture
    from torch_trace.translate import Translator

    texts = []

    def backend(gm, inputs):
        texts.append(Translator(capture(gm, inputs, [])).module().text())
        return gm.forward

    f = torch.compile(lambda x, s: (x * s, x.sum() * s), backend=backend)
    for s in (0.5, 0.25, 0.125):
        f(x48(False), s)
    assert len(texts) == 2 and "tensor<f64>" in texts[1]
    assert re.search(r"tensor<f32> \{trace.role = #trace.role<output 1>\}", texts[1])
