"""Random fusions against eager PyTorch. TRACE_FUZZ_SEEDS=a:b chooses other seeds than the few that always run."""

import os
import pathlib
import random
import sys

import pytest
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Codegen"))
from kernels import TYPES, Fusion  # noqa: E402

FIRST, LAST = (int(s) for s in os.environ.get("TRACE_FUZZ_SEEDS", "0:12").split(":"))
SIZES = [1, 2, 3, 5, 7, 16, 17, 33, 64, 100]


class RandomFusion:
    """Grows a fusion by random operations on recent values; shapes up to 300,000 elements."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        torch.manual_seed(seed)
        self.dtype = self.r.choice([torch.float32, torch.float64, torch.float64])
        self.f = Fusion()
        shape = [self.r.choice(SIZES) for _ in range(self.r.choice([1, 2, 3, 3, 4]))]
        if self.r.random() < 0.15:
            shape = [self.r.choice([200, 1000]), self.r.choice([70, 130])]
        self.values = [self.input(shape) for _ in range(self.r.choice([1, 2, 3]))]
        for _ in range(self.r.randint(3, 14)):
            v = self.r.choice(self.values[-5:])
            if not v.tensor.ndim or self.r.random() < 0.4:
                new = self.pointwise(v)
            else:
                new = self.r.choice([self.reduction] * 3 + [self.view] * 3 + [self.movement] * 2 + [self.take])(v)
            if new is not None and new.tensor.numel() <= 300000:
                self.values.append(new)
        few = min(len(self.values), self.r.choice([0, 1, 3]))
        self.f.output(self.values[-1], *self.r.sample(self.values, few))

    def input(self, shape):
        """Contiguous, permuted, expanded or strided."""
        kind = self.r.random()
        if len(shape) >= 2 and kind < 0.25:
            order = self.r.sample(range(len(shape)), len(shape))
            back = [order.index(i) for i in range(len(order))]
            return self.f.input(torch.randn([shape[i] for i in order], dtype=self.dtype).permute(back))
        if kind < 0.35:
            return self.f.input(
                torch.randn([1 if self.r.random() < 0.5 else n for n in shape], dtype=self.dtype).expand(shape)
            )
        if kind < 0.42:
            every_other = tuple(slice(None, None, 2) for _ in shape)
            return self.f.input(torch.randn([n * 2 for n in shape], dtype=self.dtype)[every_other])
        return self.f.input(torch.randn(shape, dtype=self.dtype))

    def pointwise(self, v):
        if self.r.random() < 0.25:
            return self.f.unary(self.r.choice(["tanh", "sin", "neg", "abs", "sigmoid"]), v)
        same = [u for u in self.values if u.tensor.shape == v.tensor.shape]
        u = self.r.choice(same) if self.r.random() < 0.8 else self.input(list(v.tensor.shape))
        return self.r.choice([self.f.add, self.f.sub, self.f.mul])(v, u)

    def reduction(self, v):
        shape = list(v.tensor.shape)
        dims = sorted(self.r.sample(range(len(shape)), self.r.randint(1, len(shape))))
        kind = self.r.choice(["sum", "sum", "max", "min"])
        if kind != "sum" and 0 in [shape[d] for d in dims]:
            return None
        s = self.f.reduce(kind, v, dims)
        if kind == "sum":
            s = self.f.mul(s, self.f.constant(1 / max(1, v.tensor.numel() // max(1, s.tensor.numel())), s))
        if self.r.random() < 0.25:
            return s
        return self.f.sub(v, self.f.broadcast(s, shape, [d for d in range(len(shape)) if d not in dims]))

    def view(self, v):
        shape = list(v.tensor.shape)
        kind = self.r.choice(["transpose", "reshape", "slice"])
        if kind == "transpose":
            return self.f.transpose(v, self.r.sample(range(len(shape)), len(shape)))
        if kind == "reshape":
            left, sizes = v.tensor.numel(), []
            for _ in range(self.r.choice([0, 1, 2])):
                sizes.append(self.r.choice([d for d in range(1, left + 1) if left % d == 0] or [1]))
                left //= sizes[-1]
            return self.f.reshape(v, [*sizes, left])
        starts = [self.r.randint(0, n // 2) for n in shape]
        limits = [self.r.randint(a, n) if self.r.random() < 0.3 else n for a, n in zip(starts, shape)]
        return self.f.slice(v, starts, limits, [self.r.choice([1, 1, 2, 3]) for _ in shape])

    def movement(self, v):
        shape = list(v.tensor.shape)
        kind = self.r.choice(["cat", "reverse", "pad"])
        if kind == "reverse":
            return self.f.reverse(v, sorted(self.r.sample(range(len(shape)), self.r.randint(1, len(shape)))))
        if kind == "pad":
            value = self.f.op(
                f"trace.constant dense<1.5> : tensor<{TYPES[self.dtype]}>", torch.tensor(1.5, dtype=self.dtype)
            )
            low = [self.r.choice([0, 1, 2, -1] if n > 3 else [0, 1]) for n in shape]
            return self.f.pad(
                v, value, low, [self.r.choice([0, 1, 3]) for _ in shape], [self.r.choice([0, 0, 1, 2]) for _ in shape]
            )
        dim = self.r.randrange(len(shape))

        def fits(u):
            s = list(u.tensor.shape)
            return len(s) == len(shape) and all(a == b or i == dim for i, (a, b) in enumerate(zip(s, shape)))

        others = [u for u in self.values if fits(u)]
        return self.f.cat([v, *self.r.choices(others, k=self.r.choice([1, 2]))], dim)

    def take(self, v):
        dim = self.r.randrange(v.tensor.ndim)
        size = v.tensor.shape[dim]
        if size == 0:
            return None
        return self.f.take(v, self.f.input(torch.randint(0, size, (self.r.choice([1, 4, 19]),))), dim)


@pytest.mark.parametrize("seed", range(FIRST, LAST))
def test_random_fusion(seed):
    made = RandomFusion(seed)
    tolerance = 1e-9 if made.dtype == torch.float64 else 3e-4
    made.f.check(rtol=tolerance, atol=tolerance, bits=256 if seed % 3 == 0 else 0)
