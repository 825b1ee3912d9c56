# SPDX-License-Identifier: Apache-2.0
"""record_weak_table.py FILE -- asks jax 0.12.0.1 for the types of functions' results, of arguments of eleven types, weakly typed
and not, under both settings of jax_enable_x64, and writes FILE, tests/numpy/weak_table_golden.inc; weak are the types that Python's numbers have. A row is a call and, for
each setting and for not weak and weak, the results' types in the order of TYPES: "f32*" is a weak f32, "-" what JAX refuses
or doesn't have. x is [3], s a number, m [2, 2]; h is bf16[3], k s8[3], ids s32[2], b pred[3], d f32[3]."""
import pathlib
import sys
import warnings

import jax
import jax.numpy as jnp
from jax import lax, nn
from jax.scipy import linalg as slinalg
from jax.scipy import special, stats

warnings.filterwarnings("ignore")
TYPES = {"bool": "pred", "int8": "s8", "int32": "s32", "int64": "s64", "uint8": "u8", "uint32": "u32", "bfloat16": "bf16",
         "float16": "f16", "float32": "f32", "float64": "f64", "complex64": "c64"}
NAMES = TYPES | {"int16": "s16", "uint16": "u16", "uint64": "u64", "complex128": "c128"}
UNARY = ("abs negative positive sign square sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh "
         "cosh tanh arcsinh arccosh arctanh sinc reciprocal rint floor ceil trunc fix round conj real imag angle isnan isfinite "
         "isinf signbit logical_not invert degrees radians nan_to_num i0 zeros_like ones_like ravel flip transpose atleast_2d sum "
         "prod mean var std max min ptp median argmax argmin any all cumsum cumprod nansum nanmean nanmax sort argsort diff "
         "count_nonzero unwrap").split()
BINARY = ("add subtract multiply divide floor_divide remainder power float_power maximum minimum fmod arctan2 hypot logaddexp "
          "copysign heaviside nextafter equal less logical_and bitwise_and left_shift gcd outer inner dot append convolve").split()
NN = ("relu relu6 sigmoid softplus silu elu celu selu gelu leaky_relu hard_tanh log_sigmoid soft_sign mish squareplus softmax "
      "log_softmax logsumexp standardize").split()
SPECIAL = "erf erfc erfinv gammaln digamma gamma ndtr log_ndtr ndtri expit logit entr i0 i0e i1 i1e spence".split()
LAX = "neg sign floor exp log sin tanh logistic rsqrt sqrt abs is_finite integer_pow stop_gradient cumsum cummax sort".split()
STATS = "norm::pdf norm::logcdf expon::logpdf logistic::cdf cauchy::pdf laplace::logpdf uniform::pdf".split()
CALLS = [
    ("numpy::where(b, x, x)", "jnp.where(b, x, x)"), ("numpy::where(b, x, 1.0)", "jnp.where(b, x, 1.0)"),
    ("numpy::where(b, 2, x)", "jnp.where(b, 2, x)"), ("numpy::where(s > 0, s, h)", "jnp.where(s > 0, s, h)"),
    ("numpy::where(b, k, x)", "jnp.where(b, k, x)"), ("numpy::select({b}, {x}, 2.0)", "jnp.select([b], [x], 2.0)"),
    ("numpy::clip(x, 0, 1)", "jnp.clip(x, 0, 1)"), ("numpy::clip(x, 0.0, 1.0)", "jnp.clip(x, 0.0, 1.0)"),
    ("numpy::take(x, ids)", "jnp.take(x, ids)"), ("x(0)", "x[0]"), ("x(ids)", "x[ids]"),
    ("x.at(0).set(1)", "x.at[0].set(1)"), ("x.at(0).add(s)", "x.at[0].add(s)"), ("x.at(ids).mul(2.0)", "x.at[ids].multiply(2.0)"),
    ("numpy::stack({x, x})", "jnp.stack([x, x])"), ("numpy::stack({x, d})", "jnp.stack([x, d])"),
    ("numpy::concatenate({x, x})", "jnp.concatenate([x, x])"), ("numpy::concatenate({x, h})", "jnp.concatenate([x, h])"),
    ("numpy::full_like(x, 2.0)", "jnp.full_like(x, 2.0)"), ("numpy::full({2}, s)", "jnp.full((2,), s)"),
    ("numpy::broadcast_to(s, {2})", "jnp.broadcast_to(s, (2,))"), ("numpy::array(s)", "jnp.array(s)"),
    ("numpy::asarray(s)", "jnp.asarray(s)"), ("numpy::reshape(x, {1, 3})", "jnp.reshape(x, (1, 3))"),
    ("numpy::expand_dims(x, 0)", "jnp.expand_dims(x, 0)"), ("numpy::squeeze(numpy::expand_dims(x, 0))", "jnp.squeeze(jnp.expand_dims(x, 0))"),
    ("numpy::tile(x, 2)", "jnp.tile(x, 2)"), ("numpy::repeat(x, 2)", "jnp.repeat(x, 2)"), ("numpy::roll(x, 1)", "jnp.roll(x, 1)"),
    ("numpy::pad(x, 1)", "jnp.pad(x, 1)"), ("numpy::tril(m)", "jnp.tril(m)"), ("numpy::diag(x)", "jnp.diag(x)"),
    ("numpy::trace(m)", "jnp.trace(m)"), ("numpy::matmul(m, m)", "jnp.matmul(m, m)"), ("numpy::matmul(m, numpy::ones({2, 2}))",
                                                                                      "jnp.matmul(m, jnp.ones((2, 2)))"),
    ("numpy::einsum(\"i,i\", x, x)", "jnp.einsum('i,i', x, x)"), ("numpy::kron(x, x)", "jnp.kron(x, x)"),
    ("numpy::vdot(x, x)", "jnp.vdot(x, x)"), ("numpy::tensordot(m, m, 1)", "jnp.tensordot(m, m, 1)"),
    ("numpy::cross(x, x)", "jnp.cross(x, x)"), ("numpy::interp(x, d, d)", "jnp.interp(x, d, d)"),
    ("numpy::polyval(d, x)", "jnp.polyval(d, x)"), ("numpy::average(x)", "jnp.average(x)"), ("numpy::searchsorted(d, x)", "jnp.searchsorted(d, x)"),
    ("numpy::linspace(s, 4, 3)", "jnp.linspace(s, 4, 3)"), ("numpy::quantile(x, 0.5)", "jnp.quantile(x, 0.5)"),
    ("x + 1", "x + 1"), ("x + 1.0", "x + 1.0"), ("x * 2", "x * 2"), ("2.0 / x", "2.0 / x"), ("x - h", "x - h"), ("x * k", "x * k"),
    ("s * h", "s * h"), ("s + k", "s + k"), ("s * d", "s * d"), ("-x", "-x"), ("x > 1", "x > 1"), ("x == x", "x == x"),
    ("x.astype(float16)", "x.astype(jnp.float16)"), ("numpy::sum(x, {.dtype = float32})", "jnp.sum(x, dtype=jnp.float32)"),
    ("lax::add(x, x)", "lax.add(x, x)"), ("lax::max(x, x)", "lax.max(x, x)"), ("lax::select(b, x, x)", "lax.select(b, x, x)"),
    ("lax::convert_element_type(x, float32)", "lax.convert_element_type(x, jnp.float32)"),
    ("lax::full_like(x, 2)", "lax.full_like(x, 2)"), ("lax::broadcast(x, {2})", "lax.broadcast(x, (2,))"),
    ("lax::rev(x, {0})", "lax.rev(x, (0,))"), ("lax::dynamic_slice(x, {ids(0)}, {1})", "lax.dynamic_slice(x, (ids[0],), (1,))"),
    ("lax::dynamic_update_slice(x, x, {ids(0)})", "lax.dynamic_update_slice(x, x, (ids[0],))"),
    ("lax::slice(x, {0}, {2})", "lax.slice(x, (0,), (2,))"), ("lax::concatenate({x, x}, 0)", "lax.concatenate([x, x], 0)"),
    ("lax::top_k(x, 2).values", "lax.top_k(x, 2)[0]"), ("lax::dot(m, m)", "lax.dot(m, m)"),
    ("lax::clamp(x, x, x)", "lax.clamp(x, x, x)"), ("lax::pow(x, 2)", "lax.pow(x, 2)"),
    ("lax::cond(s > 0, [&] { return s; }, [&] { return s * 2; })", "lax.cond(s > 0, lambda: s, lambda: s * 2)"),
    ("lax::cond(s > 0, [](Array a) { return a; }, [](Array a) { return a + a; }, x)", "lax.cond(s > 0, lambda a: a, lambda a: a + a, x)"),
    ("lax::cond(b(0), [&] { return s; }, [&] { return Array(1.0); })", "lax.cond(b[0], lambda: s, lambda: 1.0)"),
    ("lax::switch_(ids(0), std::tuple([](Array a) { return a; }, [](Array a) { return a * 2; }), x)",
     "lax.switch(ids[0], [lambda a: a, lambda a: a * 2], x)"),
    ("lax::fori_loop(0, 3, [](Array, Array c) { return c * 2; }, x)", "lax.fori_loop(0, 3, lambda i, c: c * 2, x)"),
    ("lax::fori_loop(0, 3, [](Array, Array c) { return c * 2.0; }, s)", "lax.fori_loop(0, 3, lambda i, c: c * 2.0, s)"),
    ("lax::while_loop([](Array c) { return c < 9; }, [](Array c) { return c + 1; }, s)",
     "lax.while_loop(lambda c: c < 9, lambda c: c + 1, s)"),
    ("lax::scan([](Array c, Array v) { return std::pair(c + v, c); }, s, x).first", "lax.scan(lambda c, v: (c + v, c), s, x)[0]"),
    ("lax::scan([](Array c, Array v) { return std::pair(c + v, c); }, s, x).second", "lax.scan(lambda c, v: (c + v, c), s, x)[1]"),
    ("lax::scan([](Array c, Array v) { return std::pair(c, v * 2.0); }, s, x).second", "lax.scan(lambda c, v: (c, v * 2.0), s, x)[1]"),
    ("lax::map([](Array v) { return v * 2; }, x)", "lax.map(lambda v: v * 2, x)"),
    ("lax::associative_scan([](Array u, Array v) { return u + v; }, x)", "lax.associative_scan(lambda u, v: u + v, x)"),
    ("grad([](Array a) { return a * a; })(s)", "jax.grad(lambda a: a * a)(s)"),
    ("grad([](Array a) { return numpy::sum(numpy::sin(a) * 2); })(x)", "jax.grad(lambda a: jnp.sum(jnp.sin(a) * 2))(x)"),
    ("value_and_grad([](Array a) { return a * 2.0; })(s).first", "jax.value_and_grad(lambda a: a * 2.0)(s)[0]"),
    ("value_and_grad([](Array a) { return a * 2.0; })(s).second", "jax.value_and_grad(lambda a: a * 2.0)(s)[1]"),
    ("jvp([](Array a) { return numpy::sin(a); }, std::tuple(x), std::tuple(x)).first", "jax.jvp(jnp.sin, (x,), (x,))[0]"),
    ("jvp([](Array a) { return a * a; }, std::tuple(x), std::tuple(x)).second", "jax.jvp(lambda a: a * a, (x,), (x,))[1]"),
    ("vmap([](Array v) { return v * 2; })(x)", "jax.vmap(lambda v: v * 2)(x)"), ("vmap([&](Array v) { return s + v; })(x)", "jax.vmap(lambda v: s + v)(x)"),
    ("vmap([&](Array v) { return numpy::where(v > 0, s, 2); })(k)", "jax.vmap(lambda v: jnp.where(v > 0, s, 2))(k)"),
    ("jit([](Array a) { return a * 2; })(x)", "jax.jit(lambda a: a * 2)(x)"), ("jit([](Array a) { return a; })(x)", "jax.jit(lambda a: a)(x)"),
    ("checkpoint([](Array a) { return a * 2; })(x)", "jax.checkpoint(lambda a: a * 2)(x)"),
    ("custom_jvp([](Array a) { return a * 2; }).defjvp([](std::tuple<Array> p, std::tuple<Array> t) { return std::pair(std::get<0>(p) * 2, "
     "std::get<0>(t) * 2); })(x)", "custom_double(x)"),
    ("jacfwd([](Array a) { return a * a; })(x)", "jax.jacfwd(lambda a: a * a)(x)"), ("jacrev([](Array a) { return a * a; })(x)",
                                                                                  "jax.jacrev(lambda a: a * a)(x)"),
    ("hessian([](Array a) { return numpy::sum(a * a * a); })(x)", "jax.hessian(lambda a: jnp.sum(a * a * a))(x)"),
    ("scipy::special::xlogy(x, x)", "special.xlogy(x, x)"), ("scipy::special::betaln(x, x)", "special.betaln(x, x)"),
    ("scipy::special::logsumexp(x)", "special.logsumexp(x)"), ("scipy::special::xlogy(s, h)", "special.xlogy(s, h)"),
    ("scipy::stats::gamma::logpdf(x, 2.0)", "stats.gamma.logpdf(x, 2.0)"), ("scipy::stats::beta::pdf(x, 2.0, 3.0)", "stats.beta.pdf(x, 2.0, 3.0)"),
    ("scipy::stats::poisson::pmf(x, 2.0)", "stats.poisson.pmf(x, 2.0)"), ("scipy::stats::bernoulli::logpmf(x, 0.5)", "stats.bernoulli.logpmf(x, 0.5)"),
    ("linalg::norm(x)", "jnp.linalg.norm(x)"), ("linalg::det(m)", "jnp.linalg.det(m)"), ("linalg::inv(m)", "jnp.linalg.inv(m)"),
    ("linalg::eigvalsh(m)", "jnp.linalg.eigvalsh(m)"), ("linalg::matrix_power(m, 2)", "jnp.linalg.matrix_power(m, 2)"),
    ("scipy::linalg::expm(m)", "slinalg.expm(m)"), ("nn::one_hot(ids, 3)", "nn.one_hot(ids, 3)"), ("fft::fft(x)", "jnp.fft.fft(x)"),
    ("fft::rfft(x)", "jnp.fft.rfft(x)"), ("ops::segment_sum(x, numpy::zeros({3}, int32), {.num_segments = 2})", "jax.ops.segment_sum(x, jnp.zeros(3, jnp.int32), 2)"),
]


@jax.custom_jvp
def custom_double(a):
    return a * 2


custom_double.defjvp(lambda p, t: (p[0] * 2, t[0] * 2))


def calls():
    """Pairs of C++ and Python."""
    yield from ((f"numpy::{n}(x)", f"jnp.{n}(x)") for n in UNARY)
    yield from ((f"numpy::{n}(x, x)", f"jnp.{n}(x, x)") for n in BINARY)
    for n in "add multiply divide power maximum arctan2 logaddexp".split():
        yield from ((f"numpy::{n}({p})", f"jnp.{n}({p})") for p in ("s, h", "s, k", "x, d"))
    yield from ((f"nn::{n}(x)", f"nn.{n}(x)") for n in NN)
    yield from ((f"scipy::special::{n}(x)", f"special.{n}(x)") for n in SPECIAL)
    yield from ((f"lax::{n}(x{', 2' if n == 'integer_pow' else ''})", f"lax.{n}(x{', 2' if n == 'integer_pow' else ''})") for n in LAX)
    yield from ((f"scipy::stats::{n}(x)", f"stats.{n.replace('::', '.')}(x)") for n in STATS)
    yield from CALLS


def struct(shape, dtype, weak):
    return jax.ShapeDtypeStruct(shape, dtype, weak_type=weak)


def type_of(function, dtype: str, weak: bool) -> str:
    """"-" if JAX refuses the call."""
    f = lambda x, s, m, h, k, ids, b, d: function(locals())
    rest = [struct((3,), "bfloat16", False), struct((3,), "int8", False), struct((2,), "int32", False), struct((3,), "bool", False),
            struct((3,), "float32", False)]
    try:
        out = jax.eval_shape(f, struct((3,), dtype, weak), struct((), dtype, weak), struct((2, 2), dtype, weak), *rest)
    except (TypeError, ValueError, NotImplementedError, OverflowError, AttributeError):
        return "-"
    return NAMES[out.dtype.name] + ("*" if out.weak_type else "")


def main() -> None:
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             f"// weak_table_golden.inc -- written by tests/golden/record_weak_table.py with jax {jax.__version__}.", "// clang-format off"]
    for cpp, python in calls():
        code = compile(python, python, "eval")
        function = lambda names: eval(code, globals() | names)  # pylint: disable=eval-used
        groups = []
        for x64 in (False, True):
            jax.config.update("jax_enable_x64", x64)
            for weak in (False, True):
                # JAX without x64 has no wide types; weak are the types of Python's numbers
                numbers = ("int64", "float64") if x64 else ("int32", "float32", "complex64")
                has = [t in numbers if weak else x64 or t not in ("int64", "float64") for t in TYPES]
                groups.append(" ".join(type_of(function, t, weak) if h else "-" for t, h in zip(TYPES, has)))
        if set("".join(groups)) <= set("- "):
            print("nothing recorded of", python)
            continue
        lines.append(f"ROW(({cpp}), " + ", ".join(f'"{g}"' for g in groups) + ")")
    pathlib.Path(sys.argv[1]).write_text("\n".join(lines + ["// clang-format on"]) + "\n")


if __name__ == "__main__":
    main()
