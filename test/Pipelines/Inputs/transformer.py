"""Prints a captured transformer (RMSNorm, rotary embedding, attention written out, SwiGLU, residuals) of so many layers.

transformer.py LAYERS [TOKENS CHANNELS HEADS [DTYPE]]: one layer makes about 100 ops forward, 300 with its backward.
"""

import sys


class Program:
    def __init__(self, dtype):
        self.lines, self.count, self.arguments, self.dtype = [], 0, [], dtype

    def argument(self, shape, grad=True, dtype=None):
        name = f"%p{len(self.arguments)}"
        self.arguments.append(f"{name}: {self.type(shape, dtype)}" + (" {trace.requires_grad}" if grad else ""))
        return name, shape

    def type(self, shape, dtype=None):
        return f"tensor<{''.join(f'{n}x' for n in shape)}{dtype or self.dtype}>"

    def emit(self, text, shape):
        name = f"%{self.count}"
        self.count += 1
        self.lines.append(f"  {name} = trace.{text}")
        return name, shape

    def unary(self, op, x):
        return self.emit(f"{op} {x[0]} : {self.type(x[1])}", x[1])

    def binary(self, op, x, y):
        assert x[1] == y[1], (op, x, y)
        return self.emit(f"{op} {x[0]}, {y[0]} : {self.type(x[1])}", x[1])

    def splat(self, value, shape):
        return self.emit(f"constant dense<{float(value):.8e}> : {self.type(shape)}", shape)

    def broadcast(self, x, dims, shape):
        return self.emit(f"broadcast_in_dim {x[0]} {list(dims)} : {self.type(x[1])} to {self.type(shape)}", shape)

    def reshape(self, x, shape):
        return self.emit(f"reshape {x[0]} : {self.type(x[1])} to {self.type(shape)}", shape)

    def transpose(self, x, perm):
        return self.emit(f"transpose {x[0]} {list(perm)} : {self.type(x[1])}", [x[1][i] for i in perm])

    def matmul(self, x, y):
        return self.emit(f"matmul {x[0]}, {y[0]} : {self.type(x[1])}, {self.type(y[1])}", x[1][:-1] + [y[1][-1]])

    def reduce(self, op, x):
        return self.emit(f"reduce_{op} {x[0]} [{len(x[1]) - 1}] : {self.type(x[1])}", x[1][:-1])

    def rows(self, stat, shape):
        return self.broadcast(stat, range(len(shape) - 1), shape)

    def slice(self, x, low, high):
        starts, limits = [0] * len(x[1]), list(x[1])
        starts[-1], limits[-1] = low, high
        return self.emit(f"slice {x[0]} {starts} to {limits} by {[1] * len(limits)} : {self.type(x[1])}",
                         x[1][:-1] + [high - low])

    def cat(self, x, y):
        return self.emit(f"cat {x[0]}, {y[0]} dim {len(x[1]) - 1} : {self.type(x[1])}, {self.type(y[1])}",
                         x[1][:-1] + [x[1][-1] + y[1][-1]])

    def linear(self, x, inputs, outputs):
        weight = self.argument([outputs, inputs])
        return self.matmul(x, self.transpose(weight, [1, 0]))

    def rms_norm(self, x):
        square = self.reduce("sum", self.binary("mul", x, x))
        mean = self.binary("mul", square, self.splat(1 / x[1][-1], square[1]))
        rstd = self.unary("rsqrt", self.binary("add", mean, self.splat(1e-6, mean[1])))
        scaled = self.binary("mul", x, self.rows(rstd, x[1]))
        return self.binary("mul", scaled, self.broadcast(self.argument([x[1][-1]]), [len(x[1]) - 1], x[1]))

    def softmax(self, x):
        shifted = self.binary("sub", x, self.rows(self.reduce("max", x), x[1]))
        e = self.unary("exp", shifted)
        return self.binary("div", e, self.rows(self.reduce("sum", e), x[1]))

    def rotary(self, x, cos, sin):
        half = x[1][-1] // 2
        turned = self.cat(self.unary("neg", self.slice(x, half, 2 * half)), self.slice(x, 0, half))
        dims = range(len(x[1]) - 2, len(x[1]))
        return self.binary("add", self.binary("mul", x, self.broadcast(cos, dims, x[1])),
                           self.binary("mul", turned, self.broadcast(sin, dims, x[1])))

    def layer(self, x, tokens, channels, heads, cos, sin):
        size = channels // heads
        y = self.rms_norm(x)

        def split(t):
            return self.transpose(self.reshape(t, [tokens, heads, size]), [1, 0, 2])

        q, k, v = (split(self.linear(y, channels, channels)) for _ in range(3))
        q, k = self.rotary(q, cos, sin), self.rotary(k, cos, sin)
        scores = self.matmul(q, self.transpose(k, [0, 2, 1]))
        p = self.softmax(self.binary("mul", scores, self.splat(size**-0.5, scores[1])))
        a = self.reshape(self.transpose(self.matmul(p, v), [1, 0, 2]), [tokens, channels])
        x = self.binary("add", x, self.linear(a, channels, channels))
        y = self.rms_norm(x)
        gate, up = self.linear(y, channels, 2 * channels), self.linear(y, channels, 2 * channels)
        h = self.binary("mul", self.binary("mul", gate, self.unary("sigmoid", gate)), up)
        return self.binary("add", x, self.linear(h, 2 * channels, channels))


def main():
    layers, tokens, channels, heads = ([int(a) for a in sys.argv[1:5]] + [16, 32, 4])[:4] if len(sys.argv) > 4 else (
        int(sys.argv[1]), 16, 32, 4)
    p = Program(sys.argv[5] if len(sys.argv) > 5 else "f32")
    x = p.argument([tokens, channels])
    cos, sin = (p.argument([tokens, channels // heads], grad=False) for _ in range(2))
    for _ in range(layers):
        x = p.layer(x, tokens, channels, heads, cos, sin)
    x = p.rms_norm(x)
    print(f"func.func @f({', '.join(p.arguments)}) -> {p.type(x[1])} {{")
    print("\n".join(p.lines))
    print(f"  trace.return outputs({x[0]} : {p.type(x[1])})\n}}")


main()
