# SPDX-License-Identifier: Apache-2.0
"""modules.py -- HLO modules and arguments for tests of objects: operations of all types, sums, loops, random programs."""

import dataclasses
import pathlib
import random
import struct

LENGTH = 203  # whole vectors, and a tail
BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "f8e5m2": 8, "f8e4m3fn": 8, "f8e4m3b11fnuz": 8, "f8e5m2fnuz": 8,
        "f4e2m1fn": 8, "s4": 8, "u4": 8, "s8": 8, "u8": 8, "s16": 16, "u16": 16, "s32": 32, "u32": 32, "s64": 64,
        "u64": 64, "pred": 8}
FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("s4", "u4", "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64")
EVERY = tuple(BITS)
# 0, denormals, the largest, infinity, NaN and neighbours, in both signs.
SPECIAL = {"f16": (0, 1, 0x3ff, 0x400, 0x3c00, 0x7bff, 0x7c00, 0x7e00),
           "bf16": (0, 1, 0x7f, 0x80, 0x3f80, 0x7f7f, 0x7f80, 0x7fc0),
           "f32": (0, 1, 0x7fffff, 0x800000, 0x3f800000, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x4b000000, 0x4f000000,
                   0x5f000000),
           # Halfway between two f32, and a little more: rounded once they go up, through f64 down.
           "s64": (2**60 + 2**36 + 1, 2**62 + 2**38 + 3), "u64": (2**60 + 2**36 + 1, 2**62 + 2**38 + 3),
           "f64": (0, 1, (1 << 52) - 1, 1 << 52, 0x3ff << 52, (0x7ff << 52) - 1, 0x7ff << 52, 0x7ff8 << 48, 0x433 << 52,
                   0x41e << 52, 0x43e << 52)}


@dataclasses.dataclass
class Program:
    name: str
    text: str
    arguments: list  # (bits, values)
    elementwise: bool = False  # results don't depend on the width of vectors

    def write(self, folder: pathlib.Path) -> list:
        """Writes the module and its arguments. Returns the options that name them."""
        (folder / f"{self.name}.hlo").write_text(self.text)
        options = [f"{self.name}.hlo"]
        for k, (bits, values) in enumerate(self.arguments):
            file = f"{self.name}.{k}.npy"
            (folder / file).write_bytes(npy(bits, values))
            options += ["--input", file]
        return options


def npy(bits: int, values: list) -> bytes:
    header = f"{{'descr': '<u{bits // 8}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    code = {8: "B", 16: "H", 32: "I", 64: "Q"}[bits]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values)


def ordinary(rng: random.Random, kind: str) -> int:
    """The bits of a number near 1, or of a small integer."""
    x = rng.choice((1, -1)) * 2.0 ** rng.uniform(-6, 6)
    if kind == "f64":
        return struct.unpack("<Q", struct.pack("<d", x))[0]
    if kind == "f32":
        return struct.unpack("<I", struct.pack("<f", x))[0]
    if kind == "bf16":
        return struct.unpack("<I", struct.pack("<f", x))[0] >> 16
    if kind == "f16":
        return struct.unpack("<H", struct.pack("<e", x))[0]
    return rng.randrange(12) if kind != "pred" else rng.randrange(2)


def bits_of(rng: random.Random, kind: str, count: int, wild: bool) -> tuple:
    """Ordinary numbers; `wild`: also any bits, and special numbers."""
    width = BITS[kind]
    values = []
    for k in range(count):
        choice = rng.randrange(3) if wild else 0
        if choice == 1:
            values.append(rng.getrandbits(width))
        elif choice == 2 and kind in SPECIAL:
            values.append(rng.choice(SPECIAL[kind]) | rng.choice((0, 1 << (width - 1))))
        else:
            values.append(ordinary(rng, kind))
    return width, values


class Writer:
    """Writes a module whose parameters are bits."""

    def __init__(self, name: str, seed: int):
        self.name, self.rng = name, random.Random(f"{name} {seed}")
        self.lines, self.computations, self.arguments, self.results = [], [], [], []

    def add(self, shape: str, op: str, operands=(), **attributes) -> str:
        name = f"v{len(self.lines)}"
        rest = "".join(f", {key}={value}" for key, value in attributes.items())
        self.lines.append((name, shape, f"{op}({', '.join(operands)}){rest}"))
        return name

    def argument(self, kind: str, dimensions=(LENGTH,), wild=False) -> str:
        count = 1
        for extent in dimensions:
            count *= extent
        bits, values = bits_of(self.rng, kind, count, wild)
        number = self.add(f"u{bits}[{count}]", "parameter", [str(len(self.arguments))])
        self.arguments.append((bits, values))
        if kind == "pred":
            zero = self.add(f"u8[{count}]", "broadcast", [self.add("u8[]", "constant", ["0"])], dimensions="{}")
            number = self.add(f"pred[{count}]", "compare", [number, zero], direction="NE")
        elif kind in ("s4", "u4", "f4e2m1fn"):
            number = self.add(f"{'u4' if kind[0] == 'f' else kind}[{count}]", "convert", [number])
            if kind[0] == "f":
                number = self.add(f"{kind}[{count}]", "bitcast-convert", [number])
        elif kind != f"u{bits}":
            number = self.add(f"{kind}[{count}]", "bitcast-convert", [number])
        return number if len(dimensions) == 1 else self.add(shape_of(kind, dimensions), "reshape", [number])

    def result(self, shape: str, op: str, operands=(), **attributes) -> str:
        name = self.add(shape, op, operands, **attributes)
        self.results.append((name, shape))
        return name

    def program(self, **properties) -> Program:
        body = "".join(f"  {name} = {shape} {rest}\n" for name, shape, rest in self.lines)
        shapes, names = ", ".join(shape for _, shape in self.results), ", ".join(name for name, _ in self.results)
        text = f"HloModule {self.name}\n\n{''.join(self.computations)}ENTRY main {{\n{body}  ROOT all = ({shapes}) tuple({names})\n}}\n"
        return Program(self.name, text, self.arguments, **properties)


def shape_of(kind: str, dimensions) -> str:
    return f"{kind}[{','.join(map(str, dimensions))}]"


def reducer(kind: str, op: str) -> str:
    return f"{op}_{kind} {{\n  a = {kind}[] parameter(0)\n  b = {kind}[] parameter(1)\n  ROOT c = {kind}[] {op}(a, b)\n}}\n\n"


UNARY = {True: ("abs", "negate", "sign", "ceil", "floor", "round-nearest-afz", "round-nearest-even", "sqrt", "rsqrt", "cbrt",
                "exponential", "exponential-minus-one", "log", "log-plus-one", "logistic", "tanh", "sine", "cosine", "tan", "erf"),
         False: ("abs", "negate", "sign", "not", "popcnt", "count-leading-zeros")}
BINARY = {True: ("add", "subtract", "multiply", "divide", "remainder", "power", "maximum", "minimum", "atan2"),
          False: ("add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "and", "or", "xor", "shift-left",
                  "shift-right-arithmetic", "shift-right-logical")}


# Functions of f64 that the C library computes: that of another processor may round otherwise.
LIBM = ("cbrt", "sine", "cosine", "tan", "erf", "power", "atan2")


def operations(kind: str) -> Program:
    """All elementwise operations of a type."""
    w = Writer(f"ops_{kind}", 1)
    is_float = kind in FLOATS
    x, y, z = (w.argument(kind, wild=True) for _ in range(3))
    shape = f"{kind}[{LENGTH}]"
    unary = [op for op in UNARY[is_float] if not (op in ("abs", "sign", "negate") and kind[0] == "u")]
    for op, operands in [(op, [x]) for op in unary] + [(op, [x, y]) for op in BINARY[is_float]]:
        if kind == "f64" and op in LIBM:
            w.result(shape, "reduce-precision", [w.add(shape, op, operands)], exponent_bits="11", mantissa_bits="30")
        else:
            w.result(shape, op, operands)
    for direction in ("EQ", "NE", "LT", "LE", "GT", "GE"):
        chosen = w.result(f"pred[{LENGTH}]", "compare", [x, y], direction=direction)
    w.result(shape, "select", [chosen, x, z])
    w.result(shape, "clamp", [x, y, z])
    if is_float:
        w.result(f"pred[{LENGTH}]", "is-finite", [x])
        w.result(f"pred[{LENGTH}]", "compare", [x, y], direction="LT", type="TOTALORDER")
        w.result(shape, "reduce-precision", [x], exponent_bits="5", mantissa_bits="6")
    return w.program(elementwise=True)


def conversions(kind: str) -> Program:
    """From a type to all types."""
    w = Writer(f"from_{kind}", 2)
    x = w.argument(kind, wild=True)
    for to in EVERY:
        if to != kind:
            w.result(f"{to}[{LENGTH}]", "convert", [x])
    return w.program(elementwise=True)


def complexes(kind: str) -> Program:
    part = {"c64": "f32", "c128": "f64"}[kind]
    w = Writer(f"ops_{kind}", 3)
    a, b, c, d = (w.argument(part) for _ in range(4))
    shape = f"{kind}[{LENGTH}]"
    x, y = w.add(shape, "complex", [a, b]), w.add(shape, "complex", [c, d])
    for op in ("add", "subtract", "multiply", "divide"):
        w.result(shape, op, [x, y])
    w.result(shape, "negate", [x])
    product = w.add(shape, "multiply", [x, y])
    w.result(f"{part}[{LENGTH}]", "real", [product])
    w.result(f"{part}[{LENGTH}]", "imag", [product])
    w.result(f"pred[{LENGTH}]", "compare", [x, y], direction="EQ")
    return w.program(elementwise=True)


def reductions(kind: str) -> Program:
    """Along rows, columns and all."""
    w = Writer(f"reduce_{kind}", 4)
    ops = ("add", "multiply", "maximum", "minimum") if kind in FLOATS else ("add", "maximum", "minimum", "and", "or", "xor")
    neutral = {"add": "0", "multiply": "1", "maximum": "0", "minimum": "1", "and": "1", "or": "0", "xor": "0"}
    x, wide = w.argument(kind, (9, 37)), w.argument(kind, (1531,))
    for op in ops:
        w.computations.append(reducer(kind, op))
        init = w.add(f"{kind}[]", "constant", [neutral[op]])
        w.result(f"{kind}[9]", "reduce", [x, init], dimensions="{1}", to_apply=f"{op}_{kind}")
        w.result(f"{kind}[37]", "reduce", [x, init], dimensions="{0}", to_apply=f"{op}_{kind}")
        w.result(f"{kind}[]", "reduce", [x, init], dimensions="{0,1}", to_apply=f"{op}_{kind}")
        w.result(f"{kind}[]", "reduce", [wide, init], dimensions="{0}", to_apply=f"{op}_{kind}")
    return w.program()


def movements(kind: str) -> Program:
    """Slices, pads, reverses, transposes, concatenations, gathers by computed indices, iota."""
    w = Writer(f"move_{kind}", 5)
    x, y, at = w.argument(kind, (13, 21)), w.argument(kind, (13, 21)), w.argument("s32", (2,))
    i, j = (w.add("s32[]", "reshape", [w.add("s32[1]", "slice", [at], slice=f"{{[{k}:{k + 1}]}}")]) for k in (0, 1))
    zero = w.add(f"{kind}[]", "constant", ["0"])
    total = "add" if kind != "pred" else "xor"
    w.result(f"{kind}[21,13]", "transpose", [w.add(f"{kind}[13,21]", total, [x, y])], dimensions="{1,0}")
    w.result(f"{kind}[13,21]", total, [w.add(f"{kind}[13,21]", "reverse", [x], dimensions="{1}"), y])
    w.result(f"{kind}[5,7]", "slice", [x], slice="{[2:12:2],[1:21:3]}")
    w.result(f"{kind}[16,27]", "pad", [x, zero], padding="1_2x3_3")
    w.result(f"{kind}[13,42]", "concatenate", [x, w.add(f"{kind}[13,21]", total, [y, y])], dimensions="{1}")
    w.result(f"{kind}[4,6]", "dynamic-slice", [x, i, j], dynamic_slice_sizes="{4,6}")
    part = w.add(f"{kind}[4,6]", "slice", [y], slice="{[3:7],[2:8]}")
    w.result(f"{kind}[13,21]", "dynamic-update-slice", [x, part, j, i])
    w.result(f"{kind}[13,21]", total, [x, w.add(f"{kind}[13,21]", "broadcast", [
        w.add(f"{kind}[21]", "reshape", [w.add(f"{kind}[1,21]", "slice", [y], slice="{[4:5],[0:21]}")])], dimensions="{1}")])
    if kind != "pred":
        w.result(f"{kind}[13,21]", "add", [x, w.add(f"{kind}[13,21]", "iota", [], iota_dimension="1")])
    return w.program()


def products(kind: str) -> Program:
    """Products of small matrices, which are code of their own."""
    w = Writer(f"dot_{kind}", 6)
    a, b, v = w.argument(kind, (3, 5)), w.argument(kind, (5, 4)), w.argument(kind, (5,))
    contract = {"lhs_contracting_dims": "{1}", "rhs_contracting_dims": "{0}"}
    w.result(f"{kind}[3,4]", "dot", [a, b], **contract)
    w.result(f"{kind}[3]", "dot", [a, v], **contract)
    return w.program()


def loop(kind: str, turns: str) -> Program:
    """A loop that carries arrays and scalars; the number of its turns is known or not."""
    w = Writer(f"loop_{kind}_{turns}", 7)
    state = f"(s32[], s32[], {kind}[33], {kind}[])"
    fields = "".join(f"  {name} = {shape} get-tuple-element(t), index={k}\n" for k, (name, shape) in enumerate(
        (("i", "s32[]"), ("n", "s32[]"), ("x", f"{kind}[33]"), ("s", f"{kind}[]"))))
    w.computations.append(reducer(kind, "add"))
    w.computations.append(f"""body {{
  t = {state} parameter(0)
{fields}  one = s32[] constant(1)
  next = s32[] add(i, one)
  half = {kind}[] constant(1)
  wide = {kind}[33] broadcast(half), dimensions={{}}
  back = {kind}[33] reverse(x), dimensions={{0}}
  y = {kind}[33] subtract(wide, back)
  zero = {kind}[] constant(0)
  sum = {kind}[] reduce(y, zero), dimensions={{0}}, to_apply=add_{kind}
  total = {kind}[] add(s, sum)
  ROOT r = {state} tuple(next, n, y, total)
}}

condition {{
  t = {state} parameter(0)
{fields}  ROOT c = pred[] compare(i, n), direction=LT
}}

""")
    x, s = w.argument(kind, (33,)), w.add(f"{kind}[]", "constant", ["0"])
    n = w.add("s32[]", "constant", ["17"])
    if turns == "unknown":
        n = w.add("s32[]", "reshape", [w.argument("s32", (1,))])
    start = w.add(state, "tuple", [w.add("s32[]", "constant", ["0"]), n, x, s])
    end = w.add(state, "while", [start], condition="condition", body="body")
    w.result(f"{kind}[33]", "get-tuple-element", [end], index="2")
    w.result(f"{kind}[]", "get-tuple-element", [end], index="3")
    return w.program()


def scalar_loop(kind: str) -> Program:
    """A loop of scalars that ends when they are small: it stays in registers."""
    w = Writer(f"root_{kind}", 8)
    w.computations.append(f"""body {{
  x = {kind}[] parameter(0)
  h = {kind}[] constant(0.375)
  ROOT y = {kind}[] multiply(x, h)
}}

condition {{
  x = {kind}[] parameter(0)
  one = {kind}[] constant(0.01)
  a = {kind}[] abs(x)
  ROOT c = pred[] compare(a, one), direction=GT
}}

""")
    x = w.add(f"{kind}[]", "reshape", [w.argument(kind, (1,))])
    w.result(f"{kind}[]", "while", [x], condition="condition", body="body")
    return w.program(elementwise=True)


def branches(kind: str) -> Program:
    w = Writer(f"cond_{kind}", 9)
    for name, op in (("first", "add"), ("second", "multiply"), ("third", "maximum")):
        w.computations.append(f"{name} {{\n  a = {kind}[{LENGTH}] parameter(0)\n  r = {kind}[{LENGTH}] reverse(a), dimensions={{0}}\n"
                              f"  ROOT b = {kind}[{LENGTH}] {op}(a, r)\n}}\n\n")
    x, all_of_them = w.argument(kind), w.argument("s32", (3,))
    for k in range(3):
        index = w.add("s32[]", "reshape", [w.add("s32[1]", "slice", [all_of_them], slice=f"{{[{k}:{k + 1}]}}")])
        w.result(f"{kind}[{LENGTH}]", "conditional", [index, x, x, x], branch_computations="{first, second, third}")
    return w.program(elementwise=True)


def random_program(seed: int) -> Program:
    """A graph of operations on f32, f64, s32 and pred, with reductions and movements in between."""
    w = Writer(f"random_{seed}", seed)
    rng = w.rng
    shape = rng.choice(((7, 11), (3, 64), (40, 5), (2, 130)))
    kinds = ("f32", "f64", "s32")
    values = {kind: [w.argument(kind, shape) for _ in range(2)] for kind in kinds}
    for kind in kinds:
        w.computations.append(reducer(kind, "add"))
        w.computations.append(reducer(kind, "maximum"))
    masks = []
    for _ in range(rng.randrange(10, 28)):
        kind = rng.choice(kinds)
        own, x, y = shape_of(kind, shape), rng.choice(values[kind]), rng.choice(values[kind])
        choice = rng.randrange(7)
        if choice == 0 and kind != "s32":
            new = w.add(own, rng.choice(("exponential", "tanh", "log-plus-one", "sqrt", "logistic", "floor", "negate")), [x])
        elif choice <= 2:
            new = w.add(own, rng.choice(("add", "subtract", "multiply", "maximum", "minimum")), [x, y])
        elif choice == 3:
            other = rng.choice(kinds)
            new = w.add(own, "convert", [rng.choice(values[other])])
        elif choice == 4:
            new = w.add(own, rng.choice(("reverse",)), [x], dimensions=rng.choice(("{0}", "{1}", "{0,1}")))
        elif choice == 5:
            along = rng.randrange(2)
            init = w.add(f"{kind}[]", "constant", ["0"])
            row = w.add(f"{kind}[{shape[1 - along]}]", "reduce", [x, init], dimensions=f"{{{along}}}",
                        to_apply=f"{rng.choice(('add', 'maximum'))}_{kind}")
            new = w.add(own, "broadcast", [row], dimensions=f"{{{1 - along}}}")
        else:
            masks.append(w.add(shape_of("pred", shape), "compare", [x, y], direction=rng.choice(("LT", "EQ", "GE"))))
            new = w.add(own, "select", [rng.choice(masks), x, y])
        values[kind].append(new)
    for kind in kinds:
        w.results += [(name, shape_of(kind, shape)) for name in values[kind][-2:]]
    return w.program()

