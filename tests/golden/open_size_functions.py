# SPDX-License-Identifier: Apache-2.0
"""Functions that jax.export writes with symbolic sizes: every family of operations, with one and two symbols and
derived sizes.

record_open_sizes.py records some of them as tests; tests/interop/open_sizes.py compares hilo with JAX on all of them. A
case is a function and the types of its arguments, such as "f32[b,3]". A suffix selects the values: "+" positive, "u"
within (-0.9, 0.9), "%5" integers 0 to 4, "s" sorted along the last dimension."""

import functools
import math
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import jax.scipy as jsp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

CASES = {}
CONSTRAINTS = {}  # of cases whose sizes aren't free
SECOND = {}  # of these: what c is, by b


def case(name, function, *types, constraints=(), c=None):
    assert name not in CASES, name
    CASES[name] = (function, types)
    CONSTRAINTS[name], SECOND[name] = tuple(constraints), c


def cases(prefix, table):
    for name, row in table.items():
        case(f"{prefix}_{name}", *row)


def square(x):
    """A positive definite matrix of a vector's size; a batch of them of a batch."""
    n = x.shape[-1]
    return x[..., :, None] * x[..., None, :] + (2.0 + n) * jnp.eye(n, dtype=x.dtype)


# ---- elementwise -----------------------------------------------------------------------------------------------------
SHAPES = ("[b]", "[b,3]", "[b,c]", "[2,b]", "[2*b]", "[b+1,2]", "[c,2,b]", "[b,b]")
UNARY = {
    "abs": (lax.abs, ""), "neg": (lax.neg, ""), "sign": (lax.sign, ""), "floor": (lax.floor, ""),
    "ceil": (lax.ceil, ""),
    "round": (jnp.round, ""), "exp": (lax.exp, ""), "exp2": (lax.exp2, ""), "expm1": (lax.expm1, ""),
    "log": (lax.log, "+"),
    "log1p": (lax.log1p, "+"), "sin": (lax.sin, ""), "cos": (lax.cos, ""), "tan": (lax.tan, "u"),
    "asin": (lax.asin, "u"),
    "acos": (lax.acos, "u"), "atan": (lax.atan, ""), "sinh": (lax.sinh, ""), "cosh": (lax.cosh, ""),
    "tanh": (lax.tanh, ""),
    "asinh": (lax.asinh, ""), "acosh": (lambda x: lax.acosh(x + 1), "+"), "atanh": (lax.atanh, "u"),
    "logistic": (lax.logistic, ""), "sqrt": (lax.sqrt, "+"), "rsqrt": (lax.rsqrt, "+"), "cbrt": (lax.cbrt, ""),
    "square": (lax.square, ""), "is_finite": (lax.is_finite, ""), "erf": (lax.erf, ""), "erfc": (lax.erfc, ""),
    "erf_inv": (lax.erf_inv, "u"), "lgamma": (lax.lgamma, "+"), "digamma": (lax.digamma, "+"),
    "bessel_i0e": (lax.bessel_i0e, ""), "bessel_i1e": (lax.bessel_i1e, ""), "relu": (jax.nn.relu, ""),
    "gelu": (jax.nn.gelu, ""), "silu": (jax.nn.silu, ""), "softplus": (jax.nn.softplus, ""), "elu": (jax.nn.elu, ""),
    "reduce_precision": (lambda x: lax.reduce_precision(x, 5, 7), ""), "integer_pow": (lambda x: x ** 3, ""),
    "nan_to_num": (jnp.nan_to_num, ""), "isnan": (jnp.isnan, ""), "sinc": (jnp.sinc, ""),
    "bessel_i0": (jsp.special.i0, ""),
    "entr": (jsp.special.entr, "+"), "log_ndtr": (jsp.special.log_ndtr, ""),
    "ndtri": (lambda x: jsp.special.ndtri(x / 2 + .5), "u"),
    "frexp": (lambda x: jnp.frexp(x), ""), "modf": (lambda x: jnp.modf(x), ""),
    "zeta": (lambda x: jsp.special.zeta(x + 1, 2.0), "+"),
    "polygamma": (lambda x: jsp.special.polygamma(1, x), "+"),
}
for _k, (_name, (_f, _values)) in enumerate(UNARY.items()):
    case(f"unary_{_name}", _f, f"f32{SHAPES[_k % len(SHAPES)]}{_values}")
BINARY = {
    "add": (lax.add, "", ""), "sub": (lax.sub, "", ""), "mul": (lax.mul, "", ""), "div": (lax.div, "", "+"),
    "rem": (lax.rem, "", "+"), "pow": (lax.pow, "+", ""), "max": (lax.max, "", ""), "min": (lax.min, "", ""),
    "atan2": (lax.atan2, "", ""), "nextafter": (lax.nextafter, "", ""), "igamma": (lax.igamma, "+", "+"),
    "igammac": (lax.igammac, "+", "+"), "eq": (lax.eq, "", ""), "lt": (lax.lt, "", ""),
    "floordiv": (jnp.floor_divide, "", "+"),
    "mod": (jnp.mod, "", "+"), "hypot": (jnp.hypot, "", ""), "logaddexp": (jnp.logaddexp, "", ""),
    "copysign": (jnp.copysign, "", ""), "heaviside": (jnp.heaviside, "", ""), "xlogy": (jsp.special.xlogy, "", "+"),
    "betaln": (jsp.special.betaln, "+", "+"), "complex": (lax.complex, "", ""),
    "ldexp": (lambda x, y: jnp.ldexp(x, y.astype(jnp.int32)), "", ""),
}
for _k, (_name, (_f, _a, _b)) in enumerate(BINARY.items()):
    _shape = SHAPES[(_k + 3) % len(SHAPES)]
    case(f"binary_{_name}", _f, f"f32{_shape}{_a}", f"f32{_shape}{_b}")
cases("broadcast", {
    "row": (lambda x, y: x + y, "f32[b,c]", "f32[c]"), "column": (lambda x, y: x * y[:, None], "f32[b,c]", "f32[b]"),
    "outer": (lambda x, y: x[:, None] - y[None], "f32[b]", "f32[c]"),
    "scalar": (lambda x, y: x / y, "f32[b]", "f32[]+"),
    "one": (lambda x, y: x + y, "f32[b,1]", "f32[1,c]"),
    "to": (lambda x: jnp.broadcast_to(x, (3, x.shape[0])), "f32[b]"),
    "to_square": (lambda x: jnp.broadcast_to(x, (x.shape[0], x.shape[0])), "f32[b]"),
    "arrays": (lambda x, y: jnp.broadcast_arrays(x, y[:, None]), "f32[b]", "f32[c]"),
    "in_dim": (lambda x: lax.broadcast_in_dim(x, (2, x.shape[0], 3, x.shape[1]), (1, 3)), "f32[b,c]"),
    "zeros_like": (lambda x: (jnp.zeros_like(x), jnp.ones((x.shape[0], 2)), jnp.full(x.shape[0] + 1, 3)), "f32[b]"),
})
cases("whole", {
    "and": (lax.bitwise_and, "i32[b]", "i32[b]"), "or": (lax.bitwise_or, "u8[b,2]", "u8[b,2]"),
    "xor": (lax.bitwise_xor, "u32[b]", "u32[b]"),
    "not": (lax.bitwise_not, "i16[b,c]"), "shift_left": (lambda x, y: lax.shift_left(x, y), "i32[b]", "i32[b]%7"),
    "shift_right": (lambda x, y: lax.shift_right_arithmetic(x, y), "i32[b]", "i32[b]%7"),
    "shift_logical": (lambda x, y: lax.shift_right_logical(x, y), "u32[b]", "u32[b]%7"),
    "popcount": (lax.population_count, "u32[b]"), "clz": (lax.clz, "i32[b,c]"),
    "div": (lambda x, y: x // (y + 1), "i32[b]", "i32[b]%5"),
    "rem": (lambda x, y: x % (y + 1), "i64[b]", "i64[b]%5"), "pow": (lambda x: x ** 2, "i8[b]"),
    "logical": (lambda x, y: (x & y) | ~x, "pred[b]", "pred[b]"),
    "all_any": (lambda x: (x.all(), x.any(0)), "pred[b,c]"), "gcd": (jnp.gcd, "i32[b]%30", "i32[b]%20"),
    "signbit": (jnp.signbit, "f32[b]"),
    "packbits": (lambda x: jnp.packbits(x, axis=1), "u8[b,8]%2"),
    "unpackbits": (lambda x: jnp.unpackbits(x, axis=1), "u8[b,2]"),
})
cases("type", {
    "convert": (lambda x: x.astype(jnp.int32), "f32[b,c]"), "to_bf16": (lambda x: x.astype(jnp.bfloat16), "f32[b]"),
    "bf16": (lambda x: x * x + 1, "bf16[b,3]"), "f16": (lambda x: jnp.sum(x, 0), "f16[b,3]"),
    "f64": (lambda x: jnp.cumsum(x), "f64[b]"),
    "c64": (lambda x: x * x.conj() + 1j, "c64[b]"), "c128": (lambda x: (x.real, jnp.abs(x), jnp.angle(x)), "c128[b,2]"),
    "bitcast": (lambda x: lax.bitcast_convert_type(x, jnp.int32), "f32[b,c]"),
    "bitcast_narrow": (lambda x: lax.bitcast_convert_type(x, jnp.uint8), "f32[b]"),
    "bitcast_wide": (lambda x: lax.bitcast_convert_type(x, jnp.uint32), "u8[b,4]"),
    "view": (lambda x: x.view(jnp.int16), "f32[b,2]"),
    "f8": (lambda x: x.astype(jnp.float8_e4m3fn).astype(jnp.float32), "f32[b]"),
    "i4": (lambda x: x.astype(jnp.int4).astype(jnp.int32), "i32[b]%7"),
    "promote": (lambda x, y: x + y, "bf16[b]", "f32[b]"),
    "quantize": (lambda x: jnp.clip(jnp.round(x * 10), -128, 127).astype(jnp.int8), "f32[b,c]"),
})
cases("choose", {
    "where": (lambda x: jnp.where(x > 0, x, -1.0), "f32[b,c]"),
    "select_n": (lambda p, x, y: lax.select_n(p, x, y), "pred[b]", "f32[b]", "f32[b]"),
    "select_scalar": (lambda p, x: lax.select(p[0], x, -x), "pred[b]", "f32[b,c]"),
    "clamp": (lambda x: lax.clamp(-0.5, x, 0.5), "f32[b,c]"),
    "clamp_arrays": (lambda x, y: lax.clamp(x, y, x + 1), "f32[b]", "f32[b]"),
    "clip": (lambda x: jnp.clip(x, -1, None), "f32[b]"),
    "select_3": (lambda i, x: lax.select_n(i, x, x + 1, x * 2), "i32[b]%3", "f32[b]"),
    "piecewise": (lambda x: jnp.piecewise(x, [x < 0, x > 1], [0.0, lambda v: v * 2, 1.0]), "f32[b]"),
    "select_list": (lambda x: jnp.select([x < 0, x < 1], [x, x * 2], 9.0), "f32[b]"),
    "choose": (lambda i, x: jnp.choose(i, [x, x + 1], mode="clip"), "i32[b]%2", "f32[b]"),
})
# ---- shapes and moves ------------------------------------------------------------------------------------------------
cases("move", {
    "reshape_flat": (lambda x: x.reshape(-1), "f32[b,3]"),
    "reshape_two": (lambda x: x.reshape(x.shape[1], x.shape[0]), "f32[b,c]"),
    "reshape_split": (lambda x: x.reshape(2, -1), "f32[2*b]"),
    "reshape_merge": (lambda x: x.reshape(x.shape[0] * x.shape[1], 2), "f32[b,c,2]"),
    "ravel": (jnp.ravel, "f32[b,c]"), "transpose": (lambda x: x.T, "f32[b,c]"),
    "swap": (lambda x: jnp.moveaxis(x, 0, -1), "f32[b,c,2]"),
    "squeeze": (lambda x: x.squeeze(1), "f32[b,1,c]"), "expand": (lambda x: jnp.expand_dims(x, (0, 2)), "f32[b,c]"),
    "rev": (lambda x: x[::-1], "f32[b,2]"), "flip_both": (lambda x: jnp.flip(x), "f32[b,c]"),
    "rot90": (jnp.rot90, "f32[b,c]"),
    "concat": (lambda x, y: jnp.concatenate([x, y]), "f32[b]", "f32[c]"),
    "concat_self": (lambda x: jnp.concatenate([x, x[:1], x], 0), "f32[b,c]"),
    "stack": (lambda x: jnp.stack([x, x + 1], 1), "f32[b]"),
    "hstack": (lambda x, y: jnp.hstack([x, y]), "f32[b,2]", "f32[b,c]"),
    "tile": (lambda x: jnp.tile(x, (2, 3)), "f32[b,c]"), "tile_open": (lambda x: jnp.tile(x, x.shape[0]), "f32[b]"),
    "repeat": (lambda x: jnp.repeat(x, 3, 0), "f32[b,2]"), "roll": (lambda x: jnp.roll(x, 1), "f32[b]"),
    "roll_axis": (lambda x: jnp.roll(x, 2, 1), "f32[b,c]"),
    "roll_open": (lambda x, i: jnp.roll(x, i[0]), "f32[b]", "i32[2]%9"),
    "split": (lambda x: jnp.split(x, 2, 1), "f32[b,4]"), "split_open": (lambda x: jnp.split(x, 2), "f32[2*b]"),
    "slice_static": (lambda x: x[:, 1:3], "f32[b,4]"),
    "slice_half": (lambda x: x[: x.shape[0] // 2], "f32[b]"), "slice_rest": (lambda x: x[x.shape[0] // 2:], "f32[b]"),
    "slice_last": (lambda x: x[-1], "f32[b,c]"), "slice_but_last": (lambda x: x[:-1], "f32[b]"),
    "slice_but_first": (lambda x: x[1:] - x[:-1], "f32[b,2]"),
    "slice_step": (lambda x: x[::2], "f32[b]"), "slice_step_from": (lambda x: x[1::3], "f32[b,2]"),
    "slice_reverse_step": (lambda x: x[::-2], "f32[b]"),
    "slice_other": (lambda x, y: x[: y.shape[0]], "f32[b+c]", "f32[c]"),
    "slice_in_dim": (lambda x: lax.slice_in_dim(x, 1, None, 2, 0), "f32[b+1,3]"),
    "pad": (lambda x: jnp.pad(x, (1, 2)), "f32[b]"),
    "pad_edge": (lambda x: jnp.pad(x, ((1, 1), (0, 2)), mode="edge"), "f32[b,c]"),
    "pad_wrap": (lambda x: jnp.pad(x, 1, mode="wrap"), "f32[b]"),
    "pad_reflect": (lambda x: jnp.pad(x, 1, mode="reflect"), "f32[b+1]"),
    "pad_lax": (lambda x: lax.pad(x, 0.5, ((1, -1, 2), (0, 0, 1))), "f32[b+1,c]"),
    "pad_open": (lambda x, y: jnp.pad(x, (0, y.shape[0])), "f32[b]", "f32[c]"),
    "pad_negative": (lambda x: lax.pad(x, 0.0, ((-1, 3, 0),)), "f32[b]"), "diff": (lambda x: jnp.diff(x), "f32[b+1]"),
    "diff_2": (lambda x: jnp.diff(x, n=2, axis=0), "f32[b+2,2]"),
    "diag": (jnp.diag, "f32[b]"), "diagonal": (jnp.diagonal, "f32[b,b]"), "trace": (jnp.trace, "f32[b,b]"),
    "tril": (jnp.tril, "f32[b,b]"),
    "triu_k": (lambda x: jnp.triu(x, 1), "f32[b,c]"), "eye": (lambda x: x + jnp.eye(x.shape[0]), "f32[b,b]"),
    "iota": (lambda x: lax.iota(jnp.float32, x.shape[0]) * x, "f32[b]"),
    "iota_2d": (lambda x: x + lax.broadcasted_iota(jnp.float32, x.shape, 1), "f32[b,c]"),
    "arange_step": (lambda x: jnp.arange(0, 2 * x.shape[0], 2) + x, "f32[b]"),
    "linspace": (lambda x: x * jnp.linspace(0.0, 1.0, 5)[:, None], "f32[b]"),
    "meshgrid": (lambda x, y: jnp.meshgrid(x, y), "f32[b]", "f32[c]"),
    "atleast": (lambda x: jnp.atleast_3d(x), "f32[b]"), "kron": (jnp.kron, "f32[b,2]", "f32[2,c]"),
    "vander": (lambda x: jnp.vander(x, 3), "f32[b]"),
    "insert": (lambda x: jnp.insert(x, 0, 5.0), "f32[b]"), "append": (lambda x: jnp.append(x, 1.0), "f32[b]"),
    "block": (lambda x, y: jnp.block([[x, x], [y, y]]), "f32[b,2]", "f32[c,2]"),
    "delete": (lambda x: jnp.delete(x, 0), "f32[b+1]"), "select_column": (lambda x: x[:, 0], "f32[b,c]"),
})
cases("size", {
    "of": (lambda x: x.shape[0] + jnp.float32(0), "f32[b]"),
    "product": (lambda x: jnp.sum(x) / (x.shape[0] * x.shape[1]), "f32[b,c]"),
    "floordiv": (lambda x: jnp.zeros((x.shape[0] // 2, 3)) + x[0], "f32[b]"),
    "mod": (lambda x: jnp.ones(x.shape[0] % 3 + 1) * x[0], "f32[b]"),
    "max": (lambda x, y: jnp.arange(jax.core.max_dim(x.shape[0], y.shape[0])) * x[0] + y[0], "f32[b]", "f32[c]"),
    "min": (lambda x, y: x[: jax.core.min_dim(x.shape[0], y.shape[0])] + y[0], "f32[b]", "f32[c]"),
    "plus": (lambda x: jnp.ones(x.shape[0] + 1) * x.sum(), "f32[b]"),
    "twice": (lambda x: jnp.ones((2 * x.shape[0],)) * x[0], "f32[b]"),
    "of_product": (lambda x, y: jnp.arange(x.shape[0] * y.shape[0]) + x[0], "f32[b]", "f32[c]"),
    "derived_in": (lambda x: x + 1, "f32[2*b]"),
    "derived_plus": (lambda x, y: x[1:] + y, "f32[b+1]", "f32[b]"),
    "derived_sum": (lambda x, y, z: x - jnp.concatenate([y, z]), "f32[b+c]", "f32[b]", "f32[c]"),
    "derived_product": (lambda x, y, z: x.reshape(y.shape[0], z.shape[0]) + y[:, None] + z, "f32[b*c]", "f32[b]", "f32[c]"),
    "square": (lambda x, y: x.reshape(y.shape[0], y.shape[0]) @ y, "f32[b^2]", "f32[b]"),
    "mean_of_pairs": (lambda x: x[: x.shape[0] // 2 * 2].reshape(-1, 2).mean(1), "f32[b]"),
    "padded_to_even": (lambda x: jnp.pad(x, (0, x.shape[0] % 2)).reshape(-1, 2), "f32[b]"),
    "ceil_blocks": (lambda x: jnp.pad(x, (0, -x.shape[0] % 4)).reshape(-1, 4).sum(0), "f32[b]"),
    "triangle": (lambda x: jnp.arange(x.shape[0] * (x.shape[0] + 1) // 2) * x[0], "f32[b]"),
    "in_value": (lambda x: x * jnp.sqrt(jnp.float32(x.shape[0])), "f32[b,c]"),
    "count": (lambda x: jnp.size(x) + x.astype(jnp.int32), "f32[b,c]"),
    "abs_difference": (lambda x, y: jnp.ones(jax.core.max_dim(x.shape[0] - y.shape[0], y.shape[0] - x.shape[0]) + 1) * x[0], "f32[b]", "f32[c]"),
    "fraction": (lambda x: x[: (3 * x.shape[0]) // 4 + 1], "f32[b]"),
    "zero": (lambda x: jnp.concatenate([x[:0], x]), "f32[b]"),
    "nothing": (lambda x: x[: x.shape[0] - x.shape[0]], "f32[b]"),
    "power": (lambda x: jnp.zeros(x.shape[0] ** 2) + x[0], "f32[b]"),
    "clipped": (lambda x: x[: jax.core.min_dim(x.shape[0], 5)], "f32[b]"),
    "mixed": (lambda x, y: jnp.zeros((x.shape[0] // 2 + y.shape[0] % 3, 2)) + x[0], "f32[b]", "f32[c]"),
})
case("size_constrained", lambda x: x[3:] + x[: x.shape[0] - 3], "f32[b]", constraints=("b >= 4",))
case("size_at_most", lambda x: jnp.pad(x, (0, 40 - x.shape[0])), "f32[b]", constraints=("b <= 40",))
case("size_ordered", lambda x, y: x[: y.shape[0]] + y, "f32[b]", "f32[c]", constraints=("b >= c",), c=lambda b: (b + 1) // 2)
case("size_multiple", lambda x: x.reshape(-1, 2).sum(1), "f32[b]", constraints=("mod(b, 2) == 0",))
case("size_equal", lambda x, y: x + y[: x.shape[0]], "f32[b]", "f32[c]", constraints=("c == 2*b",), c=lambda b: 2 * b)
case("size_floordiv_equal", lambda x, y: x[: y.shape[0]] + y, "f32[b]", "f32[c]", constraints=("floordiv(b, 2) == c",), c=lambda b: b // 2)
# ---- reductions, windows, cumulative ---------------------------------------------------------------------------------
cases("reduce", {
    "sum": (lambda x: x.sum(), "f32[b,c]"), "sum_0": (lambda x: x.sum(0), "f32[b,c]"),
    "sum_1": (lambda x: x.sum(1, keepdims=True), "f32[b,c]"),
    "prod": (lambda x: x.prod(0), "f32[b,2]"), "max": (lambda x: x.max(0), "f32[b,c]"),
    "min": (lambda x: x.min(), "f32[b]"),
    "mean": (lambda x: x.mean(0), "f32[b,c]"), "var": (lambda x: x.var(0), "f32[b,2]"),
    "std": (lambda x: x.std(), "f32[b,c]"),
    "argmax": (lambda x: x.argmax(0), "f32[b,c]"), "argmin": (lambda x: jnp.argmin(x), "f32[b,c]"),
    "logsumexp": (lambda x: jax.nn.logsumexp(x, 1), "f32[b,c]"),
    "softmax": (lambda x: jax.nn.softmax(x, -1), "f32[b,c]"),
    "softmax_0": (lambda x: jax.nn.log_softmax(x, 0), "f32[b,3]"), "norm": (lambda x: jnp.linalg.norm(x), "f32[b,c]"),
    "norm_axis": (lambda x: jnp.linalg.norm(x, axis=0), "f32[b,2]"),
    "count_nonzero": (lambda x: jnp.count_nonzero(x > 0, axis=0), "f32[b,c]"),
    "pair": (lambda x, y: lax.reduce((x, y), (0.0, 1.0), lambda a, b: (a[0] + b[0], a[1] * b[1]), (0,)), "f32[b,2]", "f32[b,2]"),
    "custom": (lambda x: lax.reduce(x, jnp.float32(-jnp.inf), lambda a, b: jnp.maximum(a, b) + 0, (1,)), "f32[b,c]"),
    "and": (lambda x: lax.reduce_and(x, (0,)), "i32[b,2]"), "xor": (lambda x: lax.reduce_xor(x, (0,)), "u32[b]"),
    "average": (lambda x, w: jnp.average(x, weights=w), "f32[b]", "f32[b]+"),
    "ptp": (lambda x: jnp.ptp(x, 0), "f32[b,c]"),
    "nanmean": (lambda x: jnp.nanmean(jnp.where(x > 1, jnp.nan, x), 0), "f32[b,2]"),
    "cov": (jnp.cov, "f32[2,b+1]"),
    "layer_norm": (lambda x: (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5), "f32[b,c]"),
    "nanmax": (lambda x: jnp.nanmax(x, 0), "f32[b,c]"),
    "masked": (lambda x, m: jnp.mean(x, where=m | True), "f32[b,c]", "pred[b,c]"),
    "standardize": (jax.nn.standardize, "f64[b,c]"), "one_hot": (lambda i: jax.nn.one_hot(i, 4), "i32[b]%4"),
    "precision": (lambda x: lax.reduce(x, np.float16(0), lax.add, (0,)), "f16[b,2]"),
    "integers": (lambda x: x.sum(0), "i8[b,2]"), "bools": (lambda x: x.sum(), "pred[b]"),
    "one_hot_open": (lambda i, x: jax.nn.one_hot(i, x.shape[0]), "i32[b]%4", "f32[c]"),
})
cases("cumulative", {
    "sum": (jnp.cumsum, "f32[b]"), "sum_1": (lambda x: lax.cumsum(x, 1), "f32[2,b]"),
    "sum_0": (lambda x: jnp.cumsum(x, 0), "f32[b,c]"), "prod": (jnp.cumprod, "f32[b]u"),
    "prod_c": (lambda x: jnp.cumprod(x, 1), "f32[3,b]u"),
    "max": (lambda x: lax.cummax(x), "f32[b]"), "min": (lambda x: lax.cummin(x, reverse=True), "f32[b,2]"),
    "logsumexp": (lambda x: lax.cumlogsumexp(x), "f32[b]"),
    "reverse": (lambda x: lax.cumsum(x, reverse=True), "f32[b,2]"), "int": (jnp.cumsum, "i32[b]"),
    "bool": (lambda x: jnp.cumsum(x), "pred[b]"), "f64_max": (lambda x: lax.cummax(x, 1), "f64[c,b]"),
    "bf16": (lambda x: lax.cumsum(x), "bf16[b]u"),
    "sum_logsumexp_2d": (lambda x: lax.cumlogsumexp(x, axis=1, reverse=True), "f32[c,b]"),
    "twice": (lambda x: jnp.cumsum(jnp.cumsum(x, 0), 1), "f32[b,c]"),
    "weighted": (lambda x: jnp.cumsum(x * jnp.arange(x.shape[0])), "f32[b]"),
    "complex": (lambda x: jnp.cumsum(x), "c64[b]"),
    "trapezoid": (lambda x: jnp.trapezoid(x), "f32[b+1]"), "flat": (lambda x: jnp.cumsum(x), "f32[b,c]"),
    "max_int": (lambda x: lax.cummax(x), "i32[b]"), "nancumsum": (jnp.nancumsum, "f32[b]"),
    "cumprod_reverse": (lambda x: lax.cumprod(x, reverse=True), "f32[2*b]u"),
})
cases("window", {
    "sum": (lambda x: lax.reduce_window(x, 0.0, lax.add, (2,), (1,), "SAME"), "f32[b]"),
    "max_valid": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (3,), (1,), "VALID"), "f32[b+2]"),
    "stride": (lambda x: lax.reduce_window(x, 0.0, lax.add, (2,), (2,), "SAME"), "f32[b]"),
    "stride_3": (lambda x: lax.reduce_window(x, 0.0, lax.add, (3, 1), (3, 1), "SAME"), "f32[b,c]"),
    "min_2d": (lambda x: lax.reduce_window(x, jnp.inf, lax.min, (2, 2), (1, 1), "SAME"), "f32[b,c]"),
    "batch": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), "f32[b,4,4,2]"),
    "image": (lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "SAME"), "f32[2,b,c,1]"),
    "open_window": (lambda x: lax.reduce_window(x, 0.0, lax.add, (x.shape[0],), (1,), ((x.shape[0] - 1, 0),)), "f32[b]"),
    "dilated": (lambda x: lax.reduce_window(x, 0.0, lax.add, (2,), (1,), ((2, 2),), window_dilation=(2,)), "f32[b]"),
    "base_dilated": (lambda x: lax.reduce_window(x, 0.0, lax.add, (2,), (1,), ((1, 1),), base_dilation=(2,)), "f32[b]"),
    "pair": (lambda x, y: lax.reduce_window((x, y), (0.0, 1.0), lambda a, b: (a[0] + b[0], a[1] * b[1]), (2, 1), (1, 1),
                                            "SAME"), "f32[b,2]", "f32[b,2]"),
    "pair_open": (lambda x, y: lax.reduce_window((x, y), (0.0, 0), lambda a, b: (a[0] + b[0], a[1] + b[1]),
                                                 (2, x.shape[0]), (1, 1), ((0, 1), (0, x.shape[0] - 1))), "f32[b,b]", "i32[b,b]"),
    "average_pool": (lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2), (1, 2), "VALID") / 2, "f32[b,2*c]"),
    "prod": (lambda x: lax.reduce_window(x, 1.0, lax.mul, (2,), (1,), ((1, 0),)), "f32[b]"),
    "global_max": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, x.shape[1]), (1, 1), "VALID"), "f32[b,c]"),
    "select_scatter": (
        lambda x: jax.grad(lambda v: jnp.sum(lax.reduce_window(v, -jnp.inf, lax.max, (2, 1), (2, 1), "VALID") ** 2))(x),
        "f32[2*b,2]"),
    "grad_sum": (lambda x: jax.grad(lambda v: jnp.sum(lax.reduce_window(v, 0.0, lax.add, (2,), (1,), "SAME") ** 2))(x), "f32[b]"),
})
# ---- gather, scatter, sort -------------------------------------------------------------------------------------------
cases("gather", {
    "take": (lambda x: jnp.take(x, jnp.array([0, -1, 0])), "f32[b]"),
    "take_rows": (lambda x, i: x[i], "f32[b,c]", "i32[3]%9"),
    "take_by_open": (lambda x, i: x[i], "f32[5,2]", "i32[b]%5"),
    "take_along": (lambda x, i: jnp.take_along_axis(x, i, 0), "f32[5,c]", "i32[b,c]%5"),
    "take_clip": (lambda x, i: jnp.take(x, i, mode="clip"), "f32[b]", "i32[c]%40"),
    "take_fill": (lambda x, i: jnp.take(x, i, mode="fill", fill_value=-3.0), "f32[b]", "i32[c]%40"),
    "take_wrap": (lambda x, i: jnp.take(x, i, mode="wrap"), "f32[b]", "i32[c]%40"),
    "index_two": (lambda x, i: x[i, i], "f32[b,b]", "i32[c]%3"),
    "index_column": (lambda x, i: x[:, i], "f32[b,5]", "i32[c]%5"),
    "embedding": (lambda t, i: t[i], "f32[6,4]", "i32[b,c]%6"),
    "dynamic_slice": (lambda x, i: lax.dynamic_slice(x, (i[0],), (2,)), "f32[b+1]", "i32[1]%9"),
    "dynamic_slice_open": (lambda x, i: lax.dynamic_slice(x, (i[0], 0), (1, x.shape[1])), "f32[b,c]", "i32[1]%9"),
    "dynamic_index": (lambda x, i: lax.dynamic_index_in_dim(x, i[0], 0), "f32[b,2]", "i32[1]%9"),
    "dynamic_slice_in_dim": (lambda x, i: lax.dynamic_slice_in_dim(x, i[0], x.shape[0] // 2 + 1), "f32[b]", "i32[1]%9"),
    "last_rows": (lambda x: lax.dynamic_slice_in_dim(x, x.shape[0] - 1, 1), "f32[b,c]"),
    "searchsorted": (lambda x, v: jnp.searchsorted(x, v), "f32[b]s", "f32[c]"),
    "searchsorted_sort": (lambda x, v: jnp.searchsorted(x, v, method="sort"), "f32[b]s", "f32[c]"),
    "interp": (lambda x, y: jnp.interp(jnp.array([-1.0, 0.0, 0.5]), x, y), "f32[b]s", "f32[b]"),
    "vmap_index": (lambda x, i: jax.vmap(lambda r, k: r[k])(x, i), "f32[b,c]", "i32[b]%9"),
    "vmap_dynamic": (lambda x, i: jax.vmap(lambda r, k: lax.dynamic_slice(r, (k,), (1,)))(x, i), "f32[b,c]", "i32[b]%9"),
    "mask_first": (lambda x: x[jnp.argmax(x)], "f32[b]"),
    "newaxis": (lambda x, i: x[i, None, :], "f32[b,c]", "i32[2]%9"),
    "slice_and_index": (lambda x, i: x[1:, i], "f32[b+1,4]", "i32[c]%4"),
    "digitize": (lambda x: jnp.digitize(x, jnp.array([-1.0, 0.0, 1.0])), "f32[b]"),
    "unflatten": (lambda x: jnp.unravel_index(jnp.argmax(x), (x.shape[0], x.shape[1])), "f32[b,c]"),
})
cases("scatter", {
    "add": (lambda x: x.at[jnp.array([0, 0, -1])].add(1.0), "f32[b]"),
    "set": (lambda x, i: x.at[i].set(7.0), "f32[b]", "i32[c]%9"),
    "mul": (lambda x, i: x.at[i].multiply(2.0), "f32[b,2]", "i32[3]%9"),
    "max": (lambda x, i, v: x.at[i].max(v), "f32[b]", "i32[c]%9", "f32[c]"),
    "min": (lambda x, i, v: x.at[i].min(v), "f32[6]", "i32[b]%6", "f32[b]"),
    "rows": (lambda x, i, v: x.at[i].add(v), "f32[b,c]", "i32[3]%9", "f32[3,c]"),
    "columns": (lambda x, v: x.at[:, 0].set(v), "f32[b,c]", "f32[b]"),
    "update_slice": (lambda x, v, i: lax.dynamic_update_slice(x, v, (i[0],)), "f32[b+c]", "f32[c]", "i32[1]%5"),
    "update_row": (lambda x, v: x.at[0].set(v), "f32[b,c]", "f32[c]"),
    "slice_set": (lambda x: x.at[1:].set(0.0), "f32[b+1]"),
    "segment_sum": (lambda x: jax.ops.segment_sum(x, jnp.arange(x.shape[0]) % 3, 3), "f32[b,2]"),
    "segment_max": (lambda x, i: jax.ops.segment_max(x, i, 4), "f32[b]", "i32[b]%4"),
    "segment_open": (lambda x, i, y: jax.ops.segment_sum(x, i, y.shape[0]), "f32[b]", "i32[b]%4", "f32[c]"),
    "bincount": (lambda i: jnp.bincount(i, length=5), "i32[b]%5"),
    "histogram": (lambda x: jnp.histogram(x, bins=jnp.array([-3.0, -1.0, 0.0, 1.0, 3.0]))[0], "f32[b]"),
    "apply": (lambda x, i: x.at[i].apply(jnp.sin), "f32[b]", "i32[2]%9"),
    "drop": (lambda x, i: x.at[i].set(3.0, mode="drop"), "f32[b]", "i32[c]%40"),
    "put_diagonal": (lambda x: jnp.fill_diagonal(x, 5.0, inplace=False), "f32[b,b]"),
    "grad_take": (lambda x, i: jax.grad(lambda v: jnp.sum(v[i] ** 2))(x), "f32[b,2]", "i32[c]%9"),
    "vmap_add": (lambda x, i: jax.vmap(lambda r, k: r.at[k].add(1.0))(x, i), "f32[b,c]", "i32[b]%9"),
    "open_zeros": (lambda x, i: jnp.zeros((x.shape[0],)).at[i].add(x[0]), "f32[b]", "i32[c]%9"),
    "sub": (lambda x: x.at[0].subtract(1.0), "f32[b,c]"), "power": (lambda x: x.at[0].power(2.0), "f32[b]+"),
    "reverse_set": (lambda x: x.at[::-1].set(jnp.arange(x.shape[0], dtype=jnp.float32)), "f32[b]"),
})
cases("sort", {
    "values": (jnp.sort, "f32[b]"), "axis0": (lambda x: jnp.sort(x, 0), "f32[b,c]"),
    "axis1": (lambda x: jnp.sort(x, 1), "f32[b,c]"), "descending": (lambda x: jnp.sort(x, descending=True), "f32[b]"),
    "argsort": (jnp.argsort, "f32[b]"), "argsort_axis": (lambda x: jnp.argsort(x, 0), "f32[b,2]"),
    "pairs": (lambda x, y: lax.sort((x, y), num_keys=1), "f32[b]", "i32[b]"),
    "two_keys": (lambda x, y: lax.sort((x, y), num_keys=2), "i32[b]%3", "f32[b]"),
    "lexsort": (lambda x, y: jnp.lexsort((x, y)), "f32[b]", "i32[b]%3"), "ints": (jnp.sort, "i32[c,b]"),
    "complex": (jnp.sort, "c64[b]"), "partition": (lambda x: jnp.sort(x)[: x.shape[0] // 2], "f32[b]"),
    "median_by_hand": (lambda x: jnp.sort(x)[x.shape[0] // 2], "f32[b]"),
    "top_k": (lambda x: lax.top_k(x, 2), "f32[c,b+1]"),
    "top_k_open": (lambda x, y: lax.top_k(x, y.shape[0]), "f32[b+c]", "f32[c]"),
    "top_k_half": (lambda x: lax.top_k(x, x.shape[1] // 2 + 1), "f32[c,b]"),
    "top_k_int": (lambda x: lax.top_k(x, 1)[0], "i32[b]"), "approx_max": (lambda x: lax.approx_max_k(x, 1), "f32[b]"),
    "approx_min_open": (lambda x, y: lax.approx_min_k(x, y.shape[0]), "f32[b+c]", "f32[c]"),
    "rank": (lambda x: jnp.argsort(jnp.argsort(x)), "f32[b]"),
    "approx_max_batch": (lambda x: lax.approx_max_k(x, 2), "f32[c,b+1]"), "flip": (lambda x: -jnp.sort(-x), "f32[b]"),
    "unique_mask": (lambda x: jnp.concatenate([jnp.ones(1, bool), jnp.sort(x)[1:] != jnp.sort(x)[:-1]]), "i32[b]%4"),
    "setdiff": (lambda x, y: jnp.isin(x, y), "i32[b]%9", "i32[c]%9"),
    "quantile": (lambda x: jnp.quantile(x, 0.25), "f32[b]"), "median": (lambda x: jnp.median(x, 0), "f32[b,2]"),
    "percentile": (lambda x: jnp.percentile(x, 50.0), "f32[b]"),
    "top_k_axis": (lambda x: lax.top_k(x, 1, axis=0), "f32[b,c]"), "bf16": (jnp.sort, "bf16[b]"),
    "unsigned": (jnp.argsort, "u8[b]"),
})
# ---- products, convolutions, transforms, decompositions --------------------------------------------------------------
cases("dot", {
    "vv": (jnp.dot, "f32[b]", "f32[b]"), "mv": (jnp.dot, "f32[b,c]", "f32[c]"), "vm": (jnp.dot, "f32[b]", "f32[b,c]"),
    "mm": (jnp.matmul, "f32[b,c]", "f32[c,b]"), "mm_static": (jnp.matmul, "f32[b,3]", "f32[3,4]"),
    "static_mm": (jnp.matmul, "f32[4,3]", "f32[3,b]"), "gram": (lambda x: x.T @ x, "f32[b,3]"),
    "outer": (jnp.outer, "f32[b]", "f32[c]"), "batched": (jnp.matmul, "f32[b,2,3]", "f32[b,3,c]"),
    "batched_open": (jnp.matmul, "f32[2,b,c]", "f32[2,c,b]"),
    "shared": (lambda x, y: x @ y, "f32[b,2,3]", "f32[3,c]"), "inner": (jnp.inner, "f32[b,3]", "f32[c,3]"),
    "tensordot": (lambda x, y: jnp.tensordot(x, y, 2), "f32[b,2,c]", "f32[2,c,3]"),
    "tensordot_axes": (lambda x, y: jnp.tensordot(x, y, ((0,), (1,))), "f32[b,2]", "f32[c,b]"),
    "vdot": (jnp.vdot, "f32[b,c]", "f32[b,c]"),
    "general": (lambda x, y: lax.dot_general(x, y, (((1,), (1,)), ((0,), (0,)))), "f32[b,c,2]", "f32[b,c,3]"),
    "general_none": (lambda x, y: lax.dot_general(x, y, (((), ()), ((), ()))), "f32[b]", "f32[c]"),
    "preferred": (lambda x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ())), preferred_element_type=jnp.float32), "bf16[b,3]", "bf16[3,c]"),
    "ints": (jnp.matmul, "i32[b,c]", "i32[c]"),
    "int8": (lambda x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32), "i8[b,3]", "i8[3,c]"),
    "complex": (jnp.matmul, "c64[b,c]", "c64[c]"),
    "f64": (jnp.matmul, "f64[b,c]", "f64[c,2]"),
    "highest": (lambda x, y: jnp.matmul(x, y, precision="highest"), "f32[b,c]", "f32[c]"),
    "multi": (lambda x, y, z: jnp.linalg.multi_dot([x, y, z]), "f32[b,3]", "f32[3,c]", "f32[c,2]"),
    "power": (lambda x: jnp.linalg.matrix_power(x, 3), "f32[b,b]"), "cross": (jnp.cross, "f32[b,3]", "f32[b,3]"),
    "mlp": (lambda x, w, v: jnp.tanh(x @ w) @ v, "f32[b,4]", "f32[4,c]", "f32[c,2]"),
    "mixed_types": (lambda x, y: x @ y, "bf16[b,c]", "f32[c]"),
    "vecmat_static": (lambda x, w: w @ x, "f32[b]", "f32[3,b]"),
    "preferred_f64": (lambda x, y: lax.dot(x, y, preferred_element_type=jnp.float64), "f32[b,c]", "f32[c,b]"),
})
EINSUMS = {"mv": ("ij,j->i", "[b,c]", "[c]"), "three": ("i,j,i->j", "[b]", "[c]", "[b]"),
           "bilinear": ("i,ij,j->", "[b]", "[b,c]", "[c]"), "trace": ("ii->", "[b,b]"), "diagonal": ("ii->i", "[b,b]"),
           "transpose": ("ij->ji", "[b,c]"), "sum": ("ij->j", "[b,c]"), "batch": ("bij,bjk->bik", "[b,2,c]", "[b,c,3]"),
           "attention": ("bqhd,bkhd->bhqk", "[2,b,2,3]", "[2,c,2,3]"), "outer": ("i,j->ij", "[b]", "[c]"),
           "hadamard": ("ij,ij->ij", "[b,c]", "[b,c]"), "ellipsis": ("...i,i->...", "[b,2,c]", "[c]"),
           "chain": ("ij,jk,kl->il", "[b,2]", "[2,c]", "[c,3]"), "swap": ("ij,jk->ki", "[b,c]", "[c,2]"),
           "repeated": ("i,i,i->i", "[b]", "[b]", "[b]"), "reduce_all": ("ij,jk->", "[b,c]", "[c,b]"), "tensor": ("abc,cd->adb", "[b,2,c]", "[c,2]"), "batch_diagonal": ("bii->bi", "[b,c,c]")}
for _name, (_spec, *_shapes) in EINSUMS.items():
    case(f"einsum_{_name}", functools.partial(jnp.einsum, _spec), *[f"f32{s}" for s in _shapes])


def conv(strides=(1, 1), padding="SAME", **kw):
    return lambda x, k: lax.conv_general_dilated(x, k, strides, padding, dimension_numbers=("NHWC", "HWIO", "NHWC"), **kw)


cases("conv", {
    "batch": (conv(), "f32[b,5,5,2]", "f32[3,3,2,4]"),
    "valid": (conv(padding="VALID"), "f32[b,5,5,2]", "f32[3,3,2,4]"),
    "stride": (conv((2, 2)), "f32[b,5,5,2]", "f32[3,3,2,4]"),
    "image": (conv(padding=((1, 1), (1, 1))), "f32[1,b,c,2]", "f32[3,3,2,4]"),
    "image_same": (conv(), "f32[1,b,c,2]", "f32[3,3,2,4]"),
    "image_stride": (conv((2, 2)), "f32[1,b,c,2]", "f32[3,3,2,4]"),
    "channels": (conv(), "f32[1,4,4,b]", "f32[3,3,b,c]"),
    "dilated": (conv(padding=((2, 2), (2, 2)), rhs_dilation=(2, 2)), "f32[1,b,c,2]", "f32[3,3,2,1]"),
    "groups": (conv(feature_group_count=2), "f32[b,4,4,4]", "f32[3,3,2,4]"),
    "one_d": (lambda x, k: lax.conv_general_dilated(x, k, (1,), ((2, 2),)), "f32[b,2,c]", "f32[3,2,3]"),
    "transpose": (lambda x, k: lax.conv_transpose(x, k, (2, 2), "SAME"), "f32[b,3,3,2]", "f32[3,3,2,4]"),
    "lhs_dilated": (conv(padding=((1, 1), (1, 1)), lhs_dilation=(2, 2)), "f32[1,b,3,2]", "f32[2,2,2,1]"),
    "grad": (lambda x, k: jax.grad(lambda w: jnp.sum(conv()(x, w) ** 2))(k), "f32[b,4,4,2]", "f32[3,3,2,3]"),
    "grad_input": (lambda x, k: jax.grad(lambda v: jnp.sum(conv()(v, k) ** 2))(x), "f32[b,4,4,2]", "f32[3,3,2,3]"),
    "grad_image": (lambda x, k: jax.grad(lambda v: jnp.sum(conv(padding=((1, 1), (1, 1)))(v, k) ** 2))(x), "f32[1,b,c,2]", "f32[3,3,2,3]"),
    "polynomial": (lambda x: jnp.polyval(jnp.array([1.0, 2.0, 3.0]), x), "f32[b,c]"),
    "three_d": (lambda x, k: lax.conv_general_dilated(x, k, (1, 1, 1), "SAME"), "f32[b,1,3,3,3]", "f32[2,1,2,2,2]"),
    "f16": (conv(), "f16[b,4,4,2]", "f16[3,3,2,1]"),
    "depthwise_open": (lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "SAME",
                                                             dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                                             feature_group_count=2), "f32[1,b,c,2]", "f32[3,3,1,2]"),
    "grad_stride": (lambda x, k: jax.grad(lambda w: jnp.sum(conv((2, 2))(x, w) ** 2))(k), "f32[b,5,5,2]", "f32[3,3,2,3]"),
    "low_high": (conv(padding=((2, 0), (0, 1))), "f32[b,4,4,1]", "f32[2,2,1,1]"),
})
cases("fft", {
    "fft": (lambda x: jnp.fft.fft(x), "c64[b,4]"), "ifft": (lambda x: jnp.fft.ifft(x), "c64[b,5]"),
    "rfft": (lambda x: jnp.fft.rfft(x), "f32[b,6]"), "irfft": (lambda x: jnp.fft.irfft(x, 6), "c64[b,4]"),
    "fft2": (lambda x: jnp.fft.fft2(x), "c64[b,3,4]"), "fftshift": (jnp.fft.fftshift, "f32[b]"),
    "fft_axis": (lambda x: jnp.fft.fft(x, axis=0), "c64[4,b]"),
    "rfft_two": (lambda x: jnp.abs(jnp.fft.rfft(x)), "f32[b,c,8]"),
    "fftn": (lambda x: jnp.fft.rfftn(x, axes=(1, 2)), "f32[b,3,4]"),
    "tiled": (lambda x: jnp.abs(jnp.fft.fft(jnp.tile(x[:1], 4))), "f32[b]"),
    "open": (lambda x: jnp.fft.fft(x), "c64[b]"), "rfft_open": (lambda x: jnp.fft.rfft(x), "f32[2*b]"),
    "grad": (lambda x: jax.grad(lambda v: jnp.sum(jnp.abs(jnp.fft.rfft(v)) ** 2))(x), "f32[b,4]"),
    "c128": (lambda x: jnp.fft.fft(x), "c128[b,3]"), "dct": (lambda x: jsp.fft.dct(x, axis=1), "f32[b,4]"),
})
cases("linalg", {
    "cholesky": (lambda x: jnp.linalg.cholesky(square(x)), "f32[b,3]"),
    "cholesky_open": (lambda x: jnp.linalg.cholesky(square(x)), "f32[b]"),
    "cholesky_both": (lambda x: jnp.linalg.cholesky(square(x)), "f32[b,c]"),
    "cholesky_f64": (lambda x: jnp.linalg.cholesky(square(x)), "f64[b,2]"),
    "cholesky_c64": (lambda x: jnp.linalg.cholesky(x[..., :, None] * x[..., None, :].conj() + 5 * jnp.eye(2)), "c64[b,2]"),
    "solve": (lambda x, y: jnp.linalg.solve(square(x), y[..., None]), "f32[b,3]", "f32[b,3]"),
    "solve_open": (lambda x, y: jnp.linalg.solve(square(x), y), "f32[b]", "f32[b]"),
    "solve_many": (lambda x, y: jnp.linalg.solve(square(x), y), "f32[3]", "f32[3,b]"),
    "inv": (lambda x: jnp.linalg.inv(square(x)), "f32[b,3]"),
    "inv_open": (lambda x: jnp.linalg.inv(square(x)), "f32[b]"),
    "det": (lambda x: jnp.linalg.det(square(x)), "f32[b,3]"),
    "det_open": (lambda x: jnp.linalg.slogdet(square(x))[1], "f32[b]"),
    "lu": (lambda x: lax.linalg.lu(square(x)), "f32[b,3]"), "lu_open": (lambda x: lax.linalg.lu(x)[0], "f32[b,b]"),
    "lu_factor": (lambda x, y: jsp.linalg.lu_solve(jsp.linalg.lu_factor(square(x)), y), "f32[b]", "f32[b]"),
    "qr": (lambda x: jnp.abs(jnp.linalg.qr(x)[1]), "f32[b,4,3]"),
    "qr_open": (lambda x: (lambda q, r: q @ r)(*jnp.linalg.qr(x)), "f32[b+2,3]"),
    "qr_r": (lambda x: jnp.abs(jnp.linalg.qr(x, mode="r")), "f32[b,3,2]"),
    "eigh": (lambda x: jnp.linalg.eigh(square(x))[0], "f32[b,3]"),
    "eigh_open": (lambda x: jnp.linalg.eigvalsh(square(x)), "f32[b]"),
    "svd": (lambda x: jnp.linalg.svd(x, compute_uv=False), "f32[b,4,3]"),
    "svd_open": (lambda x: jnp.linalg.svd(x, compute_uv=False), "f32[b,c]"),
    "svd_back": (lambda x: (lambda u, s, v: (u * s[..., None, :]) @ v)(*jnp.linalg.svd(x, full_matrices=False)), "f32[b,4,3]"),
    "eig": (lambda x: jnp.sort(jnp.abs(jnp.linalg.eigvals(x))), "f32[b,3,3]"),
    "triangular": (lambda x, y: jsp.linalg.solve_triangular(square(x), y, lower=True), "f32[b]", "f32[b,c]"),
    "triangular_batch": (lambda x, y: lax.linalg.triangular_solve(square(x), y, left_side=True, lower=True), "f32[b,3]", "f32[b,3,c]"),
    "cho_solve": (lambda x, y: jsp.linalg.cho_solve((jnp.linalg.cholesky(square(x)), True), y), "f32[b]", "f32[b]"),
    "pinv": (lambda x: jnp.linalg.pinv(x), "f32[b,3,2]"),
    "lstsq": (lambda x, y: jnp.linalg.lstsq(x, y)[0], "f32[b+3,2]", "f32[b+3]"),
    "expm": (lambda x: jsp.linalg.expm(x * 0.1), "f32[3,3]"),
    "matrix_norm": (lambda x: jnp.linalg.norm(x, 2, axis=(1, 2)), "f32[b,3,2]"),
    "matrix_rank": (lambda x: jnp.linalg.matrix_rank(x), "f32[b,3,2]"),
    "householder": (lambda x: lax.linalg.householder_product(x[:, :, :2], x[:, 0, :2] * 0.1), "f32[b,3,3]"),
    "tridiagonal": (lambda x: lax.linalg.tridiagonal_solve(jnp.ones_like(x), x + 5, jnp.ones_like(x),
                                                           jnp.ones(x.shape + (2,), x.dtype)), "f32[b,4]"),
    "logdet_grad": (lambda x: jax.grad(lambda v: jnp.linalg.slogdet(square(v))[1].sum())(x), "f32[b,3]"),
    "cholesky_grad": (lambda x: jax.grad(lambda v: jnp.linalg.cholesky(square(v)).sum())(x), "f32[b,3]"),
    "solve_grad": (lambda x: jax.grad(lambda v: jnp.linalg.solve(square(v), v).sum())(x), "f32[b]"),
    "vmap_cholesky": (lambda x: jax.vmap(lambda v: jnp.linalg.cholesky(square(v)))(x), "f64[b,c]"),
    "vmap_solve": (lambda x, y: jax.vmap(jnp.linalg.solve, (None, 0))(square(x), y), "f32[3]", "f32[b,3]"),
    "kalman": (lambda p, h: p - p @ h.T @ jnp.linalg.inv(h @ p @ h.T + jnp.eye(2)) @ h @ p, "f32[b,b]", "f32[2,b]"),
    "schur": (lambda x: jnp.sort(jnp.diagonal(jsp.linalg.schur(square(x))[0])), "f32[3]"),
    "hessenberg": (lambda x: jnp.abs(lax.linalg.hessenberg(square(x))[0]), "f32[b,3]"),
    "eigh_vectors": (lambda x: (lambda w, v: (v * w[..., None, :]) @ jnp.swapaxes(v, -1, -2))(*jnp.linalg.eigh(square(x))), "f64[b,3]"),
    "symmetric_product": (lambda x: lax.linalg.symmetric_product(x, jnp.zeros((x.shape[0], x.shape[0]), x.dtype)), "f32[b,3]"),
    "qr_pivot": (lambda x: jsp.linalg.qr(x, mode="economic")[1] ** 2, "f32[b+1,2]"),
    "lu_pivots": (lambda x: lax.linalg.lu(square(x))[2], "f64[b,c]"),
    "eigh_both": (lambda x: jnp.linalg.eigvalsh(square(x)), "f32[b,c]"),
    "solve_both": (lambda x: jnp.linalg.solve(square(x), x[..., None])[..., 0], "f32[b,c]"),
    "inv_both": (lambda x: jnp.linalg.inv(square(x)), "f64[b,c]"),
    "svd_both": (lambda x: jnp.linalg.svd(square(x), compute_uv=False), "f32[b,c]"),
    "qr_both": (lambda x: jnp.abs(jnp.linalg.qr(square(x))[1]), "f32[b,c]"),
    "triangular_both": (lambda x: lax.linalg.triangular_solve(jnp.tril(square(x)), square(x), left_side=True, lower=True), "f64[b,c]"),
})
# ---- random numbers --------------------------------------------------------------------------------------------------
KEY = jax.random.PRNGKey(3)
cases("random", {
    "uniform": (lambda x: x + jax.random.uniform(KEY, x.shape), "f32[b]"),
    "normal": (lambda x: x + jax.random.normal(KEY, x.shape), "f32[b,c]"),
    "bits": (lambda x: jax.random.bits(KEY, x.shape), "f32[b]"),
    "bits8": (lambda x: jax.random.bits(KEY, x.shape, jnp.uint8), "f32[b,3]"),
    "bits64": (lambda x: jax.random.bits(KEY, x.shape, jnp.uint64), "f32[b]"),
    "randint": (lambda x: jax.random.randint(KEY, x.shape, 0, 10), "f32[b,c]"),
    "bernoulli": (lambda x: jax.random.bernoulli(KEY, 0.3, x.shape), "f32[b]"),
    "exponential": (lambda x: jax.random.exponential(KEY, x.shape), "f32[2*b]"),
    "gumbel": (lambda x: jax.random.gumbel(KEY, x.shape), "f32[b]"),
    "categorical": (lambda x: jax.random.categorical(KEY, x), "f32[b,5]"),
    "split": (lambda x: jax.random.split(KEY, x.shape[0]), "f32[b]"),
    "fold": (lambda x: jax.random.uniform(jax.random.fold_in(KEY, x.shape[0]), x.shape), "f32[b]"),
    "from_key": (lambda k, x: jax.random.normal(jax.random.split(k)[0], (x.shape[0], 2)), "u32[2]", "f32[b]"),
    "vmap_keys": (lambda x: jax.vmap(lambda k: jax.random.uniform(k, (2,)))(jax.random.split(KEY, x.shape[0])), "f32[b]"),
    "rbg": (lambda x: lax.rng_bit_generator(jnp.array([1, 2, 3, 4], jnp.uint32), x.shape, dtype=jnp.uint32), "f32[b,c]"),
    "f64": (lambda x: jax.random.uniform(KEY, x.shape, jnp.float64), "f64[b]"),
    "bf16": (lambda x: jax.random.uniform(KEY, x.shape, jnp.bfloat16), "bf16[b]"),
    "dropout": (lambda x: jnp.where(jax.random.bernoulli(KEY, 0.5, x.shape), x / 0.5, 0), "f32[b,c]"),
    "truncated": (lambda x: jax.random.truncated_normal(KEY, -1.0, 1.0, x.shape), "f32[b]"),
    "laplace": (lambda x: jax.random.laplace(KEY, x.shape), "f32[b]"),
    "rademacher": (lambda x: jax.random.rademacher(KEY, x.shape), "f32[b]"),
    "cauchy": (lambda x: jax.random.cauchy(KEY, x.shape), "f32[c,b]"),
    "beta": (lambda x: jax.random.beta(KEY, 2.0, 3.0, x.shape), "f32[b]"),
    "gamma": (lambda x: jax.random.gamma(KEY, 2.0, x.shape), "f32[b]"),
    "poisson": (lambda x: jax.random.poisson(KEY, 3.0, x.shape), "f32[b]"),
    "dirichlet": (lambda x: jax.random.dirichlet(KEY, jnp.ones(3), (x.shape[0],)), "f32[b]"),
    "multivariate": (lambda x: jax.random.multivariate_normal(KEY, jnp.zeros(2), jnp.eye(2), (x.shape[0],)), "f32[b]"),
    "new_key": (lambda x: jax.random.uniform(jax.random.key(5), x.shape), "f32[b]"),
    "rbg_philox": (lambda x: lax.rng_bit_generator(jnp.array([1, 2, 3, 4], jnp.uint32), (x.shape[0],), dtype=jnp.uint16,
                                                   algorithm=lax.RandomAlgorithm.RNG_PHILOX), "f32[b]"),
    "complex": (lambda x: jax.random.normal(KEY, x.shape, jnp.complex64), "f32[b]"),
    "rbg_64": (lambda x: lax.rng_bit_generator(jnp.array([1, 2, 3, 4], jnp.uint32), x.shape, dtype=jnp.uint64), "f32[2*b]"),
})
# ---- control flow ----------------------------------------------------------------------------------------------------
def chain(x, n=4):
    for _ in range(n):
        x = jax.jit(lambda v: jnp.sin(v) + v.mean())(x)
    return x


cases("control", {
    "scan": (lambda x: lax.scan(lambda c, v: (c * 0.5 + v, c), 0.0, x), "f32[b]"),
    "scan_rows": (lambda x: lax.scan(lambda c, v: (c + v, c.sum()), jnp.zeros(x.shape[1]), x), "f32[b,c]"),
    "scan_reverse": (lambda x: lax.scan(lambda c, v: (c * 0.9 + jnp.sin(v), c), 0.5, x, reverse=True), "f32[b]"),
    "scan_carry_open": (lambda x: lax.scan(lambda c, v: (c * 0.5 + v, None), x[0], jnp.arange(4.0))[0], "f32[b,c]"),
    "scan_length": (lambda x: lax.scan(lambda c, _: (c * 1.5, c), 1.0, None, length=x.shape[0])[1], "f32[b]"),
    "scan_nested": (lambda x: lax.scan(lambda c, r: (lax.scan(lambda d, v: (d + v, d), c, r)[0], c), 0.0, x), "f32[b,c]"),
    "fori": (lambda x: lax.fori_loop(0, x.shape[0], lambda i, c: c + x[i] * i, 0.0), "f32[b]"),
    "fori_fixed": (lambda x: lax.fori_loop(0, 3, lambda i, c: jnp.sin(c) + i, x), "f32[b,c]"),
    "fori_update": (lambda x: lax.fori_loop(1, x.shape[0], lambda i, y: y.at[i].add(y[i - 1]), x), "f32[b]"),
    "while": (lambda x: lax.while_loop(lambda s: s[0] < x.shape[0], lambda s: (s[0] + 1, s[1] * 1.1 + x.sum()),
                                       (0, x))[1], "f32[b]"),
    "while_until": (lambda x: lax.while_loop(lambda v: jnp.sum(jnp.abs(v)) > 1.0, lambda v: v * 0.5, x), "f32[b,c]"),
    "while_nested": (lambda x: lax.fori_loop(0, 3,
                                             lambda i, c: lax.while_loop(lambda s: s.max() > 1.0, lambda s: s / 2, c)
                                             + i, x), "f32[b]"),
    "cond": (lambda x: lax.cond(x.sum() > 0, jnp.sin, lambda v: v * v, x), "f32[b,c]"),
    "cond_captures": (lambda x, y: lax.cond(x[0] > 0, lambda: x + y.sum(), lambda: x - y.sum()), "f32[b]", "f32[c]"),
    "cond_size": (lambda x: lax.cond(x.shape[0] > 2, lambda v: v + 1, lambda v: v - 1, x), "f32[b]"),
    "switch": (lambda i, x: lax.switch(i[0], [jnp.exp, jnp.tanh, lambda v: v + v.shape[0]], x), "i32[1]%3", "f32[b]"),
    "cond_new_open": (lambda x: lax.cond(x[0] > 0, lambda: jnp.arange(x.shape[0] * 2),
                                         lambda: jnp.zeros(x.shape[0] * 2, jnp.int64)), "f32[b]"),
    "map": (lambda x: lax.map(lambda v: v * v.sum(), x), "f32[b,c]"),
    "map_batch": (lambda x: jax.vmap(lambda v: lax.cond(v[0] > 0, jnp.sin, jnp.cos, v))(x), "f32[b,c]"),
    "associative": (lambda x: lax.associative_scan(jnp.add, x, axis=1), "f32[b,5]"),
    "associative_matrix": (lambda x: lax.associative_scan(lambda a, c: a @ c, x), "f32[4,b,b]"),
    "newton": (lambda x: lax.fori_loop(0, 5, lambda _, v: 0.5 * (v + x / v), x), "f32[b]+"),
    "jit_chain": (chain, "f32[b]"),
    "jit_same_twice": (lambda x, y: (lambda f: (f(x), f(y), f(x[None])))(jax.jit(lambda v: jnp.cumsum(v, -1) + v.shape[-1])), "f32[b]", "f32[c]"),
    "jit_nested": (lambda x: jax.jit(lambda v: jax.jit(lambda w: w.reshape(-1, 2).sum(1))(v) * 2)(x), "f32[2*b]"),
    "remat": (lambda x: jax.grad(jax.checkpoint(lambda v: jnp.sum(jnp.sin(v) ** 2)))(x), "f32[b]"),
    "scan_grad": (lambda x: jax.grad(lambda v: lax.scan(lambda c, e: (jnp.tanh(c + e), c), 0.0, v)[0])(x), "f32[b]"),
    "scan_open_consts": (lambda x, w: lax.scan(lambda h, v: (jnp.tanh(w @ h + v), h.sum()), jnp.zeros(w.shape[0]), x), "f32[b,c]", "f32[c,c]"),
    "scan_unroll": (lambda x: lax.scan(lambda c, v: (c + v, c * v), 0.0, x, unroll=2), "f32[2*b]"),
    "custom_vjp": (lambda x: jax.custom_jvp(jnp.sin)(x) if False else jax.lax.stop_gradient(x) * x, "f32[b]"),
    "while_two": (lambda x, y: lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] + s[2].sum(), s[2] * 0.5),
                                              (0, x, y))[1:], "f32[b]", "f32[c]"),
    "switch_reshape": (lambda i, x: lax.switch(i[0], [lambda v: v.reshape(-1), lambda v: v.T.reshape(-1)], x), "i32[1]%2", "f32[b,c]"),
    "scan_dynamic_index": (lambda x: lax.scan(lambda c, i: (c + x[i], x[-i]), 0.0, jnp.arange(x.shape[0])), "f32[b]"),
    "barrier": (lambda x: lax.optimization_barrier((x, x + 1)), "f32[b]"),
    "scan_stack_square": (lambda x: lax.scan(lambda c, v: (c + jnp.outer(v, v), c.sum(0)), jnp.zeros((x.shape[1], x.shape[1])), x), "f32[b,c]"),
    "scan_while": (lambda x: lax.scan(lambda c, v: (lax.while_loop(lambda u: jnp.abs(u).sum() > 1, lambda u: u / 2,
                                                                   c + v), c), jnp.zeros(x.shape[1]), x), "f32[b,c]"),
})
# ---- transformations and models --------------------------------------------------------------------------------------
def mlp_loss(w, x, y):
    return jnp.mean((jnp.tanh(x @ w) - y) ** 2)


def attention(q, k, v):
    return jax.nn.softmax(q @ k.T / math.sqrt(q.shape[-1])) @ v


def causal(q, k, v):
    scores = q @ k.T / math.sqrt(3.0)
    mask = jnp.tril(jnp.ones((q.shape[0], q.shape[0]), bool))
    return jax.nn.softmax(jnp.where(mask, scores, -1e9)) @ v


cases("grad", {
    "sum_square": (jax.grad(lambda x: jnp.sum(x ** 2)), "f32[b]"),
    "mean": (jax.grad(lambda x: jnp.mean(x ** 3)), "f32[b,c]"),
    "mlp": (jax.grad(mlp_loss), "f32[3,2]", "f32[b,3]", "f32[b,2]"),
    "mlp_open": (jax.grad(mlp_loss), "f32[c,2]", "f32[b,c]", "f32[b,2]"),
    "softmax": (jax.grad(lambda x: jnp.sum(jax.nn.softmax(x) ** 2)), "f32[b,c]"),
    "sort": (jax.grad(lambda x: jnp.sum(jnp.sort(x) * jnp.arange(x.shape[0]))), "f32[b]"),
    "cumsum": (jax.grad(lambda x: jnp.sum(jnp.cumsum(x) ** 2)), "f32[b]"),
    "cumprod": (jax.grad(lambda x: jnp.sum(jnp.cumprod(x))), "f32[b]+"),
    "max": (jax.grad(lambda x: jnp.sum(x.max(0))), "f32[b,2]"),
    "reshape": (jax.grad(lambda x: jnp.sum(x.reshape(2, -1).prod(0))), "f32[2*b]"),
    "pad": (jax.grad(lambda x: jnp.sum(jnp.pad(x, 1) ** 2)), "f32[b]"),
    "concat": (jax.grad(lambda x, y: jnp.sum(jnp.concatenate([x, y]) ** 2), (0, 1)), "f32[b]", "f32[c]"),
    "einsum": (jax.grad(lambda x, y: jnp.einsum("ij,j->", x, y), (0, 1)), "f32[b,c]", "f32[c]"),
    "slice": (jax.grad(lambda x: jnp.sum(x[1:] * x[:-1])), "f32[b+1]"),
    "jacobian": (lambda x: jax.jacfwd(lambda v: v ** 2)(x), "f32[3]"),
    "jvp": (lambda x: jax.jvp(lambda v: jnp.sin(v).sum(), (x,), (x,)), "f32[b]"),
    "vjp": (lambda x, y: jax.vjp(lambda v: v * v.sum(), x)[1](y)[0], "f32[b]", "f32[b]"),
    "hvp": (lambda x, v: jax.jvp(jax.grad(lambda u: jnp.sum(jnp.sin(u) ** 2)), (x,), (v,))[1], "f32[b]", "f32[b]"),
    "second": (lambda x: jax.grad(lambda u: jax.grad(lambda v: jnp.sum(v ** 4))(u).sum())(x), "f32[b]"),
    "value": (jax.value_and_grad(lambda x: jnp.sum(jnp.log(x))), "f32[b]+"),
    "vmap": (jax.vmap(jax.grad(lambda x: jnp.sum(x ** 3))), "f32[b,c]"),
    "while_forward": (lambda x: jax.jvp(lambda v: lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * s[1]),
                                                                 (0, v))[1], (x,), (x,)), "f32[b]u"),
    "gather": (jax.grad(lambda x: jnp.sum(x[jnp.array([0, 0, -1])] ** 2)), "f32[b,2]"),
    "norm": (jax.grad(lambda x: jnp.linalg.norm(x)), "f32[b,c]"),
    "logsumexp": (jax.grad(lambda x: jax.nn.logsumexp(x)), "f32[b]"),
    "var": (jax.grad(lambda x: jnp.var(x, 0).sum()), "f32[b,c]"),
    "cummax": (jax.grad(lambda x: jnp.sum(lax.cummax(x) ** 2)), "f32[b]"),
    "cumlogsumexp": (jax.grad(lambda x: jnp.sum(lax.cumlogsumexp(x))), "f32[b]"),
    "jacrev_static": (lambda x, w: jax.jacrev(lambda u: jnp.tanh(w @ u))(x), "f32[3]", "f32[b,3]"),
})
cases("vmap", {
    "dot": (jax.vmap(jnp.dot), "f32[b,c]", "f32[b,c]"), "outer": (jax.vmap(jnp.outer), "f32[b,2]", "f32[b,c]"),
    "axis": (jax.vmap(lambda x: x - x.mean(), 1, 1), "f32[b,c]"),
    "two": (jax.vmap(jax.vmap(lambda a, b: a * b, (None, 0)), (0, None)), "f32[b]", "f32[c]"),
    "sort": (jax.vmap(jnp.sort), "f32[b,c]"), "cumsum": (jax.vmap(jnp.cumsum), "f32[b,c]"),
    "scan": (jax.vmap(lambda x: lax.scan(lambda c, v: (c * 0.5 + v, c), 0.0, x)[1]), "f32[b,c]"),
    "while": (jax.vmap(lambda x: lax.while_loop(lambda v: v > 1, lambda v: v / 2, x)), "f32[b]+"),
    "conv": (jax.vmap(lambda x, k: jnp.convolve(x, k, mode="same"), (0, None)), "f32[b,5]", "f32[3]"),
    "matvec": (jax.vmap(jnp.matmul, (0, None)), "f32[b,2,3]", "f32[3]"),
    "reduce": (jax.vmap(lambda x: (x.max(), x.argmax())), "f32[b,c]"),
    "where": (jax.vmap(lambda x: jnp.where(x[0] > 0, x, 0)), "f32[b,c]"),
    "fori": (jax.vmap(lambda x, n: lax.fori_loop(0, n, lambda i, c: c * 0.9, x)), "f32[b]", "i32[b]%4"),
    "top_k": (jax.vmap(lambda x: lax.top_k(x, 1)[1]), "f32[b,c]"),
    "cond": (jax.vmap(lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x)), "pred[b]", "f32[b,c]"),
    "searchsorted": (jax.vmap(jnp.searchsorted, (None, 0)), "f32[b]s", "f32[c]"),
    "cummax": (jax.vmap(lambda x: lax.cummax(x)), "f32[b,c]"),
    "window": (jax.vmap(lambda x: lax.reduce_window(x, 0.0, lax.add, (2,), (2,), "SAME")), "f32[b,c]"),
})
cases("model", {
    "attention": (attention, "f32[b,3]", "f32[c,3]", "f32[c,2]"),
    "causal": (causal, "f32[b,3]", "f32[b,3]", "f32[b,2]"),
    "layer": (lambda x, w, g: (lambda h: (h - h.mean(-1,
                                                     keepdims=True)) * lax.rsqrt(h.var(-1, keepdims=True) + 1e-5)
                               * g)(jax.nn.gelu(x @ w)), "f32[b,c,4]", "f32[4,5]", "f32[5]"),
    "rnn": (lambda x, w: lax.scan(lambda h, v: (jnp.tanh(w @ h + v),) * 2, jnp.zeros((3,)), x)[1], "f32[b,3]", "f32[3,3]"),
    "train_step": (lambda w, x, y: w - 0.1 * jax.grad(mlp_loss)(w, x, y), "f32[3,2]", "f32[b,3]", "f32[b,2]"),
    "cross_entropy": (lambda x, i: -jnp.take_along_axis(jax.nn.log_softmax(x), i[:, None], 1).mean(), "f32[b,5]", "i32[b]%5"),
    "pairwise": (lambda x, y: jnp.sqrt(jnp.sum((x[:, None] - y[None]) ** 2, -1)), "f32[b,3]", "f32[c,3]"),
    "knn": (lambda x, q: jnp.argmin(jnp.sum((x[:, None] - q[None]) ** 2, -1), 0), "f32[b,3]", "f32[c,3]"),
    "positional": (lambda x: x + jnp.sin(jnp.arange(x.shape[0])[:, None] / 10.0 ** jnp.arange(4)), "f32[b,4]"),
    "gcn": (lambda a, x, w: jax.nn.relu((a / (a.sum(1, keepdims=True) + 1)) @ x @ w), "f32[b,b]+", "f32[b,3]", "f32[3,2]"),
    "cnn": (lambda x, k, w: jax.nn.relu(conv()(x, k)).mean((1, 2)) @ w, "f32[b,6,6,1]", "f32[3,3,1,4]", "f32[4,3]"),
    "gp": (lambda x, y: (lambda k: k.T @ jnp.linalg.solve(jnp.exp(-(x[:, None] - x) ** 2) + jnp.eye(x.shape[0]),
                                                          y))(jnp.exp(-(x[:, None] - 0.5) ** 2)), "f64[b]", "f64[b]"),
    "black_scholes": (lambda s, k: s * jsp.stats.norm.cdf(jnp.log(s / k)) - k * jsp.stats.norm.cdf(jnp.log(s / k) - 0.2), "f64[b]+", "f64[b]+"),
    "particles": (lambda x, v: (x + 0.1 * v,
                                v - 0.1 * jnp.sum((x[:,
                                                     None] - x[None])
                                                  / (1 + jnp.sum((x[:, None] - x[None]) ** 2, -1, keepdims=True)), 1)),
                  "f32[b,2]", "f32[b,2]"),
    "ema": (lambda x: lax.scan(lambda c, v: (0.9 * c + 0.1 * v,) * 2, x[0], x)[1], "f32[b,c]"),
    "power_iteration": (lambda a: lax.fori_loop(0, 10, lambda _, v: (lambda w: w / jnp.linalg.norm(w))(a @ v),
                                                jnp.ones(a.shape[0])), "f32[b,b]+"),
    "resize": (lambda x: jax.image.resize(x, (x.shape[0], 6, 6, 1), "bilinear"), "f32[b,3,3,1]"),
    "batch_norm": (lambda x: (x - x.mean(0)) / jnp.sqrt(x.var(0) + 1e-3), "f32[b,c]"),
    "moe": (lambda x, g: jnp.einsum("bk,bkd->bd", jax.nn.softmax(lax.top_k(x @ g, 2)[0]), jnp.ones((x.shape[0], 2, 3))), "f32[b,4]", "f32[4,5]"),
    "lstm": (lambda x, w: lax.scan(lambda s, v: (lambda z: ((jax.nn.sigmoid(z[:2]) * jnp.tanh(z[2:]), s[1] + z[:2]),
                                                            z.sum()))(w @ jnp.concatenate([s[0], v])),
                                   (jnp.zeros(2), jnp.zeros(2)), x), "f32[b,3]", "f32[4,5]"),
    "sinkhorn": (lambda c: lax.fori_loop(0, 4,
                                         lambda _, k: (lambda m: m
                                                       / m.sum(0, keepdims=True))(k / k.sum(1, keepdims=True)),
                                         jnp.exp(-c)), "f32[b,c]"),
    "fir": (lambda x: jax.vmap(lambda i: lax.dynamic_slice(jnp.pad(x, (2, 2)), (i,),
                                                           (5,)).sum())(jnp.arange(x.shape[0])), "f32[b]"),
    "ridge": (lambda x, y: jnp.linalg.solve(x.T @ x + jnp.eye(3), x.T @ y), "f64[b,3]", "f64[b]"),
    "trees": (lambda d: {"sum": d["a"].sum() + d["b"].sum(), "both": (d["a"] * 2, d["b"] + d["a"].shape[0])}, {"a": "f32[b]", "b": "f32[c,2]"}),
    "beam": (lambda s: (lambda v, i: (v, i // s.shape[1], i % s.shape[1]))(*lax.top_k(s.reshape(-1), s.shape[0])), "f32[b,c]"),
    "rope": (lambda x: jnp.concatenate([x[..., :2] * jnp.cos(jnp.arange(x.shape[0]))[:, None],
                                        x[..., 2:] * jnp.sin(jnp.arange(x.shape[0]))[:, None]], -1), "f32[b,4]"),
})



# ---- what is rarer ---------------------------------------------------------------------------------------------------
@jax.custom_vjp
def clipped(x):
    return x * x


clipped.defvjp(lambda x: (x * x, x), lambda x, ct: (jnp.clip(2 * x * ct, -1, 1),))


@jax.custom_jvp
def safe_log(x):
    return jnp.log(x)


safe_log.defjvp(lambda x, t: (jnp.log(x[0]), t[0] / (x[0] + 1)))


def inner_export(symbols, *types):
    """A separately exported function, which another one calls."""
    def call(function):
        scope = jax.export.SymbolicScope()
        arguments = [jax.ShapeDtypeStruct(jax.export.symbolic_shape(t, scope=scope), np.float32) for t in types]
        return jax.export.export(jax.jit(function))(*arguments).call
    return call


def nested(x):
    return inner_export("n", "n")(lambda v: jnp.cumsum(v) * v.shape[0])(x) + 1


def nested_twice(x, y):
    f = inner_export("n, m", "n, m")(lambda v: v.sum(0) + v.shape[0])
    return f(x), f(y), f(jnp.concatenate([x, x]))


cases("rare", {
    "nested_export": (nested, "f32[2*b]"), "nested_export_twice": (nested_twice, "f32[b,c]", "f32[c,b]"),
    "unused": (lambda x, y: x + 1, "f32[b]", "f32[c]"),
    "only_size": (lambda x, y: y.sum() + x.shape[0], "f32[b]", "f32[c]"),
    "unused_all": (lambda x: jnp.arange(3), "f32[b]"), "same_out": (lambda x: (x, x), "f32[b]"),
    "custom_vjp": (jax.grad(lambda x: clipped(x).sum()), "f32[b]"),
    "custom_jvp": (lambda x: jax.jvp(safe_log, (x,), (x,)), "f32[b]+"),
    "platform": (lambda x: lax.platform_dependent(x, cpu=lambda v: v + v.shape[0], default=lambda v: v - 1), "f32[b]"),
    "collapse": (lambda x: lax.collapse(x, 0, 2), "f32[b,c,2]"), "gradient": (lambda x: jnp.gradient(x), "f32[b+1]"),
    "ediff1d": (jnp.ediff1d, "f32[b+1]"), "unique_size": (lambda x: jnp.unique(x, size=3, fill_value=-1), "i32[b]%5"),
    "nonzero_size": (lambda x: jnp.nonzero(x > 0, size=4, fill_value=-1), "f32[b]"),
    "argwhere": (lambda x: jnp.argwhere(x > 0, size=3, fill_value=-1), "f32[b,c]"),
    "compress": (lambda x: jnp.compress(jnp.array([True, False, True]), x, axis=1), "f32[b,3]"),
    "batch_matmul": (lax.batch_matmul, "f32[b,2,c]", "f32[b,c,3]"),
    "patches": (lambda x: lax.conv_general_dilated_patches(x, (2, 2), (1, 1), "VALID"), "f32[b,1,4,4]"),
    "local_conv": (lambda x, k: lax.conv_general_dilated_local(x, k, (1,), "VALID", (2,)), "f32[b,1,4]", "f32[2,2,3]"),
    "attention": (lambda q, k, v: jax.nn.dot_product_attention(q, k, v), "f32[b,c,2,3]", "f32[b,c,2,3]", "f32[b,c,2,3]"),
    "attention_causal": (lambda q: jax.nn.dot_product_attention(q, q, q, is_causal=True), "f32[2,b,2,4]"),
    "glu": (lambda x: jax.nn.glu(x, 1), "f32[b,2*c]"), "hard_tanh": (jax.nn.hard_tanh, "f32[b]"),
    "swish_grad": (jax.grad(lambda x: jax.nn.silu(x).sum()), "f32[b,c]"),
    "logsumexp_b": (lambda x, w: jsp.special.logsumexp(x, axis=0, b=w), "f32[b,2]", "f32[b,2]+"),
    "betainc": (lambda x: jsp.special.betainc(x, x, 0.4), "f32[b]+"), "expi": (jsp.special.expi, "f32[b]+"),
    "exp1": (jsp.special.exp1, "f32[b]+"), "multigammaln": (lambda x: jsp.special.multigammaln(x + 3, 2), "f32[b]+"),
    "norm_logpdf": (lambda x: jsp.stats.norm.logpdf(x).sum(), "f32[b,c]"),
    "map_coordinates": (lambda x, i: jsp.ndimage.map_coordinates(x, [i], 1), "f32[b]", "f32[c]+"),
    "resize_open": (lambda x: jax.image.resize(x, (2 * x.shape[0],), "nearest"), "f32[b]"),
    "resize_linear": (lambda x: jax.image.resize(x, (2 * x.shape[0], 3), "linear"), "f32[b,2]"),
    "ragged_dot": (lambda x, w, g: lax.ragged_dot(x, w, g), "f32[b,3]", "f32[2,3,c]", "i32[2]%2"),
    "composite": (lambda x: lax.composite(lambda v: v + v.shape[0], name="mine.add")(x), "f32[b]"),
    "second_max_pool": (lambda x: jax.jvp(lambda v: lax.reduce_window(v, -jnp.inf, lax.max, (2,), (2,), "VALID"), (x,), (x,)), "f32[2*b]"),
    "hessian_pool": (
        jax.grad(lambda x: jax.grad(lambda v: (
            lax.reduce_window(v, -jnp.inf, lax.max, (2,), (2,), "VALID") ** 3).sum())(x).sum()), "f32[2*b]"),
    "linear_solve": (lambda x: lax.custom_linear_solve(lambda v: v * (x ** 2 + 1), x, lambda f, r: r / (x ** 2 + 1),
                                                       symmetric=True), "f32[b]"),
    "update_in_dim": (lambda x, i: lax.dynamic_update_slice_in_dim(x, jnp.ones((1, x.shape[1])), i[0], 0), "f32[b,c]", "i32[1]%9"),
    "dynamic_update_index": (lambda x, i: lax.dynamic_update_index_in_dim(x, jnp.zeros(x.shape[1]), i[0], 0), "f32[b,c]", "i32[1]%9"),
    "scatter_nd": (lambda x, i: x.at[i[:, 0], i[:, 1]].add(1.0), "f32[b,c]", "i32[4,2]%9"),
    "scatter_window": (lambda x, v: lax.scatter_add(x, jnp.array([[0]]), v, lax.ScatterDimensionNumbers((1,), (0,), (0,))), "f32[b,c]", "f32[1,c]"),
    "gather_raw": (lambda x: lax.gather(x, jnp.array([[0], [1]]), lax.GatherDimensionNumbers((1,), (0,), (0,)),
                                        (1, x.shape[1])), "f32[b+1,c]"),
    "sort_key_val": (lambda x, y: lax.sort_key_val(x, y), "f32[b]", "f32[b]"),
    "sort_grad": (jax.grad(lambda x: (jnp.sort(x, 0) ** 2 * jnp.arange(x.shape[0])[:, None]).sum()), "f32[b,c]"),
    "top_k_grad": (jax.grad(lambda x: (lax.top_k(x, 1)[0] ** 2).sum()), "f32[b,c]"),
    "argsort_stable": (lambda x: jnp.argsort(x, stable=True, descending=True), "i32[b]%3"),
    "apply_along": (lambda x: jnp.apply_along_axis(jnp.sum, 0, x), "f32[b,c]"),
    "vectorize": (jnp.vectorize(lambda a, v: a @ v, signature="(i,j),(j)->(i)"), "f32[b,2,c]", "f32[c]"),
    "select_sizes": (lambda x, y: jnp.where(x.shape[0] > y.shape[0] - 100, x, 0), "f32[b]",
                     "f32[c]") if False else (lambda x: jnp.where(jnp.arange(x.shape[0]) < x.shape[0] // 2, x, 0), "f32[b]"),
    "scan_xs_tree": (lambda x, y: lax.scan(lambda c, t: (c + t["x"].sum() * t["y"], {"o": c}), 0.0, {"x": x, "y": y}), "f32[b,c]", "f32[b]"),
    "while_open_cond": (lambda x: lax.while_loop(lambda s: s[1].sum() < s[1].shape[0] * 3,
                                                 lambda s: (s[0] + 1, s[1] + 1), (0, x)), "f32[b]u"),
    "fori_square": (lambda x: lax.fori_loop(0, 2, lambda i, a: a @ a / a.shape[0], x), "f32[b,b]"),
    "checkpoint_scan": (jax.grad(lambda x: lax.scan(jax.checkpoint(lambda c, v: (jnp.sin(c + v), None)), 0.0, x)[0]), "f32[b]"),
    "random_choice": (lambda x: jax.random.choice(KEY, 5, (x.shape[0],)), "f32[b]"),
    "random_ball": (lambda x: jax.random.ball(KEY, 2, shape=(x.shape[0],)), "f32[b]"),
    "random_t": (lambda x: jax.random.t(KEY, 3.0, x.shape), "f32[b]"),
    "random_rbg": (lambda x: jax.random.uniform(jax.random.key(1, impl="rbg"), x.shape), "f32[b]"),
    "random_rbg_normal": (lambda x: jax.random.normal(jax.random.key(1, impl="unsafe_rbg"), (x.shape[0], 3)), "f32[b]"),
    "random_rbg_split": (
        lambda x: jax.vmap(lambda k: jax.random.uniform(k, (2,)))(
            jax.random.split(jax.random.key(1, impl="rbg"), 3)) + x[0], "f32[b]"),
    "random_in_scan": (
        lambda x: lax.scan(
            lambda k, v: (lambda a, r: (a, v + jax.random.normal(r, v.shape)))(*jax.random.split(k)), KEY, x)[1], "f32[b,c]"),
    "random_per_row": (lambda x: jax.vmap(lambda k, r: r + jax.random.uniform(k, r.shape))(jax.random.split(KEY, x.shape[0]), x), "f32[b,c]"),
    "random_binomial": (lambda x: jax.random.binomial(KEY, 5, 0.4, (x.shape[0],)), "f32[b]"),
    "eigh_grad": (jax.grad(lambda x: jnp.linalg.eigvalsh(square(x)).sum() + (jnp.linalg.eigvalsh(square(x)) ** 2).sum()), "f64[b,2]"),
    "svd_grad": (jax.grad(lambda x: jnp.linalg.svd(x, compute_uv=False).sum()), "f64[b,3,2]"),
    "qr_grad": (jax.grad(lambda x: jnp.abs(jnp.linalg.qr(x)[1]).sum()), "f64[b,3,2]"),
    "inv_grad": (jax.grad(lambda x: jnp.linalg.inv(square(x)).sum()), "f64[b,c]"),
    "det_grad": (jax.grad(lambda x: jnp.linalg.det(square(x)).sum()), "f64[b]"),
    "triangular_grad": (jax.grad(lambda x: jsp.linalg.solve_triangular(square(x), x, lower=True).sum()), "f64[b]"),
    "cholesky_vmap_grad": (jax.vmap(jax.grad(lambda x: jnp.linalg.cholesky(square(x)).sum())), "f64[b,c]"),
    "lstsq_open": (lambda x, y: jnp.linalg.lstsq(x, y)[0], "f64[b+2,2]", "f64[b+2,c]"),
    "pinv_open": (jnp.linalg.pinv, "f64[b+2,2]"), "nuc": (lambda x: jnp.linalg.norm(x, "nuc"), "f64[b,c]"),
    "cond": (lambda x: jnp.linalg.cond(square(x)), "f64[b]"),
    "matrix_power_batch": (lambda x: jnp.linalg.matrix_power(x, 2), "f32[c,b,b]"),
    "block_diag": (jsp.linalg.block_diag, "f32[b,2]", "f32[2,c]"),
    "toeplitz": (lambda x: jsp.linalg.toeplitz(x), "f32[b]"),
    "sqrtm_expm": (lambda x: jsp.linalg.expm(square(x) * 0.01), "f64[b]"),
    "polar": (lambda x: jnp.linalg.slogdet(square(x)), "f32[c,b]"),
    "cho_factor": (lambda x, y: jsp.linalg.cho_solve(jsp.linalg.cho_factor(square(x)), y), "f64[b]", "f64[b,c]"),
    "eigh_static_open_batch": (lambda x: jnp.abs(jnp.linalg.eigh(square(x))[1]), "f64[b,c,2]"),
    "lu_both": (lambda x: jsp.linalg.lu(square(x))[2], "f64[b,c]"),
    "solve_c128": (lambda x: jnp.linalg.solve(x[..., :, None] * x[..., None, :].conj() + 4 * jnp.eye(x.shape[-1]),
                                              x[..., None]), "c128[b,c]"),
    "eig_both": (lambda x: jnp.sort(jnp.abs(jnp.linalg.eigvals(square(x)))), "f64[b,c]"),
    "svd_full": (lambda x: (lambda u, s, v: jnp.abs(u[:, :, :2]))(*jnp.linalg.svd(x, full_matrices=True)), "f64[b,3,2]"),
    "searchsorted_static": (lambda v: jnp.searchsorted(jnp.array([-1.0, 0.0, 1.0]), v), "f32[b,c]"),
    "searchsorted_compare": (lambda x, v: jnp.searchsorted(x, v, method="compare_all"), "f32[b]s", "f32[c]"),
    "histogram2d_like": (lambda x: jnp.zeros((4, x.shape[1])).at[(jnp.arange(x.shape[0]) % 4)].add(x), "f32[b,c]"),
    "convolve_static": (lambda x: jax.vmap(lambda r: jnp.convolve(r, jnp.array([1.0, 2.0]), mode="full"))(x), "f32[b,4]"),
    "moving_average": (lambda x: (jnp.cumsum(jnp.pad(x, (2, 0))) - jnp.pad(jnp.cumsum(x), (2, 0)))[2:], "f32[b]"),
    "scan_conv": (lambda x, k: lax.scan(lambda c, v: (c + conv()(v, k).sum(), c), 0.0, x), "f32[b,1,4,4,1]", "f32[2,2,1,1]"),
    "log_softmax_masked": (lambda x: jax.nn.softmax(x, where=x > -5, axis=-1), "f32[b,c]"),
    "ctc_like": (lambda x: lax.scan(lambda a, e: (jax.nn.logsumexp(jnp.stack([a, jnp.roll(a, 1)]), 0) + e,) * 2,
                                    jnp.zeros(x.shape[1]), x)[0], "f32[b,c]"),
    "viterbi": (lambda t, e: lax.scan(lambda s, o: ((s[:, None] + t).max(0) + o, (s[:, None] + t).argmax(0)), e[0],
                                      e[1:]), "f32[c,c]", "f32[b+1,c]"),
    "floyd": (lambda d: lax.fori_loop(0, d.shape[0], lambda k, m: jnp.minimum(m, m[:, k][:, None] + m[k][None]), d), "f32[b,b]+"),
    "jacobi": (lambda a, y: lax.fori_loop(0, 8, lambda _, x: (y - a @ x + jnp.diag(a) * x) / (jnp.diag(a) + 50),
                                          jnp.zeros_like(y)), "f32[b,b]", "f32[b]"),
    "adam": (lambda w, m, v, g: (lambda m2, v2: (w - 0.1 * m2 / (jnp.sqrt(v2) + 1e-8), m2,
                                                 v2))(0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g), "f32[b,c]", "f32[b,c]", "f32[b,c]+", "f32[b,c]"),
    "hmc": (lambda q, p: lax.fori_loop(0, 3,
                                       lambda _, s: (lambda p2: (s[0] + 0.1 * p2,
                                                                 p2))(s[1] - 0.1
                                                                      * jax.grad(lambda u: (u ** 2).sum() / 2)(s[0])),
                                       (q, p)), "f32[b]", "f32[b]"),
    "wavelet": (lambda x: jnp.concatenate([(x[::2] + x[1::2]) / 2, (x[::2] - x[1::2]) / 2]), "f32[2*b]"),
    "strided_2d": (lambda x: x[::2, 1::2], "f32[b,2*c]"), "strided_reverse": (lambda x: x[::-3, 0], "f32[b,c]"),
    "double_pad": (lambda x: lax.pad(jnp.pad(x, 1), x.dtype.type(0), ((0, x.shape[0], 0),)), "f32[b]"),
    "outer_sum": (lambda x, y, z: x[:, None, None] + y[None, :, None] + z, "f32[b]", "f32[c]", "f32[b+c]"),
    "size_branch": (lambda x: x.reshape((-1, 1) if x.ndim == 1 else x.shape), "f32[b]"),
    "swap_dims": (lambda x: jnp.einsum("ab->ba", x).reshape(-1), "f32[b,c]"),
    "stack_many": (lambda x: jnp.stack([x * i for i in range(5)]).sum(0), "f32[b,c]"),
    "bool_to_float": (lambda x: (x > 0).astype(jnp.float32).mean(0), "f32[b,c]"),
    "uint_sizes": (lambda x: jnp.uint8(x.shape[0]) + x.astype(jnp.uint8), "f32[b]+"),
    "sub_byte": (lambda x: x.astype(jnp.uint4) + jnp.uint4(1),
                 "u8[b]%9") if False else (lambda x: x.astype(jnp.float16) * jnp.float16(x.shape[0]), "f32[b]"),
    "complex_parts": (lambda x: jnp.stack([x.real, x.imag], -1), "c64[b,c]"),
    "popcount_sum": (lambda x: lax.population_count(x).sum(), "u8[b,c]"),
})
case("rare_platforms", lambda x: jnp.cumsum(x) + x.shape[0], "f32[b]")
case("rare_platforms_solve", lambda x: jnp.linalg.cholesky(square(x)), "f32[b,2]")
case("rare_platforms_64", lambda x: jnp.cumsum(x) + x.shape[0], "f64[b]")
PLATFORMS = {"rare_platforms": ("cpu", "tpu"), "rare_platforms_64": ("tpu", "cpu"), "rare_platforms_solve": ("cpu", "cuda"), "rare_platform": ("tpu", "cpu")}


def symbols_of(type_text):
    return type_text[type_text.index("[") + 1:type_text.index("]")]


DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": jnp.bfloat16, "i8": np.int8, "i16": np.int16, "i32": np.int32,
          "i64": np.int64, "u8": np.uint8, "u32": np.uint32, "pred": np.bool_, "c64": np.complex64, "c128": np.complex128}
SIZES = ({"b": 1, "c": 7}, {"b": 2, "c": 1}, {"b": 7, "c": 33}, {"b": 33, "c": 2})


def leaf_type(text, scope):
    sizes = symbols_of(text)
    shape = jax.export.symbolic_shape(sizes, scope=scope) if sizes else ()
    return jax.ShapeDtypeStruct(shape, DTYPES[text[:text.index("[")]])


def leaf_value(text, sizes, random):
    """Returns an argument of this type at these sizes."""
    shape = tuple(int(eval(s.replace("^", "**"), {}, dict(sizes))) for s in symbols_of(text).split(",") if s.strip())
    dtype, values = DTYPES[text[:text.index("[")]], text[text.index("]") + 1:]
    if values.startswith("%"):
        return random.randint(0, int(values[1:]), shape).astype(dtype)
    if dtype == np.bool_:
        return random.rand(*shape) < 0.5
    if np.issubdtype(dtype, np.integer):
        return random.randint(0 if np.issubdtype(dtype, np.unsignedinteger) else -100, 100, shape).astype(dtype)
    x = random.standard_normal(shape)
    if values == "+":
        x = random.uniform(0.5, 2.0, shape)
    elif values == "u":
        x = random.uniform(-0.9, 0.9, shape)
    elif values == "s":
        x = np.sort(x, -1)
    if np.issubdtype(dtype, np.complexfloating):
        x = x + 1j * random.standard_normal(shape)
    return np.asarray(x).astype(dtype)


def needs_x64(name):
    """Whether it has types of 64 bits. Other cases are exported with JAX's defaults, with sizes computed in 32 bits."""
    return any(word in (str(CASES[name][1]) + name).replace("c64", "") for word in ("64", "c128"))


def exported(name):
    """Returns the case as written by jax.export."""
    function, types = CASES[name]
    scope = jax.export.SymbolicScope(CONSTRAINTS[name])
    arguments = jax.tree.map(lambda text: leaf_type(text, scope), types)
    return jax.export.export(jax.jit(lambda *a: function(*a)), platforms=PLATFORMS.get(name))(*arguments)


def arguments_of(name, sizes):
    random = np.random.RandomState(sum(map(ord, name)) + 100 * sizes["b"])
    return jax.tree.map(lambda text: leaf_value(text, sizes, random), CASES[name][1])


def sizes_of(name):
    """Returns the sizes to run at, including some that violate the constraints."""
    own = SECOND[name]
    return list(SIZES) + [{"b": b, "c": own(b)} for b in (1, 2, 7, 33) if own is not None]
