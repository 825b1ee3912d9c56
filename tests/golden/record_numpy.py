# SPDX-License-Identifier: Apache-2.0
"""record_numpy.py FOLDER -- evaluates the rows of tests/golden/numpy_cases.txt with jax 0.10.2 and writes
FOLDER/*_golden.inc (tests/numpy): the expected result of each C++ expression.

Rows are C++. The Python expression is derived from it, or follows after ";;"."""
import pathlib
import re
import sys

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
NAN, INF = float("nan"), float("inf")
INPUTS = {
    "f23": np.array([[1.5, -2.25, 3.0], [0.5, -1.0, 4.75]], np.float32),
    "t23": np.array([[1.0, 0.5, -2.0], [0.25, 3.0, -1.0]], np.float32),
    "p23": np.array([[0.25, 0.5, 0.75], [0.9, 0.1, 0.6]], np.float32),
    "f5": np.array([3.0, -1.0, 2.5, 0.0, -4.5], np.float32),
    "g5": np.array([0.5, 2.0, -1.5, 4.0, 1.0], np.float32),
    "w5": np.array([1.0, 2.0, 0.5, 1.5, 3.0], np.float32),
    "special": np.array([1.0, -0.0, NAN, INF, -INF, 0.0], np.float32),
    "n23": np.array([[1.0, NAN, 3.0], [NAN, NAN, 2.0]], np.float32),
    "n4": np.array([2.0, NAN, -1.0, 5.0], np.float32),
    "all_nan": np.array([NAN, NAN], np.float32),
    "i23": np.array([[3, -1, 2], [0, 5, -4]], np.int32),
    "j23": np.array([[2, 3, -2], [4, -3, 3]], np.int32),
    "k6": np.array([3, 1, 3, 2, 1, 3], np.int32),
    "ids": np.array([2, 0, -1], np.int32),
    "u4": np.array([0, 7, 200, 255], np.uint8),
    "v4": np.array([1, 3, 50, 2], np.uint8),
    "small": np.array([-128, -1, 0, 127], np.int8),
    "b4": np.array([True, False, True, True]),
    "b23": np.array([[True, False, True], [False, False, True]]),
    "c3": np.array([1 + 2j, -0.5j, 3], np.complex64),
    "d3": np.array([2 - 1j, 1 + 1j, -1 + 0.5j], np.complex64),
    "h3": np.array([1.5, -2.0, 0.375], ml_dtypes.bfloat16),
    "s16": np.array([1.5, -2.0, 0.375], np.float16),
    "empty": np.zeros((0,), np.float32),
    "none23": np.zeros((2, 0, 3), np.float32),
    "scalar": np.array(2.5, np.float32),
    "m33": np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]], np.float32),
    "cube": np.arange(24, dtype=np.float32).reshape(2, 3, 4),
    "icube": np.arange(24, dtype=np.int32).reshape(2, 3, 4),
}
MISTAKES: list[str] = []
NAMES = {"bool": "pred", "int8": "s8", "int16": "s16", "int32": "s32", "int64": "s64", "uint8": "u8", "uint16": "u16",
         "uint32": "u32", "uint64": "u64", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
         "complex64": "c64", "complex128": "c128", "int4": "s4", "uint4": "u4", "float8_e4m3fn": "f8e4m3fn"}


def python_of(cpp: str) -> str:
    """The same call in Python: keywords for designated initialisers, tuples for lists."""
    text = cpp.replace("numpy::", "jnp.").replace("std::nullopt", "None").replace("delete_(", "delete(")
    text = re.sub(r"\btrue\b", "True", text)
    text = re.sub(r"\bfalse\b", "False", text)
    text = re.sub(r"(\d)f\b", r"\1", text)
    text = text.replace(".first", "[0]").replace(".second", "[1]").replace("&&", " and ").replace("default_", "default")
    previous = None
    while previous != text:
        previous = text
        text = re.sub(r"\{([^{}.][^{}]*|\.\d[^{}]*)\}", r"(\1,)", text)
        text = re.sub(r"\{\}", "()", text)
        text = re.sub(r"\{((?:\.[a-zA-Z_]\w* = [^{}]*?)(?:, \.[a-zA-Z_]\w* = [^{}]*?)*)\}",
                      lambda m: re.sub(r"(^|, )\.([a-zA-Z_]\w*) = ", r"\1\2=", m[1]), text)
    return text


def number(value) -> str:
    value = float(value)
    if np.isnan(value):
        return "kNan"
    if np.isinf(value):
        return "kInf" if value > 0 else "-kInf"
    return repr(int(value)) + ("." if value == 0 and np.signbit(value)
                               else "") if value == int(value) and abs(value) < 1e9 else repr(value)


def values(array: np.ndarray) -> str:
    flat = array.reshape(-1)
    if flat.dtype.kind == "c":
        flat = np.stack([flat.real, flat.imag], -1).reshape(-1)
    return ", ".join("-0.0" if float(v) == 0 and flat.dtype.kind not in "iub" and np.signbit(float(v)) else number(v)
                     for v in flat)


def type_text(array: np.ndarray) -> str:
    return f"{NAMES[array.dtype.name]}[{','.join(map(str, array.shape))}]"


def row(cpp: str, python: str, scope: dict) -> str:
    try:
        result = np.asarray(eval(python, scope))
    except Exception as error:
        if cpp.startswith("!"):
            return f"REFUSES({cpp[1:].strip()})"
        MISTAKES.append(f"{cpp}\n  {python}\n  {type(error).__name__}: {error}")
        return ""
    if cpp.startswith("!"):
        MISTAKES.append(f"{cpp}: JAX takes it")
        return ""
    return f'GOLDEN("{type_text(result)}", VALUES({values(result)}), {cpp})'


def main() -> None:
    out = pathlib.Path(sys.argv[1])
    head = "// SPDX-License-Identifier: Apache-2.0\n// {} -- written by tests/golden/record_numpy.py with jax 0.10.2.\n// clang-format off\n"
    lines = [f'[[maybe_unused]] const Array {name} = golden_input("{type_text(a)}", VALUES({values(a)}));'
             for name, a in INPUTS.items()]
    (out / "golden_inputs.inc").write_text(head.format("golden_inputs.inc") + "\n".join(lines) + "\n")
    scope = {name: jnp.asarray(a) for name, a in INPUTS.items()}
    scope |= {"jnp": jnp, "jax": jax, "np": np, "lax": jax.lax, "NAN": NAN, "INF": INF, "int32": jnp.int32,
              "float32": jnp.float32, "uint8": jnp.uint8, "bool_": jnp.bool_, "complex64": jnp.complex64, "int8": jnp.int8}
    families: dict[str, list[str]] = {}
    family = None
    for line in (HERE / "numpy_cases.txt").read_text().splitlines():
        if line.startswith("[") and line.endswith("]"):
            family = families.setdefault(line[1:-1], [])
        elif line.strip() and not line.startswith("#"):
            cpp, _, python = (part.strip() for part in line.partition(";;"))
            family.append(row(cpp, python or python_of(cpp.lstrip("! ")), scope))
    if MISTAKES:
        raise SystemExit("\n".join(MISTAKES))
    for name, rows in families.items():
        path = out / f"{name}_golden.inc"
        path.write_text(head.format(path.name) + "\n".join(rows) + "\n")
        print(name, len(rows))


if __name__ == "__main__":
    main()
