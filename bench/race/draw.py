# SPDX-License-Identifier: Apache-2.0
"""Random realistic programs, as plain data: {"class", "seed", "inputs": [[type, shape, kind]], "ops": [[name,
operands, parameters]], "outputs"}. Values are numbered: first the inputs, then what each op gives. A seed draws the
same program on every machine."""

import math
import random

import jax
import jax.numpy as jnp
import models
import ops

FLOATS, INTEGERS = ("f32", "f64", "bf16", "f16"), ("s8", "u8", "s32")
TYPES = {"f32": 12, "f64": 3, "bf16": 3, "f16": 1, "s8": 2, "u8": 2, "s32": 3, "c64": 2}  # how often
ODD = (3, 5, 7, 11, 13, 17, 31, 33, 61, 63, 65, 97, 100, 127, 129, 200, 255, 257, 333, 500, 511, 513, 777, 997, 1000,
       1023, 1025, 2047, 4093)
EVEN = (4, 8, 16, 32, 64, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096)


class Draw:
    """A program as it grows."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.inputs, self.ops, self.values = [], [], []

    def input(self, type_name: str, shape, kind: str = "any") -> int:
        """Precondition: no op was drawn yet that would need renumbering; see `finished`."""
        self.inputs.append([type_name, list(shape), kind])
        self.values.append((("input", len(self.inputs) - 1), jax.ShapeDtypeStruct(tuple(shape), ops.DTYPES[type_name])))
        return len(self.values) - 1

    def op(self, name: str, *operands: int, **parameters) -> int:
        result = jax.eval_shape(lambda *a: ops.OPS[name](*a, **parameters), *(self.values[k][1] for k in operands))
        self.ops.append([name, list(operands), parameters])
        self.values.append((("op", len(self.ops) - 1), result))
        return len(self.values) - 1

    def shape(self, value: int) -> tuple[int, ...]:
        return self.values[value][1].shape

    def type(self, value: int) -> str:
        return ops.type_name(self.values[value][1].dtype)

    def extent(self, most: int, least: int = 1) -> int:
        wanted = 2 ** self.random.uniform(math.log2(least), math.log2(max(least, most)))
        near = [n for n in ODD + EVEN if least <= n <= most and wanted / 1.5 <= n <= wanted * 1.5]
        return self.random.choice(near) if near else max(least, round(wanted))

    def array_shape(self, least: int = 2**14, most: int = 2**21, rank: int | None = None) -> list[int]:
        """Vectors, thin, tall, square, batched; some 2^14 to 2^21 elements."""
        rank = rank or self.random.choice((1, 2, 2, 2, 2, 3, 3, 4))
        count = 2 ** self.random.uniform(math.log2(least), math.log2(most))
        weights = [self.random.uniform(0.05, 1) for _ in range(rank)]
        return [self.extent(max(2, round(2 * part)), max(1, round(part / 2)))
                for part in (count ** (w / sum(weights)) for w in weights)]

    def finished(self, kind: str, seed: int, outputs: list[int]) -> dict:
        order = [k for k, (origin, _) in enumerate(self.values) if origin[0] == "input"]
        order += [k for k, (origin, _) in enumerate(self.values) if origin[0] == "op"]
        number = {value: k for k, value in enumerate(order)}
        return {"class": kind, "seed": seed, "inputs": self.inputs, "outputs": [number[k] for k in outputs],
                "ops": [[name, [number[k] for k in operands], parameters] for name, operands, parameters in self.ops]}

    def type_of(self, allowed) -> str:
        return self.random.choices(allowed, [TYPES[t] for t in allowed])[0]


def pointwise(d: Draw, x: int, most: int) -> int:
    """Up to `most` elementwise ops on x."""
    for _ in range(d.random.randint(0, most)):
        kind = "complex" if d.type(x) == "c64" else "float" if d.type(x) in FLOATS else "integer"
        if d.type(x) not in TYPES:
            return x
        if d.random.random() < 0.55 or not d.shape(x):
            x = d.op("unary", x, function=d.random.choice(ops.UNARY[kind]))
            continue
        shape = d.shape(x)
        other = d.random.choice((shape, shape, shape[-1:], (*shape[:-1], 1), ()))
        x = d.op("binary", x, d.input(d.type(x), other), function=d.random.choice(ops.BINARY[kind]))
    return x


def elementwise(d: Draw) -> list[int]:
    x = d.input(d.type_of(tuple(TYPES)), d.array_shape())
    x = pointwise(d, d.op("unary", x, function="twice"), 6)
    if d.random.random() < 0.25 and d.type(x) in FLOATS + INTEGERS:
        x = pointwise(d, d.op("convert", x, to=d.type_of(FLOATS + INTEGERS)), 3)
    return [x]


def reduction(d: Draw) -> list[int]:
    x = pointwise(d, d.input(d.type_of(tuple(TYPES)), d.array_shape(2**13, 2**22)), 2)
    kind = "float" if d.type(x) in FLOATS else "integer" if d.type(x) in INTEGERS else "complex"
    axis = d.random.choice((None, *range(len(d.shape(x)))))
    x = d.op("reduce", x, function=d.random.choice(ops.REDUCE[kind]), axis=axis)
    return [pointwise(d, x, 2)]


def layout(d: Draw) -> list[int]:
    x = pointwise(d, d.input(d.type_of(tuple(TYPES)), d.array_shape()), 1)
    for _ in range(d.random.randint(1, 3)):
        x = layout_op(d, x)
        x = pointwise(d, x, 1)
    return [x]


def layout_op(d: Draw, x: int) -> int:
    shape = d.shape(x)
    axis = d.random.randrange(len(shape))
    name = d.random.choice(("transpose", "flip", "roll", "strided", "pad", "concatenate", "repeat", "merge"))
    if name == "transpose":
        order = list(range(len(shape)))
        d.random.shuffle(order)
        return d.op("transpose", x, order=order)
    if name == "merge":
        return d.op("merge", x, axis=max(0, axis - 1)) if len(shape) > 1 else x
    if name == "concatenate":
        return d.op("concatenate", x, d.input(d.type(x), shape), axis=axis)
    if name in ("repeat", "pad") and math.prod(shape) > 2**20:
        return x
    return d.op(name, x, axis=axis, amount=d.random.randint(1, 3))


def product(d: Draw) -> list[int]:
    kind = d.type_of(("f32", "f64", "bf16", "f16", "s8", "u8", "c64"))
    batch = [d.extent(64)] if d.random.random() < 0.35 else []
    while True:
        m, n, k = d.extent(2048), d.extent(2048), d.extent(2048)
        if 2**18 <= math.prod([m, n, k, *batch]) <= (2**27 if kind in ("f32", "bf16", "f64") else 2**24):
            break
    left, right = d.random.random() < 0.3, d.random.random() < 0.4  # transposed
    a = d.input(kind, batch + ([k, m] if left else [m, k]))
    b = d.input(kind, batch + ([n, k] if right else [k, n]))
    if d.random.random() < 0.3:
        a = pointwise(d, a, 1)
    wide = {"s8": "s32", "u8": "s32", "bf16": d.random.choice(("bf16", "f32"))}.get(kind, kind)
    x = d.op("product", a, b, left=left, right=right, wide=wide)
    return [pointwise(d, x, 3)]


def convolution(d: Draw) -> list[int]:
    kind = d.type_of(("f32", "f32", "bf16", "f16"))
    spatial = d.random.choice((1, 2, 2, 2))
    channels, features = d.extent(128), d.extent(128)
    groups = d.random.choice((1, 1, 1, channels))
    features = channels if groups == channels else features
    size, window = d.extent(2048 if spatial == 1 else 96, 8), d.random.choice((1, 3, 3, 3, 5, 7))
    batch = max(1, min(32, 2**19 // (size**spatial * channels)))
    last = d.random.random() < 0.6
    x = d.input(kind, [batch, *([size] * spatial), channels] if last else [batch, channels, *([size] * spatial)])
    w = d.input(kind, [*([window] * spatial), channels // groups, features] if last else
                [features, channels // groups, *([window] * spatial)])
    parameters = {"stride": d.random.choice((1, 1, 2)), "groups": groups, "last": last, "gradient": d.random.choice((None, None, 0, 1))}
    return [pointwise(d, d.op("convolution", x, w, **parameters), 2)]


def gather(d: Draw) -> list[int]:
    kind = d.type_of(("f32", "f64", "bf16", "s32", "u8"))
    rows, width, count = d.extent(100000, 10), d.extent(256), d.extent(50000, 200)
    width = max(1, min(width, 2**22 // max(rows, count)))
    table = d.input(kind, [rows, width])
    name = d.random.choice(("take", "take_along", "windows", "scatter_add", "scatter_max", "segment_sum", "embedding_gradient"))
    if name == "take_along":
        return [pointwise(d, d.op(name, table, d.input("s32", [rows, max(1, width // 2)], f"below {width}")), 2)]
    if name == "windows":
        window = min(rows, d.random.choice((4, 9, 16)))
        return [pointwise(d, d.op(name, table, d.input("s32", [count], f"below {rows - window + 1}"), window=window), 2)]
    index = d.input("s32", [count], f"below {rows}")
    if name in ("take", "embedding_gradient"):
        return [pointwise(d, d.op(name, table, index), 2)]
    update = d.input(kind, [count, width])
    return [pointwise(d, d.op(name, table, index, update), 2)]


def scan(d: Draw) -> list[int]:
    kind = d.type_of(("f32", "f32", "f64"))
    name = d.random.choice(("recurrence", "cell", "ode", "while", "cumulative"))
    length = d.extent(1000, 10)
    if name == "cumulative":
        x = d.input(kind, d.array_shape(2**12, 2**20, 2))
        return [pointwise(d, d.op(name, x, function=d.random.choice(("cumsum", "cumprod", "cummax")), axis=d.random.randint(0, 1)), 1)]
    width = d.extent(256)
    if name == "cell":
        x, w = d.input(kind, [min(length, 200), d.extent(32), width]), d.input(kind, [width, width], "small")
        return [d.op(name, x, w)]
    if name == "recurrence":
        return [d.op(name, d.input(kind, [length, width]), d.input(kind, [length, width]))]
    return [d.op(name, d.input(kind, [3, d.extent(4000, 10)]), steps=length)]


def sort(d: Draw) -> list[int]:
    x = d.input(d.type_of(("f32", "f64", "bf16", "s32", "u8", "s8")), d.array_shape(2**12, 2**18))
    name = d.random.choice(("sort", "sort", "argsort", "top_k", "median", "searchsorted"))
    axis = d.random.randrange(len(d.shape(x)))
    if name == "searchsorted":
        return [d.op(name, d.input("f32", [d.extent(10000, 10)]), d.input("f32", d.array_shape(2**12, 2**18)))]
    if name == "top_k":
        return [d.op(name, x, k=min(d.shape(x)[-1], d.random.choice((1, 5, 10, 64))))]
    return [d.op(name, x, axis=axis)]


def fourier(d: Draw) -> list[int]:
    name = d.random.choice(("fft", "ifft", "rfft", "irfft", "fft2", "rfft2", "convolve"))
    length, other = d.random.choice((d.extent(64, 4), d.extent(4096, 4), d.extent(1024, 16))), d.extent(2048, 32)
    if name in ("fft2", "rfft2"):
        length, other = d.extent(512, 16), d.extent(512, 16)
    x = d.input("f32" if name in ("rfft", "rfft2", "convolve") else "c64", [other, length])
    x = d.op("fft", pointwise(d, x, 1), function=name)
    return [pointwise(d, x, 2)]


def linalg(d: Draw) -> list[int]:
    kind = d.random.choice(("f32", "f32", "f64"))
    name = d.random.choice(("cholesky", "solve", "qr", "svd", "eigh", "inv", "det", "triangular_solve", "lstsq"))
    small = d.random.random() < 0.5
    n = d.extent(24, 3) if small else d.extent(300, 40)
    batch = [d.extent(2000, 50)] if small else []
    if name in ("solve", "triangular_solve"):
        return [d.op(name, d.input(kind, [*batch, n, n], "positive"), d.input(kind, [*batch, n, d.extent(32)]))]
    rows = n + d.extent(n) if name in ("qr", "svd", "lstsq") else n
    return [d.op(name, d.input(kind, [*batch, rows, n], "positive" if rows == n else "any"))]


def model(d: Draw) -> list[int]:
    name = d.random.choice(sorted(models.MODELS))
    function, inputs = models.MODELS[name](d)
    return [d.op(name, *(d.input(*i) for i in inputs), **function)]


def mixed(d: Draw) -> list[int]:
    """What no row of a table looks like: several of these in a line."""
    x = d.input(d.type_of(("f32", "f32", "f64", "bf16", "s32", "c64")), d.array_shape(2**14, 2**19, 2))
    kept = []
    for _ in range(d.random.randint(2, 6)):
        x = pointwise(d, x, 3)
        if len(d.shape(x)) < 2 or math.prod(d.shape(x)) > 2**21 or d.type(x) not in TYPES:
            break
        step = d.random.choice(("layout", "reduce_keep", "product", "gather", "sort", "cumulative"))
        if step == "layout":
            x = layout_op(d, x)
        elif step == "reduce_keep":
            kept.append(x)
            x = d.op("reduce_keep", x, axis=d.random.randrange(len(d.shape(x))))
        elif step == "product" and d.type(x) in (*FLOATS, "c64"):
            width = d.shape(x)[-1]
            x = d.op("product", x, d.input(d.type(x), [width, d.extent(128)], "small"), left=False, right=False, wide=d.type(x))
        elif step == "gather":
            x = d.op("take", x, d.input("s32", [d.extent(500)], f"below {d.shape(x)[0]}"))
        elif d.type(x) != "c64" and step in ("sort", "cumulative"):
            axis = d.random.randrange(len(d.shape(x)))
            x = d.op("sort", x, axis=axis) if step == "sort" else d.op(step, x, function="cumsum", axis=axis)
    return [x, *kept[:1]]


CLASSES = {"elementwise": (elementwise, 4), "reduction": (reduction, 4), "layout": (layout, 3), "product": (product, 4),
           "convolution": (convolution, 2), "gather": (gather, 3), "scan": (scan, 3), "sort": (sort, 2), "fourier": (fourier, 2),
           "linalg": (linalg, 2), "model": (model, 5), "mixed": (mixed, 5)}


def draw(seed: int, classes=()) -> dict:
    """The program of this seed, of one of these classes if any are named. jax_enable_x64 must be on: `ops.wide` says
    when a program is built with it."""
    for attempt in range(1000):
        d = Draw(seed * 1000 + attempt)
        names = sorted(classes or CLASSES)
        name = d.random.choices(names, [CLASSES[n][1] for n in names])[0]
        outputs = CLASSES[name][0](d)
        sizes = [math.prod(leaf.shape) for _, value in d.values for leaf in jax.tree.leaves(value)]
        if d.ops and max(sizes) <= 2**23 and min(sizes) > 0:
            return d.finished(name, seed, outputs)
    raise ValueError(f"seed {seed}: no program of {classes} in 1000 draws")
