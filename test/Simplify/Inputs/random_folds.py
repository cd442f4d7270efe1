"""Random functions full of what folds and canonicalisations match, for exact comparison before and after:
random_folds.py SEED [OPS] [FUNCTIONS].

Neutral and absorbing constants of every kind, chains of views and conversions, pads and slices and cats of each other,
sums over repeated, single and one-hot dimensions. Arguments come from a few awkward values: both zeros, NaN, infinities,
numbers that overflow or round.
"""

import random
import sys

VALUES = {
    "f32": ["0.0", "-0.0", "1.0", "-1.0", "0x7FC00000", "0x7F800000", "0xFF800000", "3.0e38", "1.0e-40", "0.1", "2.5", "-7.0", "3.0"],
    "bf16": ["0.0", "-0.0", "1.0", "-1.0", "0x7FC0", "0x7F80", "0xFF80", "3.0e38", "0.1", "2.5", "-7.0", "256.0"],
    "i64": ["0", "1", "-1", "2", "3", "-9223372036854775808", "9223372036854775807", "7", "-5"],
    "i8": ["0", "1", "-1", "2", "127", "-128", "100", "-5"],
    "i1": ["true", "false"],
}
CONSTANTS = {
    "f32": ["0.0", "-0.0", "1.0", "-1.0", "2.0", "0.25", "3.0", "0x7FC00000", "0x7F800000", "0xFF800000", "0.1"],
    "bf16": ["0.0", "-0.0", "1.0", "-1.0", "4.0", "3.0", "0x7FC0", "0x7F80", "0xFF80"],
    "i64": ["0", "1", "-1", "2", "3"],
    "i8": ["0", "1", "-1", "2", "127"],
    "i1": ["true", "false"],
}
FLOATS, INTS = ("f32", "bf16"), ("i64", "i8")


def spelled(shape, element):
    return "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"


class Function:
    def __init__(self, name, seed, ops):
        self.random = random.Random(seed)
        self.name, self.lines, self.values, self.count = name, [], [], 0
        for element in VALUES:
            for shape in ([4, 3], [3], [2, 1, 3], [1, 4]):
                self.literal(shape, element)
        while len(self.lines) < ops:
            getattr(self, self.random.choice(self.kinds))()

    kinds = ["unary", "binary", "binary", "with_constant", "with_constant", "negated", "where", "convert", "convert", "compare",
             "reshape", "transpose", "broadcast", "slice", "slice", "pad", "cat", "cat_of_slices", "reverse", "reduce", "reduce",
             "one_hot", "repeated_sum", "power", "constant"]

    def emit(self, text, shape, element, name=None):
        name = name or f"%v{self.count}"
        self.count += 1
        self.lines.append(f"  {name} = trace.{text}")
        self.values.append((name, list(shape), element))
        return name

    def literal(self, shape, element):
        """A constant that is no splat: folds see an opaque value behind the barrier of a transposition."""
        count = 1
        for n in shape:
            count *= n
        numbers = [self.random.choice(VALUES[element]) for _ in range(count)]
        flat = f"%v{self.count}"
        self.emit(f"constant dense<[{', '.join(numbers)}]> : {spelled([count], element)}", [count], element)
        self.emit(f"reshape {flat} : {spelled([count], element)} to {spelled(shape, element)}", shape, element)

    def pick(self, elements=None, shape=None, rank=0, near=True):
        fits = [v for v in self.values if (elements is None or v[2] in elements) and (shape is None or v[1] == shape) and
                len(v[1]) >= rank and 0 not in v[1]]
        return self.random.choice(fits[-10:] if near and self.random.random() < 0.6 else fits)

    def splat(self, shape, element, values=None):
        return self.emit(f"constant dense<{self.random.choice(values or CONSTANTS[element])}> : {spelled(shape, element)}", shape, element)

    def constant(self):
        _, shape, element = self.pick()
        self.splat(shape, element)

    def unary(self):
        x, shape, element = self.pick()
        ops = ["neg", "abs", "logical_not"] if element != "i1" else ["logical_not", "bitwise_not"]
        if element in FLOATS:
            ops += ["relu", "floor", "ceil", "round", "trunc", "sqrt"]
        elif element != "i1":
            ops += ["bitwise_not", "floor", "relu"]
        op = self.random.choice(ops)
        self.emit(f"{op} {x} : {spelled(shape, element)}", shape, "i1" if op == "logical_not" else element)

    def arithmetic(self, element):
        if element == "i1":
            return ["bitwise_and", "bitwise_or", "bitwise_xor", "add", "mul", "maximum", "minimum"]
        if element in INTS:
            return ["add", "sub", "mul", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor"]
        return ["add", "sub", "mul", "div", "maximum", "minimum", "fmax", "fmin"]

    def binary(self):
        x, shape, element = self.pick()
        y, _, _ = self.pick((element,), shape)
        self.emit(f"{self.random.choice(self.arithmetic(element))} {x}, {y} : {spelled(shape, element)}", shape, element)

    def with_constant(self):
        x, shape, element = self.pick()
        c = self.splat(shape, element)
        a, b = (x, c) if self.random.random() < 0.7 else (c, x)
        self.emit(f"{self.random.choice(self.arithmetic(element))} {a}, {b} : {spelled(shape, element)}", shape, element)

    def negated(self):
        x, shape, element = self.pick(FLOATS + INTS)
        y, _, _ = self.pick((element,), shape)
        n = self.emit(f"neg {x} : {spelled(shape, element)}", shape, element)
        m = self.emit(f"neg {y} : {spelled(shape, element)}", shape, element) if self.random.random() < 0.5 else y
        a, b = (n, m) if self.random.random() < 0.5 else (m, n)
        self.emit(f"{self.random.choice(['add', 'sub', 'mul'])} {a}, {b} : {spelled(shape, element)}", shape, element)

    def power(self):
        x, shape, element = self.pick(("f32", "i64"))
        values = ["0.0", "1.0", "2.0", "-1.0", "0.5"] if element == "f32" else ["0", "1", "2"]
        c = self.splat(shape, element, values)
        self.emit(f"pow {x}, {c} : {spelled(shape, element)}", shape, element)

    def where(self):
        c, shape, _ = self.pick(("i1",))
        x, _, element = self.pick(shape=shape)
        y, _, _ = self.pick((element,), shape)
        self.emit(f"where {c}, {x}, {y} : {spelled(shape, 'i1')}, {spelled(shape, element)}", shape, element)

    def compare(self):
        x, shape, element = self.pick()
        y, _, _ = self.pick((element,), shape)
        if self.random.random() < 0.4:
            y = self.splat(shape, element)
        self.emit(f"{self.random.choice(['eq', 'ne', 'lt', 'le', 'gt', 'ge'])} {x}, {y} : {spelled(shape, element)}", shape, "i1")

    def convert(self):
        x, shape, element = self.pick()
        to = self.random.choice(["f32", "bf16", "f64", "i64", "i32", "i8", "ui8", "i1", "f16"])
        name = self.emit(f"convert {x} : {spelled(shape, element)} to {spelled(shape, to)}", shape, to)
        if to not in VALUES or self.random.random() < 0.5:
            self.values.pop()
            back = self.random.choice(["f32", "bf16", "i64", "i8", "i1"])
            self.emit(f"convert {name} : {spelled(shape, to)} to {spelled(shape, back)}", shape, back)

    def reshape(self):
        x, shape, element = self.pick()
        flat = 1
        for n in shape:
            flat *= n
        to = self.random.choice([[flat], [1, *shape], [*shape, 1], [n for n in shape if n != 1], shape[:1] + [1] + shape[1:]])
        self.emit(f"reshape {x} : {spelled(shape, element)} to {spelled(to, element)}", to, element)

    def transpose(self):
        x, shape, element = self.pick(rank=2)
        perm = list(range(len(shape)))
        self.random.shuffle(perm)
        self.emit(f"transpose {x} {perm} : {spelled(shape, element)}", [shape[p] for p in perm], element)

    def broadcast(self):
        x, shape, element = self.pick()
        if len(shape) > 3:
            return
        to, dims = [], []
        for n in shape:
            if self.random.random() < 0.4:
                to.append(self.random.choice([1, 2, 4]))
            dims.append(len(to))
            to.append(self.random.choice([2, 3]) if n == 1 and self.random.random() < 0.5 else n)
        self.emit(f"broadcast_in_dim {x} {dims} : {spelled(shape, element)} to {spelled(to, element)}", to, element)

    def bounds(self, shape):
        starts, limits, strides, to = [], [], [], []
        for n in shape:
            start = self.random.randint(0, max(n - 1, 0))
            limit = self.random.randint(start + 1, n)
            if self.random.random() < 0.5:
                start, limit = 0, n
            stride = self.random.choice([1, 1, 1, 2])
            starts.append(start), limits.append(limit), strides.append(stride)
            to.append((limit - start + stride - 1) // stride)
        return starts, limits, strides, to

    def slice(self):
        x, shape, element = self.pick(rank=1)
        starts, limits, strides, to = self.bounds(shape)
        self.emit(f"slice {x} {starts} to {limits} by {strides} : {spelled(shape, element)}", to, element)

    def pad(self):
        x, shape, element = self.pick(rank=1)
        v = self.splat([], element)
        low = [self.random.choice([0, 0, 1, 2, -1 if n > 2 else 0]) for n in shape]
        high = [self.random.choice([0, 0, 1]) for _ in shape]
        interior = [self.random.choice([0, 0, 0, 1]) for _ in shape]
        to = [n + l + h + (n - 1) * i for n, l, h, i in zip(shape, low, high, interior)]
        name = self.emit(f"pad {x}, {v} low {low} high {high} interior {interior} : {spelled(shape, element)}, {spelled([], element)}", to, element)
        starts, limits, strides, cut = self.bounds(to)
        self.emit(f"slice {name} {starts} to {limits} by {strides} : {spelled(to, element)}", cut, element)

    def cat(self):
        x, shape, element = self.pick(rank=1)
        others = [self.pick((element,), shape)[0] for _ in range(self.random.randint(0, 2))]
        dim = self.random.randrange(len(shape))
        to = list(shape)
        to[dim] *= 1 + len(others)
        t = ", ".join([spelled(shape, element)] * (1 + len(others)))
        name = self.emit(f"cat {', '.join([x, *others])} dim {dim} : {t}", to, element)
        starts, limits, strides, cut = self.bounds(to)
        self.emit(f"slice {name} {starts} to {limits} by {strides} : {spelled(to, element)}", cut, element)

    def cat_of_slices(self):
        x, shape, element = self.pick(rank=1)
        dim = self.random.randrange(len(shape))
        cuts = sorted({0, shape[dim], self.random.randint(0, shape[dim]), self.random.randint(0, shape[dim])})
        pieces = []
        for start, limit in zip(cuts, cuts[1:]):
            starts, limits, to = [0] * len(shape), list(shape), list(shape)
            starts[dim], limits[dim], to[dim] = start, limit, limit - start
            name = self.emit(f"slice {x} {starts} to {limits} by {[1] * len(shape)} : {spelled(shape, element)}", to, element)
            pieces.append((name, to))
        if self.random.random() < 0.3:
            self.random.shuffle(pieces)
        if pieces:
            to = list(shape)
            to[dim] = sum(p[1][dim] for p in pieces)
            t = ", ".join(spelled(p[1], element) for p in pieces)
            self.emit(f"cat {', '.join(p[0] for p in pieces)} dim {dim} : {t}", to, element)

    def reverse(self):
        x, shape, element = self.pick(rank=1)
        dims = [d for d in range(len(shape)) if self.random.random() < 0.5]
        self.emit(f"reverse {x} {dims} : {spelled(shape, element)}", shape, element)

    def reduce(self):
        x, shape, element = self.pick(rank=1)
        dims = [d for d in range(len(shape)) if self.random.random() < 0.5]
        ops = ["sum", "max", "min"] if element != "i1" else ["any", "all"]
        to = [n for d, n in enumerate(shape) if d not in dims]
        name = self.emit(f"reduce_{self.random.choice(ops)} {x} {dims} : {spelled(shape, element)}", to, element)
        if to and element != "i1" and self.random.random() < 0.5:
            self.emit(f"reduce_max {name} [0] : {spelled(to, element)}", to[1:], element)

    def repeated_sum(self):
        x, shape, element = self.pick(FLOATS + INTS)
        if len(shape) > 3:
            return
        n = self.random.choice([1, 2, 3, 4, 8])
        to = [n, *shape]
        name = self.emit(f"broadcast_in_dim {x} {list(range(1, len(to)))} : {spelled(shape, element)} to {spelled(to, element)}", to, element)
        self.emit(f"reduce_sum {name} [0] : {spelled(to, element)}", shape, element)

    def one_hot(self):
        x, shape, element = self.pick(FLOATS + INTS, rank=1)
        t, _, _ = self.pick(("i64",), shape) if any(v[2] == "i64" and v[1] == shape for v in self.values) else (None, 0, 0)
        if t is None or len(shape) > 3:
            return
        to, dims = [*shape, 5], list(range(len(shape)))
        i = self.emit(f"iota {len(shape)} : {spelled(to, 'i64')}", to, "i64")
        b = self.emit(f"broadcast_in_dim {t} {dims} : {spelled(shape, 'i64')} to {spelled(to, 'i64')}", to, "i64")
        c = self.emit(f"eq {b}, {i} : {spelled(to, 'i64')}", to, "i1")
        v = self.emit(f"broadcast_in_dim {x} {dims} : {spelled(shape, element)} to {spelled(to, element)}", to, element)
        z = self.splat(to, element, ["0"] if element in INTS else ["0.0", "-0.0"])
        w = self.emit(f"where {c}, {v}, {z} : {spelled(to, 'i1')}, {spelled(to, element)}", to, element)
        self.emit(f"reduce_sum {w} [{len(shape)}] : {spelled(to, element)}", shape, element)

    def text(self):
        results = self.values[-60:]
        types = ", ".join(spelled(shape, element) for _, shape, element in results)
        body = "\n".join(self.lines)
        return (f"func.func @{self.name}() -> ({types}) {{\n{body}\n"
                f"  trace.return outputs({', '.join(n for n, _, _ in results)} : {types})\n}}\n")


seed, ops, functions = (int(a) for a in (sys.argv[1:] + ["150", "1"][len(sys.argv) - 2:])[:3])
for i in range(functions):
    print(Function(f"f{i}" if functions > 1 else "f", seed + i, ops).text())
