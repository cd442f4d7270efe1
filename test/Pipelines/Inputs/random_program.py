"""Prints a random captured function: random_program.py SEED [OPS].

All kinds of ops that fusion tells apart, over a few shapes that fit into each other, with several outputs, some of them
views, some values returned twice. Smooth enough that nothing overflows.
"""

import random
import sys

R, C = 6, 8
SHAPES = [[R, C], [C, R], [R], [C], [2, 3, C], [R, 1], [R, C // 2], []]


class Program:
    def __init__(self, seed, ops):
        self.random = random.Random(seed)
        self.lines, self.values, self.indices = [], [], []
        self.arguments = ["%seed: tensor<i64>", f"%rows: tensor<{R}x1xi64>", "%picks: tensor<5xi64>"]
        for i, shape in enumerate([[R, C], [R, C], [C], [R], [C, C], [2, 3, C]]):
            grad = " {trace.requires_grad}" if self.random.random() < 0.7 else ""
            self.arguments.append(f"%p{i}: {self.type(shape)}{grad}")
            self.values.append((f"%p{i}", shape))
        self.emit(f"check_index %rows size {C} wrap false : tensor<{R}x1xi64>", None)
        self.emit(f"check_index %picks size {R} wrap false : tensor<5xi64>", None)
        while len(self.lines) < ops:
            getattr(self, self.random.choice(self.kinds))()

    kinds = ["unary"] * 4 + ["binary"] * 8 + ["broadcast"] * 2 + [
        "reduce", "reduce", "normalise", "reshape", "transpose", "slice", "cat", "pad", "reverse", "matmul", "select",
        "dropout", "gather", "take", "iota", "rotate"]

    def type(self, shape, element="f32"):
        return f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"

    def emit(self, text, shape):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = trace.{text}")
        if shape is not None:
            self.values.append((name, list(shape)))
        return name

    def pick(self, rank=None, shape=None):
        fits = [v for v in self.values if (rank is None or len(v[1]) >= rank) and (shape is None or v[1] == shape)]
        # Near values more often than far ones.
        return self.random.choice(fits[-12:] if self.random.random() < 0.7 else fits)

    def unary(self):
        x, shape = self.pick()
        self.emit(f"{self.random.choice(['sin', 'cos', 'tanh', 'sigmoid', 'neg'])} {x} : {self.type(shape)}", shape)

    def binary(self):
        x, shape = self.pick()
        y, _ = self.pick(shape=shape)
        self.emit(f"{self.random.choice(['add', 'sub', 'mul'])} {x}, {y} : {self.type(shape)}", shape)

    def broadcast(self):
        x, shape = self.pick()
        choices = {(R,): ([0], [R, C]), (C,): ([1], [R, C]), (): ([], [R]), (R, 1): ([0, 1], [R, C])}
        if tuple(shape) in choices:
            dims, to = choices[tuple(shape)]
            if shape == [C] and self.random.random() < 0.3:
                dims, to = [2], [2, 3, C]
            self.emit(f"broadcast_in_dim {x} {dims} : {self.type(shape)} to {self.type(to)}", to)

    def reduce(self):
        x, shape = self.pick(rank=1)
        dims = sorted(self.random.sample(range(len(shape)), self.random.randint(1, len(shape))))
        to = [n for i, n in enumerate(shape) if i not in dims]
        y = self.emit(f"reduce_sum {x} {dims} : {self.type(shape)}", None)
        scale = self.emit(f"constant dense<1.25e-01> : {self.type(to)}", None)
        self.emit(f"mul {y}, {scale} : {self.type(to)}", to)

    def normalise(self):
        x, shape = self.pick(rank=2)
        last, rows = len(shape) - 1, shape[:-1]
        m = self.emit(f"reduce_sum {x} [{last}] : {self.type(shape)}", None)
        t = self.emit(f"tanh {m} : {self.type(rows)}", rows)
        b = self.emit(f"broadcast_in_dim {t} {list(range(last))} : {self.type(rows)} to {self.type(shape)}", None)
        self.emit(f"sub {x}, {b} : {self.type(shape)}", shape)

    def reshape(self):
        x, shape = self.pick(rank=1)
        pairs = {(R, C): [2, 3, C], (2, 3, C): [R, C], (R,): [R, 1], (R, 1): [R]}
        if tuple(shape) in pairs:
            to = pairs[tuple(shape)]
            self.emit(f"reshape {x} : {self.type(shape)} to {self.type(to)}", to)

    def transpose(self):
        x, shape = self.pick(rank=2)
        if len(shape) == 2 and shape[1] != 1:
            self.emit(f"transpose {x} [1, 0] : {self.type(shape)}", shape[::-1])

    def slice(self):
        x, shape = self.pick(shape=[R, C])
        if self.random.random() < 0.5:
            text = f"[0, {self.random.choice([0, C // 2])}]"
            low = int(text.split(", ")[1][:-1])
            self.emit(f"slice {x} [0, {low}] to [{R}, {low + C // 2}] by [1, 1] : {self.type(shape)}", [R, C // 2])
        else:
            self.emit(f"slice {x} [0, 1] to [{R}, {C}] by [1, 2] : {self.type(shape)}", [R, C // 2])

    def halves(self):
        return [v for v in self.values if v[1] == [R, C // 2]]

    def cat(self):
        if self.halves():
            x, y = (self.random.choice(self.halves())[0] for _ in range(2))
            t = self.type([R, C // 2])
            self.emit(f"cat {x}, {y} dim 1 : {t}, {t}", [R, C])

    def pad(self):
        if self.halves():
            x = self.random.choice(self.halves())[0]
            zero = self.emit("constant dense<0.0> : tensor<f32>", None)
            low = self.random.choice([0, 1, C // 2])
            self.emit(f"pad {x}, {zero} low [0, {low}] high [0, {C // 2 - low}] interior [0, 0] : "
                      f"{self.type([R, C // 2])}, tensor<f32>", [R, C])

    def reverse(self):
        x, shape = self.pick(rank=1)
        self.emit(f"reverse {x} [{self.random.randrange(len(shape))}] : {self.type(shape)}", shape)

    def matmul(self):
        x, shape = self.pick(shape=[R, C])
        y = self.pick(shape=[C, C])[0]
        m = self.emit(f"matmul {x}, {y} : {self.type(shape)}, {self.type([C, C])}", None)
        self.emit(f"tanh {m} : {self.type(shape)}", shape)

    def select(self):
        x, shape = self.pick()
        y, z = self.pick(shape=shape)[0], self.pick(shape=shape)[0]
        c = self.emit(f"gt {x}, {y} : {self.type(shape)}", None)
        self.emit(f"where {c}, {y}, {z} : {self.type(shape, 'i1')}, {self.type(shape)}", shape)

    def dropout(self):
        x, shape = self.pick(shape=[R, C])
        t = self.type(shape)
        r = self.emit(f"random_uniform %seed stream {len(self.lines)} : tensor<i64> to {t}", None)
        half, zero = (self.emit(f"constant dense<{v}> : {t}", None) for v in (0.5, 0.0))
        m = self.emit(f"lt {r}, {half} : {t}", None)
        self.emit(f"where {m}, {x}, {zero} : {self.type(shape, 'i1')}, {t}", shape)

    def gather(self):
        x, shape = self.pick(shape=[R, C])
        self.emit(f"gather {x}, %v0 dim 1 : {self.type(shape)}, tensor<{R}x1xi64>", [R, 1])

    def take(self):
        x, shape = self.pick(shape=[R, C])
        t = self.emit(f"take {x}, %v1 dim 0 : {self.type(shape)}, tensor<5xi64>", None)
        self.emit(f"reduce_sum {t} [0] : {self.type([5, C])}", [C])

    def iota(self):
        x, shape = self.pick(shape=[R, C])
        t = self.type(shape, "i64")
        i, j = (self.emit(f"iota {d} : {t}", None) for d in (0, 1))
        c = self.emit(f"ge {i}, {j} : {t}", None)
        zero = self.emit(f"constant dense<0.0> : {self.type(shape)}", None)
        self.emit(f"where {c}, {x}, {zero} : {self.type(shape, 'i1')}, {self.type(shape)}", shape)

    def rotate(self):
        x, shape = self.pick(shape=[R, C])
        t, h = self.type(shape), self.type([R, C // 2])
        a = self.emit(f"slice {x} [0, 0] to [{R}, {C // 2}] by [1, 1] : {t}", None)
        b = self.emit(f"slice {x} [0, {C // 2}] to [{R}, {C}] by [1, 1] : {t}", None)
        n = self.emit(f"neg {b} : {h}", None)
        c = self.emit(f"cat {n}, {a} dim 1 : {h}, {h}", None)
        self.emit(f"mul {c}, {x} : {t}", shape)

    def print(self):
        outputs = self.random.sample(self.values, self.random.randint(1, 3)) + [self.values[-1]]
        types = ", ".join(self.type(shape) for _, shape in outputs)
        print(f"func.func @f({', '.join(self.arguments)}) -> ({types}) {{")
        print("\n".join(self.lines))
        print(f"  trace.return outputs({', '.join(v for v, _ in outputs)} : {types})\n}}")


Program(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 60).print()
