"""Small models trained for a few steps by torch.compile(backend="trace") against eager: losses, parameters, buffers.

The operators' own gradients are checked elsewhere; here whole training steps are, with everything around them:
optimizers, buffers, modes, layouts, several dtypes.
"""

from __future__ import annotations

import copy

import pytest
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch_trace
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import checkpoint

TOLERANCE = {torch.float32: 2e-4, torch.float64: 1e-9, torch.bfloat16: 6e-2}


@pytest.fixture(autouse=True)
def strict():
    """No falling back to eager unless a test asks for it."""
    with torch_trace.config.patch(fallback="error"):
        yield


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.05, momentum=0.9)


def adamw(parameters):
    return torch.optim.AdamW(parameters, lr=1e-2, eps=1e-3)


def close(a, b, tolerance, what=""):
    torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance, equal_nan=True,
                               msg=lambda text: f"{what}: {text}")


def train(model, call, batches, optimizer, steps):
    """The losses of `steps` steps; `call(model, *batch)` gives a loss."""
    optimizer = optimizer(model.parameters())
    losses = []
    for step in range(steps):
        optimizer.zero_grad()
        loss = call(model, *batches[step % len(batches)])
        loss.backward()
        optimizer.step()
        losses.append(loss.detach().float())
    return losses


def agree(model, loss, batches, optimizer=sgd, steps=3, dtype=torch.float32, compile_model=True, **options):
    """Trains two copies, one compiled, then compares losses, parameters, buffers and an evaluation."""
    torch.manual_seed(1)
    tolerance = TOLERANCE[dtype]
    model = model.to(dtype)
    batches = [tuple(b.to(dtype) if b.is_floating_point() else b for b in batch) for batch in batches]
    ours, theirs = copy.deepcopy(model), copy.deepcopy(model)
    expected = train(theirs, loss, batches, optimizer, steps)
    call = torch.compile(loss, backend="trace", fullgraph=True, **options) if compile_model else loss
    got = train(ours, call, batches, optimizer, steps)
    close(torch.stack(got), torch.stack(expected), tolerance, "losses")
    for (name, a), (_, b) in zip(ours.named_parameters(), theirs.named_parameters(), strict=True):
        assert (a.grad is None) == (b.grad is None), name
        if b.grad is not None:
            assert a.grad.stride() == b.grad.stride(), name
            close(a.grad, b.grad, tolerance * max(1.0, float(b.grad.abs().max())), f"gradient of {name}")
        close(a, b, tolerance, name)
    for (name, a), (_, b) in zip(ours.named_buffers(), theirs.named_buffers(), strict=True):
        close(a, b, tolerance, name)
    ours.eval(), theirs.eval()
    with torch.no_grad():
        close(call(ours, *batches[0]).float(), loss(theirs, *batches[0]).float(), tolerance * 4, "evaluation")


def same(f, *tensors, tolerance=1e-5, **options):
    """One call of a function of tensors: values, strides, requires_grad and gradients as eager's."""

    def fresh():
        return [t.detach().requires_grad_(t.requires_grad) for t in tensors]

    results = []
    for function in (torch.compile(f, backend="trace", **{"fullgraph": True, **options}), f):
        given = fresh()
        outputs = function(*given)
        outputs = tree_leaves(outputs)
        wanted = [o for o in outputs if isinstance(o, torch.Tensor) and o.requires_grad]
        if wanted:
            torch.autograd.backward(wanted, [torch.linspace(-1, 1, o.numel()).reshape(o.shape).to(o.dtype) for o in wanted])
        results.append((outputs, [t.grad for t in given]))
    (got, grads), (expected, expected_grads) = results
    assert len(got) == len(expected)
    for a, b in zip(got, expected, strict=True):
        if not isinstance(b, torch.Tensor):
            assert a == b
            continue
        assert a.dtype == b.dtype
        assert a.requires_grad == b.requires_grad
        assert a.stride() == b.stride()
        close(a.detach(), b.detach(), tolerance)
    for a, b in zip(grads, expected_grads, strict=True):
        assert (a is None) == (b is None)
        if b is not None:
            close(a, b, tolerance)


def t(*shape, grad=True, dtype=torch.float32):
    return torch.randn(shape, dtype=dtype, requires_grad=grad)


# ---- models


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(4)
        self.down = nn.Conv2d(4, 8, 3, stride=2)
        self.group = nn.GroupNorm(2, 8)
        self.instance = nn.InstanceNorm2d(8, affine=True, track_running_stats=True)
        self.up = nn.ConvTranspose2d(8, 3, 3, stride=2, output_padding=1)
        self.head = nn.Linear(3, 5)

    def forward(self, x):
        x = F.relu(self.norm(self.conv(x)))
        x = F.max_pool2d(x, 2) + F.avg_pool2d(x, 2)
        x = F.interpolate(x, scale_factor=2, mode="nearest")
        x = self.instance(F.silu(self.group(self.down(x))))
        x = F.interpolate(self.up(x), size=(6, 7), mode="bilinear", align_corners=False)
        return self.head(F.adaptive_avg_pool2d(x, (2, 1)).mean((2, 3)))


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("channels_last", [False, True])
def test_convolutions_with_norms(dtype, channels_last):
    if channels_last and dtype != torch.float32:
        pytest.skip("one dtype is enough for the layout")
    batches = [(t(4, 2, 8, 8, grad=False), torch.randint(0, 5, (4,))) for _ in range(2)]
    if channels_last:
        batches = [(a.to(memory_format=torch.channels_last), b) for a, b in batches]
    model = Convolutions().to(memory_format=torch.channels_last) if channels_last else Convolutions()
    agree(model, lambda m, x, y: F.cross_entropy(m(x).float() if dtype == torch.bfloat16 else m(x), y), batches,
          dtype=dtype, steps=3)


class Recurrent(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.embedding = nn.Embedding(11, 6, padding_idx=0)
        self.cell = cell(6, 7)
        self.head = nn.Linear(7, 11)

    def forward(self, tokens):
        x = self.embedding(tokens)
        state = None
        outputs = []
        for step in range(tokens.shape[1]):
            state = self.cell(x[:, step], state)
            outputs.append(state[0] if isinstance(state, tuple) else state)
        return self.head(torch.stack(outputs, 1))


@pytest.mark.parametrize("cell", [nn.LSTMCell, nn.GRUCell, nn.RNNCell])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_recurrent_cells(cell, dtype):
    tokens = torch.randint(0, 11, (3, 5))

    def loss(m, tokens):
        logits = m(tokens)[:, :-1]
        return F.cross_entropy(logits.reshape(-1, 11), tokens[:, 1:].reshape(-1), ignore_index=0, label_smoothing=0.1)

    agree(Recurrent(cell), loss, [(tokens,)], adamw, dtype=dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_transformer_encoder_layer(dtype):
    model = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True, norm_first=True, activation="gelu")
    batches = [(t(2, 5, 8, grad=False),)]
    mask = nn.Transformer.generate_square_subsequent_mask(5, dtype=dtype)
    agree(model, lambda m, x: m(x, src_mask=mask).square().mean(), batches, adamw, dtype=dtype)


def test_transformer_decoder_layer():
    model = nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    agree(model, lambda m, x, memory: m(x, memory).square().mean(), [(t(2, 5, 8, grad=False), t(2, 3, 8, grad=False))])


@pytest.mark.parametrize("need_weights", [False, True])
def test_multihead_attention_with_masks(need_weights):
    model = nn.MultiheadAttention(8, 2, batch_first=True)
    padding = torch.tensor([[False] * 5, [False, False, False, True, True]])
    causal = torch.ones(5, 5, dtype=torch.bool).triu(1)

    def loss(m, x):
        out, weights = m(x, x, x, key_padding_mask=padding, attn_mask=causal, need_weights=need_weights)
        return out.square().mean() + (weights.square().sum() if need_weights else 0)

    agree(model, loss, [(t(2, 5, 8, grad=False),)], adamw)


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(9, 6)
        self.body = nn.Sequential(nn.Linear(6, 6), nn.LayerNorm(6), nn.GELU())
        self.head = nn.Linear(6, 9, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        return self.head(self.body(self.embedding(tokens)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_tied_weights_accumulated_and_clipped(dtype):
    torch.manual_seed(1)
    ours = Tied().to(dtype)
    theirs = copy.deepcopy(ours)
    compiled = torch.compile(ours, backend="trace", fullgraph=True)
    norms = []
    for model, call in ((ours, compiled), (theirs, theirs)):
        torch.manual_seed(2)
        optimizer = adamw(model.parameters())
        found = []
        for _ in range(2):
            optimizer.zero_grad()
            for _ in range(3):
                tokens = torch.randint(0, 9, (2, 4))
                (F.cross_entropy(call(tokens).float().flatten(0, 1), tokens.flatten().roll(1)) / 3).backward()
            found.append(nn.utils.clip_grad_norm_(model.parameters(), 0.5))
            optimizer.step()
        norms.append(torch.stack(found).float())
    close(norms[0], norms[1], TOLERANCE[dtype])
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        close(a, b, TOLERANCE[dtype])


def test_functional_call():
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
    names = [n for n, _ in model.named_parameters()]

    def f(x, *values):
        state = dict(zip(names, values, strict=True))
        buffers = {n: b.clone() for n, b in model.named_buffers()}
        return torch.func.functional_call(model, (state, buffers), (x,))

    same(f, t(3, 4), *[p.detach().clone().requires_grad_() for p in model.parameters()])


@pytest.mark.parametrize("use_reentrant", [False])
def test_checkpointed_blocks(use_reentrant):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(6, 6), nn.LayerNorm(6), nn.SiLU()) for _ in range(3))

        def forward(self, x):
            for block in self.blocks:
                x = x + checkpoint(block, x, use_reentrant=use_reentrant)
            return x

    agree(Model(), lambda m, x: m(x).square().mean(), [(t(4, 6, grad=False),)], adamw)


def test_autocast_training():
    model = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 4))

    def loss(m, x, y):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = m(x)
        return F.cross_entropy(out.float(), y)

    torch.manual_seed(0)
    ours, theirs = copy.deepcopy(model), copy.deepcopy(model)
    batches = [(torch.randn(6, 8), torch.randint(0, 4, (6,)))]
    expected = train(theirs, loss, batches, adamw, 4)
    got = train(ours, torch.compile(loss, backend="trace", fullgraph=True), batches, adamw, 4)
    close(torch.stack(got), torch.stack(expected), 2e-2)
    assert all(p.grad.dtype == torch.float32 for p in ours.parameters())


# ---- losses


LOSSES = {
    "cross_entropy": lambda x, y, w: F.cross_entropy(x, y, weight=w, ignore_index=2, label_smoothing=0.1),
    "cross_entropy_sum": lambda x, y, w: F.cross_entropy(x, y, weight=w, reduction="sum"),
    "cross_entropy_none": lambda x, y, w: F.cross_entropy(x, y, ignore_index=1, reduction="none"),
    "cross_entropy_probabilities": lambda x, y, w: F.cross_entropy(x, torch.softmax(x.detach() * 2, 1), weight=w),
    "nll": lambda x, y, w: F.nll_loss(F.log_softmax(x, -1), y, weight=w),
    "bce_with_logits": lambda x, y, w: F.binary_cross_entropy_with_logits(x, (x.detach() > 0).to(x.dtype), w, pos_weight=w),
    "bce": lambda x, y, w: F.binary_cross_entropy(torch.sigmoid(x), (x.detach() > 0).to(x.dtype)),
    "smooth_l1": lambda x, y, w: F.smooth_l1_loss(x, w.expand_as(x), beta=0.5),
    "huber": lambda x, y, w: F.huber_loss(x, w.expand_as(x), delta=0.7),
    "l1": lambda x, y, w: F.l1_loss(x, w.expand_as(x)),
    "mse": lambda x, y, w: F.mse_loss(x, w.expand_as(x), reduction="sum"),
    "kl": lambda x, y, w: F.kl_div(F.log_softmax(x, 1), F.softmax(w.expand_as(x), 1), reduction="batchmean"),
    "kl_log": lambda x, y, w: F.kl_div(F.log_softmax(x, 1), F.log_softmax(w.expand_as(x), 1), log_target=True),
    "margin": lambda x, y, w: F.multi_margin_loss(x, y),
    "cosine": lambda x, y, w: F.cosine_embedding_loss(x, w.expand_as(x), (y > 1).long() * 2 - 1),
    "triplet": lambda x, y, w: F.triplet_margin_loss(x, x.roll(1, 0), w.expand_as(x)),
    "poisson": lambda x, y, w: F.poisson_nll_loss(x, w.expand_as(x)),
}


@pytest.mark.parametrize("name", LOSSES)
def test_losses(name):
    f = LOSSES[name]
    y = torch.tensor([0, 2, 1, 3, 2])
    w = torch.rand(4) + 0.5
    same(lambda x: f(x, y, w), t(5, 4))


# ---- operators on whole functions

INDEX = torch.tensor([[0, 2, 1], [3, 3, 0]])
FUNCTIONS = {
    "einsum": lambda a, b: torch.einsum("ij,kj->ikj", a, b).sum(2) + torch.einsum("ij,ij->i", a, b)[:, None],
    "einsum_batched": lambda a, b: torch.einsum("bhqd,bhkd->bhqk", a.view(2, 2, 2, 2), b.view(2, 2, 2, 2)),
    "gather": lambda a, b: a.gather(1, INDEX % 4) * b.gather(0, INDEX),
    "scatter": lambda a, b: a.scatter(0, INDEX, b[:2, :3]),
    "scatter_add": lambda a, b: a.scatter_add(0, INDEX, b[:2, :3]),
    "scatter_reduce": lambda a, b: a.scatter_reduce(0, INDEX, b[:2, :3], "amax"),
    "index_put": lambda a, b: a.index_put((INDEX[0], INDEX[1]), b[0, :3]),
    "index_put_accumulate": lambda a, b: a.index_put((INDEX[1],), b[:3], accumulate=True),
    "index_assign": lambda a, b: _assign(a, b),
    "index_select": lambda a, b: a.index_select(1, INDEX[0]) @ b[:3],
    "boolean_assign": lambda a, b: _masked_assign(a, b),
    "topk": lambda a, b: torch.topk(a * b, 2, dim=1),
    "sort": lambda a, b: torch.sort(a * b, dim=0, descending=True),
    "argsort_gather": lambda a, b: b.gather(1, a.argsort(1)),
    "max_min": lambda a, b: (a.max(1).values, b.min(0), torch.maximum(a, b).amax((0, 1))),
    "kthvalue_median": lambda a, b: (a.kthvalue(2, 1).values, b.median(0).values),
    "cumsum": lambda a, b: a.cumsum(0) * b.cumsum(1) + (a * b).cumprod(1),
    "logcumsumexp": lambda a, b: torch.logcumsumexp(a, 1) + b,
    "masked_fill": lambda a, b: a.masked_fill(b > 0, float("-inf")).softmax(1),
    "where": lambda a, b: torch.where(a > b, a * 2, b.exp()) + torch.where(a > 0, a, 0.0),
    "pad_constant": lambda a, b: F.pad(a, (1, 2, -1, 1), value=3.0).square() + F.pad(b, (2, 1, 0, 0)),
    "pad_reflect": lambda a, b: F.pad(a[None], (1, 2), mode="reflect") * F.pad(b[None], (2, 1), mode="replicate"),
    "pad_circular": lambda a, b: F.pad(a[None], (1, 2), mode="circular").sin() + F.pad(b[None, None], (1, 2, 0, 0), mode="reflect")[0],
    "roll_flip": lambda a, b: a.roll((1, 2), (0, 1)) * b.flip(0, 1) + a.flip(1) + torch.rot90(b),
    "stack_unbind": lambda a, b: torch.stack(list(reversed(a.unbind(1))), 1) * torch.cat(b.chunk(2, 1)[::-1], 1),
    "tril_diag": lambda a, b: a.tril() @ b.triu(1) + torch.diag(a.diagonal()) + torch.diag_embed(b[0]),
    "norms": lambda a, b: (a.norm(), b.norm(dim=1), F.normalize(a, dim=0), torch.linalg.vector_norm(b, 1)),
    "var_std": lambda a, b: (a.var(0), b.std(1, unbiased=False), torch.var_mean(a, 1)[0], torch.std_mean(b)[1]),
    "softmaxes": lambda a, b: F.log_softmax(a, 0) * F.softmax(b, 1) + F.gumbel_softmax(a, dim=1).detach() * 0,
    "activations": lambda a, b: F.gelu(a, approximate="tanh") + F.elu(b) + F.hardswish(a) + F.mish(b) + F.softplus(a)
    + F.leaky_relu(b) + F.glu(a, 1).repeat(1, 2) + F.hardtanh(b) + F.selu(a) + F.logsigmoid(b),
    "cdist": lambda a, b: torch.cdist(a, b),
    "meshgrid": lambda a, b: sum(torch.meshgrid(a[0], b[0], indexing="ij")),
    "repeat_interleave": lambda a, b: a.repeat_interleave(2, 0) * b.repeat(2, 1),
    "unfold": lambda a, b: a.unfold(0, 2, 1) * b[:3, :, None],
    "lerp_addcmul": lambda a, b: torch.lerp(a, b, 0.3) + torch.addcmul(a, a, b, value=2) + torch.addcdiv(a, b, a.exp()),
    "logsumexp": lambda a, b: a.logsumexp((0, 1)) + b.logsumexp(1),
    "bucketize": lambda a, b: (torch.bucketize(a, torch.tensor([-1.0, 0.0, 1.0])), b * 2),
    "one_hot": lambda a, b: F.one_hot(INDEX % 4, 4).to(a.dtype) @ a @ b,
    "baddbmm": lambda a, b: torch.baddbmm(a[None], a[None], b[None], beta=0.5) + torch.kron(a[:2, :2], b[:2, :2]),
    "tensordot_outer": lambda a, b: torch.tensordot(a, b, ([0], [1])) + torch.outer(a[0], b[0]),
    "in_place": lambda a, b: a.clone().mul_(b).add_(1).clamp_(min=0).transpose(0, 1).sub_(a),
    "slices_written": lambda a, b: _write_slices(a, b),
    "fold": lambda a, b: F.fold(F.unfold(a[None, None], 2), (4, 4), 2) + b,
    "grid_sample": lambda a, b: F.grid_sample(a[None, None], torch.tanh(b.view(1, 2, 4, 2)), align_corners=False),
    "pixel_shuffle": lambda a, b: F.pixel_shuffle(a.view(1, 4, 2, 2), 2) + F.pixel_unshuffle(b[None, None], 2).view(1, 1, 4, 4),
    "searchsorted": lambda a, b: torch.searchsorted(a.detach().sort(1).values, b.detach()),
    "nan_to_num": lambda a, b: torch.nan_to_num(a / (b > 0)) + (a * b).nansum(),
}


def _assign(a, b):
    c = a.clone()
    c[INDEX[0], 1:3] = b[:3, :2]
    c[-1] = 0
    return c


def _masked_assign(a, b):
    c = a * 1
    c[b > 0] = 7.0
    return c


def _write_slices(a, b):
    c = torch.zeros_like(a)
    c[1:3, ::2] = b[:2, ::2]
    c[:, 1] += a[:, 0]
    c.diagonal().mul_(3)
    return c


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    same(FUNCTIONS[name], t(4, 4), t(4, 4))


LAYOUTS = {
    "transposed": lambda: t(4, 4).detach().t(),
    "expanded": lambda: t(1, 4).detach().expand(4, 4),
    "offset": lambda: t(7, 9).detach()[2:6, 3:7],
    "strided": lambda: t(8, 8).detach()[::2, 1::2],
    "expanded_scalar": lambda: t().detach().expand(4, 4),
    "permuted": lambda: t(4, 2, 4).detach().permute(2, 0, 1)[..., 1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_inputs_and_outputs_of_any_layout(layout):
    x, y = LAYOUTS[layout](), LAYOUTS[layout]()

    def f(x, y):
        z = torch.sin(x) * y
        return z, z.t() + 1, x @ y, (x * 2).sum(0), F.layer_norm(x, (4,)), F.relu(x).view_as(x), x.cumsum(1)

    same(f, x.requires_grad_(), y)


EMPTY = {
    "add": lambda x: x + 1,
    "matmul": lambda x: x @ torch.ones(4, 3),
    "no_inner": lambda x: x.t() @ x,
    "sum": lambda x: (x.sum(), x.sum(0), x.mean(1)),
    "cat": lambda x: torch.cat([x, torch.ones(2, 4)]) * 2,
    "softmax": lambda x: F.softmax(x, 1),
    "layer_norm": lambda x: F.layer_norm(x, (4,)),
    "linear": lambda x: F.linear(x, torch.ones(2, 4), torch.ones(2)),
    "index": lambda x: x[torch.zeros(0, dtype=torch.long)],
    "cumsum": lambda x: x.cumsum(0),
}


@pytest.mark.parametrize("name", EMPTY)
def test_empty_inputs(name):
    same(EMPTY[name], t(0, 4))


def test_scalars():
    def f(x, y):
        return x * y, x.sum() + 1, y.expand(3), x.reshape(1, 1), torch.stack([x, y]), x.exp().log1p(), x.max(y)

    same(f, t(), t())


# ---- control, modes, sizes


def test_graph_breaks():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, x):
            x = torch.relu(self.a(x))
            torch._dynamo.graph_break()
            if x.sum() > 0:
                x = self.b(x) * 2
            else:
                x = self.b(x) - 1
            values = [v for v in x.detach().mean(0).tolist() if v > 0]
            return x * (1 + len(values))

    torch.manual_seed(3)
    model = Model()
    twin = copy.deepcopy(model)
    compiled = torch.compile(model, backend="trace")
    for i in range(4):
        x = torch.randn(3, 4) * (i + 1)
        a, b = compiled(x), twin(x)
        close(a, b, 1e-5)
        a.sum().backward()
        b.sum().backward()
    for p, q in zip(model.parameters(), twin.parameters(), strict=True):
        close(p.grad, q.grad, 1e-4)


@pytest.mark.parametrize("dynamic", [True, None])
def test_batch_sizes_that_change(dynamic):
    model = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.GELU(), nn.Linear(6, 3))
    twin = copy.deepcopy(model)
    compiled = torch.compile(model, backend="trace", dynamic=dynamic, fullgraph=True)
    for batch in (5, 3, 8, 2, 5):
        x, y = torch.randn(batch, 4), torch.randint(0, 3, (batch,))
        for m in (compiled, twin):
            F.cross_entropy(m(x), y).backward()
        for p, q in zip(model.parameters(), twin.parameters(), strict=True):
            close(p.grad, q.grad, 1e-4)
    for p, q in zip(model.buffers(), twin.buffers(), strict=True):
        close(p, q, 1e-5)


def test_sequence_lengths_that_change():
    model = nn.MultiheadAttention(8, 2, batch_first=True)
    compiled = torch.compile(model, backend="trace", dynamic=True)
    for length in (4, 6, 3):
        x = torch.randn(2, length, 8)
        mask = torch.ones(length, length, dtype=torch.bool).triu(1)
        close(compiled(x, x, x, attn_mask=mask, need_weights=False)[0], model(x, x, x, attn_mask=mask, need_weights=False)[0],
              1e-5)


def test_floats_that_change():
    def f(x, slope, scale):
        return F.leaky_relu(x, slope) * scale

    compiled = torch.compile(f, backend="trace", dynamic=True, fullgraph=True)
    for slope, scale in ((0.1, 2.0), (0.2, 2.0), (0.2, 3.0), (0.1, 2.0)):
        x = torch.randn(3, 4, requires_grad=True)
        (gradient,) = torch.autograd.grad(compiled(x, slope, scale).sum(), x, create_graph=True)
        close(compiled(x, slope, scale), f(x, slope, scale), 1e-6)
        close(gradient, torch.autograd.grad(f(x, slope, scale).sum(), x)[0], 1e-6)


def test_output_that_depends_on_nothing():
    same(lambda x: (torch.cat([x[:0], torch.ones(2, 4)]), x * 1), t(2, 4))


def test_dropout_statistics_and_mask():
    drop = torch.compile(lambda x: F.dropout(x, 0.3), backend="trace", fullgraph=True)
    x = torch.ones(200, 200, requires_grad=True)
    y = drop(x)
    y.backward(torch.ones_like(y))
    kept = (y != 0).float().mean().item()
    assert abs(kept - 0.7) < 0.01
    torch.testing.assert_close(y[y != 0], torch.full_like(y[y != 0], 1 / 0.7))
    torch.testing.assert_close(x.grad, y.detach())
    assert not torch.equal(drop(x), y)
    rows = (y != 0).float().mean(1)
    assert 0.02 < rows.std().item() < 0.045  # sqrt(0.3 * 0.7 / 200) = 0.032


def test_dropout_in_a_model_trains_and_evaluates():
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.ReLU(), nn.Dropout1d(0.2), nn.Linear(8, 2))
    compiled = torch.compile(model, backend="trace", fullgraph=True)
    x = torch.randn(6, 4)
    compiled(x).sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())
    model.eval()
    close(compiled(x), model(x), 1e-6)


def test_reused_module_and_frozen_part():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.shared, self.frozen = nn.Linear(4, 4), nn.Linear(4, 4).requires_grad_(False)

        def forward(self, x):
            return self.shared(F.tanh(self.frozen(self.shared(x)))) + self.shared(x)

    agree(Model(), lambda m, x: m(x).square().mean(), [(t(3, 4, grad=False),)],
          lambda p: sgd([q for q in p if q.requires_grad]))


def test_parameter_updated_between_calls():
    model = nn.Linear(3, 3)
    compiled = torch.compile(model, backend="trace", fullgraph=True)
    x = torch.randn(2, 3)
    for _ in range(3):
        close(compiled(x), model(x), 1e-6)
        with torch.no_grad():
            model.weight.mul_(2)
    model.weight.data = torch.randn(3, 3)
    close(compiled(x), model(x), 1e-6)


def test_optimizer_step_inside_the_graph():
    def step(w, m, x):
        g = torch.autograd.grad((x @ w).square().mean(), w)[0]
        with torch.no_grad():
            m.mul_(0.9).add_(g)
            w.sub_(m, alpha=0.1)
        return g

    results = []
    for f in (torch.compile(step, backend="trace"), step):
        torch.manual_seed(0)
        w, m, x = torch.randn(3, 2, requires_grad=True), torch.zeros(3, 2), torch.randn(4, 3)
        for _ in range(3):
            f(w, m, x)
        results.append((w.detach(), m))
    close(results[0][0], results[1][0], 1e-5)
    close(results[0][1], results[1][1], 1e-5)
