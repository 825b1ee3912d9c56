# SPDX-License-Identifier: Apache-2.0
"""record_weak_types.py FILE -- records jax 0.12.0.1's result types of calls with weakly typed numbers or arrays.

FILE is tests/numpy/weak_types_golden.inc. "f32*" is a weak f32. Both settings of jax_enable_x64 are recorded."""
import pathlib
import sys
import warnings

import jax
import jax.numpy as jnp
from jax import lax, nn
from jax.scipy import special

warnings.filterwarnings("ignore")
NAMES = {"bool": "pred", "int8": "s8", "int16": "s16", "int32": "s32", "int64": "s64", "uint8": "u8", "uint32": "u32",
         "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "complex64": "c64", "complex128": "c128"}
FLOATS = ("exp log log1p expm1 exp2 log2 log10 sqrt cbrt sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh "
          "reciprocal sinc degrees radians i0 rint isnan isfinite signbit").split()
ANY = ("abs negative positive sign square trunc ceil floor round conj real zeros_like ones_like nan_to_num isinf "
       "reshape ravel transpose expand_dims atleast_1d flip").split()
BINARY = ("add subtract multiply true_divide floor_divide remainder mod power maximum minimum fmax fmin arctan2 hypot "
          "logaddexp logaddexp2 copysign heaviside nextafter fmod equal less float_power").split()
NN = "relu sigmoid softplus silu elu celu selu gelu leaky_relu hard_tanh log_sigmoid soft_sign relu6 hard_sigmoid".split()
SPECIAL = "erf erfc gammaln digamma ndtr log_ndtr expit logit i0e i1e entr erfinv".split()
PAIRS = "wf,wf wf,wi wi,wi wf,h wi,h wf,k wi,k wf,m wi,m h,k".split()
CALLS = [
    ("numpy::where(m, wf, wi)", "jnp.where(m, wf, wi)"), ("numpy::where(m, 1.0, 2.0)", "jnp.where(m, 1.0, 2.0)"),
    ("numpy::where(m, 1, 2)", "jnp.where(m, 1, 2)"), ("numpy::where(m, wf, h)", "jnp.where(m, wf, h)"),
    ("numpy::where(m, numpy::where(m, 1.0, 2.0), 3.0)", "jnp.where(m, jnp.where(m, 1.0, 2.0), 3.0)"),
    ("numpy::select({m}, {wf}, 2.0)", "jnp.select([m], [wf], 2.0)"), ("numpy::clip(wf, 0.0, 1.0)", "jnp.clip(wf, 0.0, 1.0)"),
    ("numpy::take(numpy::reshape(wf, {1}), ids)", "jnp.take(jnp.reshape(wf, (1,)), ids)"),
    ("numpy::reshape(wf, {1})(0)", "jnp.reshape(wf, (1,))[0]"), ("numpy::reshape(wf, {1})(ids)", "jnp.reshape(wf, (1,))[ids]"),
    ("numpy::stack({wf, wi})", "jnp.stack([wf, wi])"), ("numpy::concatenate({wf.reshape({1}), wf.reshape({1})})",
                                                        "jnp.concatenate([wf.reshape(1), wf.reshape(1)])"),
    ("numpy::full_like(wf, 2.0)", "jnp.full_like(wf, 2.0)"), ("numpy::full({}, 2.0)", "jnp.full((), 2.0)"),
    ("numpy::full_like(h, 2.0)", "jnp.full_like(h, 2.0)"), ("numpy::broadcast_to(wf, {2})", "jnp.broadcast_to(wf, (2,))"),
    ("numpy::array(2.0)", "jnp.array(2.0)"), ("numpy::array(2)", "jnp.array(2)"), ("numpy::asarray(2.0)", "jnp.asarray(2.0)"),
    ("numpy::array({1.0, 2.0})", "jnp.array([1.0, 2.0])"), ("numpy::zeros({2})", "jnp.zeros(2)"),
    ("numpy::arange(3.0)", "jnp.arange(3.0)"), ("numpy::linspace(0, 1, 3)", "jnp.linspace(0, 1, 3)"),
    ("lax::select(wf > 0, wf, wf)", "lax.select(wf > 0, wf, wf)"),
    ("lax::cond(wf > 0, [] { return Array(1.0); }, [] { return Array(2.0); })", "lax.cond(wf > 0, lambda: 1.0, lambda: 2.0)"),
    ("lax::cond(wf > 0, [&] { return wf; }, [&] { return wf * 2; })", "lax.cond(wf > 0, lambda: wf, lambda: wf * 2)"),
    ("lax::fori_loop(0, 3, [](Array, Array c) { return c * 2.0; }, wf)", "lax.fori_loop(0, 3, lambda i, c: c * 2.0, wf)"),
    ("lax::while_loop([](Array c) { return c < 9.0; }, [](Array c) { return c * 2.0; }, wf)",
     "lax.while_loop(lambda c: c < 9.0, lambda c: c * 2.0, wf)"),
    ("grad([](Array a) { return a * a; })(wf)", "jax.grad(lambda a: a * a)(wf)"),
    ("grad([](Array a) { return numpy::sin(a) * 2; })(wf)", "jax.grad(lambda a: jnp.sin(a) * 2)(wf)"),
    ("vmap([&](Array v) { return wf * 1.0 + 0.0 * (v > 0); })(k)", "jax.vmap(lambda v: wf * 1.0 + 0.0 * (v > 0))(k)"),
    ("vmap([&](Array v) { return numpy::where(v > 0, wf, 2.0); })(k)", "jax.vmap(lambda v: jnp.where(v > 0, wf, 2.0))(k)"),
    ("jit([](Array a) { return a * 2; })(wf)", "jax.jit(lambda a: a * 2)(wf)"),
    ("stop_gradient(wf)", "lax.stop_gradient(wf)"), ("checkpoint([](Array a) { return a * 2; })(wf)", "jax.checkpoint(lambda a: a * 2)(wf)"),
    ("lax::dynamic_slice(wf.reshape({1}), {ids(0)}, {1})", "lax.dynamic_slice(wf.reshape(1), (ids[0],), (1,))"),
    ("scipy::special::xlogy(wf, wf)", "special.xlogy(wf, wf)"), ("numpy::real(wf)", "jnp.real(wf)"),
]


def calls():
    """Pairs of C++ and Python."""
    for argument in ("wf", "wi", "h"):
        for name in FLOATS + ANY:
            tail = ", {1}" if name == "reshape" else ", 0" if name == "expand_dims" else ""
            yield f"numpy::{name}({argument}{tail})", f"jnp.{name}({argument}{tail.replace('{1}', '(1,)')})"
    for argument in ("wf", "h"):
        yield from ((f"nn::{name}({argument})", f"nn.{name}({argument})") for name in NN)
        yield from ((f"scipy::special::{name}({argument})", f"special.{name}({argument})") for name in SPECIAL)
    for pair in PAIRS:
        yield from ((f"numpy::{name}({pair.replace(',', ', ')})", f"jnp.{name}({pair})") for name in BINARY)
    yield from CALLS


def type_of(expression: str) -> str | None:
    """None if JAX refuses the call."""
    h, k = jnp.ones(2, jnp.bfloat16), jnp.ones(2, jnp.int8)
    values = {"wf": jnp.asarray(0.5), "wi": jnp.asarray(3), "h": h, "k": k, "m": k > 0, "ids": jnp.zeros(2, jnp.int32)}
    try:
        result = eval(expression, globals() | values)  # pylint: disable=eval-used
    except TypeError:
        return None
    return NAMES[result.dtype.name] + ("*" if result.aval.weak_type else "")


def main() -> None:
    lines = ["// SPDX-License-Identifier: Apache-2.0", f"// weak_types_golden.inc -- written by tests/golden/record_weak_types.py with jax {jax.__version__}.",
             "// clang-format off"]
    for cpp, python in calls():
        types = []
        for x64 in (False, True):
            jax.config.update("jax_enable_x64", x64)
            types.append(type_of(python))
        if None not in types:
            lines.append(f'WEAK("{types[0]}", "{types[1]}", {cpp})')
    pathlib.Path(sys.argv[1]).write_text("\n".join(lines + ["// clang-format on"]) + "\n")


if __name__ == "__main__":
    main()
