# SPDX-License-Identifier: Apache-2.0
"""record_weak_table.py FOLDER -- asks jax 0.12.0.1 for the types of results of the calls in weak_calls.txt and writes
FOLDER/weak_table_golden.inc, of numpy's functions, and weak_table_more_golden.inc; the folder is tests/numpy. The
arguments have one of twelve types, weakly typed and not, under both settings of jax_enable_x64. A row is a call and,
for each setting and for not weak and weak, the results' types in the order of TYPES: "f32*" is a weak f32, "-" what
JAX rejects or doesn't have. weak_calls.txt names the arguments."""
import pathlib
import re
import sys
import warnings

import jax
import jax.numpy as jnp
import jax.scipy as jsp
from jax import lax, nn

warnings.filterwarnings("ignore")
TYPES = {"bool": "pred", "int8": "s8", "int32": "s32", "int64": "s64", "uint8": "u8", "uint32": "u32", "bfloat16": "bf16",
         "float16": "f16", "float32": "f32", "float64": "f64", "complex64": "c64", "complex128": "c128"}
NAMES = TYPES | {"int16": "s16", "uint16": "u16", "uint64": "u64"}
WIDE = ("int64", "float64", "complex128")
CALLS = pathlib.Path(__file__).parent / "weak_calls.txt"


@jax.custom_jvp
def custom_double(a):
    return a * 2


@jax.custom_jvp
def custom_jvps(a):
    return a * 2.0


@jax.custom_vjp
def custom_back(a):
    return a * 2


custom_double.defjvp(lambda p, t: (p[0] * 2, t[0] * 2))
custom_jvps.defjvps(lambda t, _, a: t)
custom_back.defvjp(lambda a: (a * 2, a), lambda _, g: (g * 2,))
GLOBALS = {"jax": jax, "jnp": jnp, "jsp": jsp, "lax": lax, "nn": nn, "float16": jnp.float16, "float32": jnp.float32, "int32": jnp.int32,
           "custom_double": custom_double, "custom_jvps": custom_jvps, "custom_back": custom_back}


def python_of(cpp: str) -> str:
    """numpy::sum(x, {.axis = 0}) -> jnp.sum(x, axis=0); other braces are tuples."""
    text = re.sub(r"\{(\.\w+ = [^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", lambda m: re.sub(r"\.(\w+) = ", r"\1=", m[1]), cpp)
    text = re.sub(r"\{\}", "()", text)
    text = re.sub(r"\{", "(", re.sub(r"\}", ",)", text))
    text = re.sub(r"(?<!::)\bnumpy::", "jnp.", text)
    text = re.sub(r"(?<!:)\b(linalg|fft)::", r"jnp.\1.", text)
    text = re.sub(r"(?<!:)\b(ops|image|scipy)::", r"jax.\1.", text)
    text = re.sub(r"\b(true|false)\b", lambda m: m[1].title(), text)
    return text.replace("::", ".")


def calls():
    """Pairs of C++ and Python."""
    for line in CALLS.read_text().splitlines():
        if not line or line[0] in "#[" or line.startswith("- ") and ": " in line:
            continue
        cpp, _, python = line.partition(" ;; ")
        names = re.search(r"::<([\w ]+)>\(", cpp)
        for name in names[1].split() if names else [""]:
            one = cpp.replace(f"<{names[1]}>", name) if names else cpp
            yield one, python.replace("NAME", name) or python_of(one)


def struct(shape, dtype, weak):
    return jax.ShapeDtypeStruct(shape, dtype, weak_type=weak)


REJECTIONS = (TypeError, ValueError, NotImplementedError, OverflowError, AttributeError, IndexError)


def type_of(function, dtype: str, weak: bool) -> str:
    """"-" if JAX rejects the call."""
    f = lambda x, s, m, h, k, ids, b, d: function(locals())
    rest = [struct((3,), "bfloat16", False), struct((3,), "int8", False), struct((2,), "int32", False), struct((3,), "bool", False),
            struct((3,), "float32", False)]
    try:
        out = jax.eval_shape(f, struct((3,), dtype, weak), struct((), dtype, weak), struct((2, 2), dtype, weak), *rest)
        return NAMES[out.dtype.name] + ("*" if out.weak_type else "")
    except REJECTIONS as e:
        type_of.why = f"{type(e).__name__}: {str(e)[:150]}"
        return "-"


def row_of(cpp: str, python: str) -> str | None:
    code = compile(python, python, "eval")
    function = lambda names: eval(code, GLOBALS | names)  # pylint: disable=eval-used
    groups = []
    for x64 in (False, True):
        jax.config.update("jax_enable_x64", x64)
        for weak in (False, True):
            groups.append(" ".join(type_of(function, t, weak) if x64 or t not in WIDE else "-" for t in TYPES))
    if set("".join(groups)) <= set("- "):
        print("nothing recorded of", python, "--", type_of.why)
        return None
    return f"ROW(({cpp}), " + ", ".join(f'"{g}"' for g in groups) + ")"


def main() -> None:
    rows = {cpp: row_of(cpp, python) for cpp, python in dict(calls()).items()}
    for name in ("weak_table_golden.inc", "weak_table_more_golden.inc"):
        own = [row for cpp, row in rows.items() if row and cpp.startswith("numpy::") != ("more" in name)]
        head = ["// SPDX-License-Identifier: Apache-2.0", f"// {name} -- written by tests/golden/record_weak_table.py with jax {jax.__version__}."]
        (pathlib.Path(sys.argv[1]) / name).write_text("\n".join([*head, "// clang-format off", *own, "// clang-format on"]) + "\n")


if __name__ == "__main__":
    main()
