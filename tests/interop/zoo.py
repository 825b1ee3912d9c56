# SPDX-License-Identifier: Apache-2.0
"""ZOO: about 350 small programs, name -> (function, inputs...).

Each calls one function of jax.numpy, lax, jax.nn, jax.scipy or jax.random.
"""

import functools

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
from jax import lax
from programs import integers, normal

X, Y, Z = normal(5, 7), normal(5, 7), normal(5, 7)
UNIT, POSITIVE = np.float32(0.1) + np.float32(0.8) / (1 + X ** 2), np.abs(X) + np.float32(0.5)
CUBE, WHOLE, OTHER = normal(3, 4, 5), integers(-20, 20, 5, 7), integers(1, 9, 5, 7)
SQUARE = normal(6, 6) + 6 * np.eye(6, dtype=np.float32)
DEFINITE = SQUARE @ SQUARE.T
COMPLEX = (normal(4, 6) + 1j * normal(4, 6)).astype(np.complex64)
KEY = np.array([5, 6], np.uint32)

UNARY = {
    jnp: "abs absolute arcsinh arctan cbrt ceil conj cos cosh deg2rad degrees exp exp2 expm1 fabs floor imag isfinite "
         "isinf isnan negative positive rad2deg radians real rint round sign signbit sin sinc sinh square tan tanh "
         "trunc isneginf nan_to_num i0 cumsum cumprod ravel diff ediff1d sort argsort flip fliplr flipud rot90 "
         "transpose unwrap gradient sum prod mean std var max min argmax argmin ptp median any all count_nonzero "
         "nansum nanmean nanmax nanargmin triu tril diag trace",
    jax.nn: "relu relu6 sigmoid softplus soft_sign silu log_sigmoid leaky_relu hard_sigmoid hard_silu hard_tanh elu "
            "celu selu gelu mish squareplus softmax log_softmax standardize logsumexp",
    jsp.special: "erf erfc expit log_ndtr ndtr entr i0e i1 i1e",
}
OF_POSITIVE = {
    jnp: "log log10 log1p log2 sqrt reciprocal arccosh",
    jsp.special: "digamma gammaln gamma",
    lax: "rsqrt lgamma",
}
OF_UNIT = {jnp: "arccos arcsin arctanh", jsp.special: "erfinv logit ndtri"}
BINARY = {
    jnp: "add subtract multiply divide maximum minimum fmax fmin arctan2 hypot copysign logaddexp logaddexp2 heaviside "
         "nextafter less less_equal greater greater_equal equal not_equal fmod remainder floor_divide float_power vdot "
         "outer kron append array_equal allclose isclose",
    lax: "atan2 max min rem",
}
OF_INTEGERS = {
    jnp: "bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm floor_divide remainder divmod power",
}
LINEAR = {jnp.linalg: "det slogdet inv pinv qr matrix_rank norm", jsp.linalg: "expm lu"}
SYMMETRIC = {jnp.linalg: "cholesky eigvalsh cond"}
# Without cosh: XLA has no kernel for HLO's opcode on complex numbers, and jaxlib 0.12 ends the process.
COMPLEX_UNARY = {jnp: "abs angle conj exp real imag sqrt sin tanh log", jnp.fft: "fft ifft fft2 fftshift"}
RANDOM = ("bits normal uniform bernoulli exponential gumbel laplace logistic cauchy truncated_normal rademacher gamma "
          "beta poisson")


def named(table: dict, *inputs) -> dict:
    return {f"{module.__name__.rpartition('.')[2]}_{name}": (getattr(module, name), *inputs)
            for module, names in table.items() for name in names.split()}


def suffixed(programs: dict, suffix: str) -> dict:
    return {f"{name}_{suffix}": program for name, program in programs.items()}


def sampled(name: str):
    extra = {"truncated_normal": (-1.0, 2.0), "gamma": (2.5,), "beta": (1.5, 0.7), "poisson": (3.0,)}.get(name, ())
    sampler = getattr(jax.random, name)
    return lambda key: sampler(jax.random.wrap_key_data(key), *extra, shape=(9,))


def gradient_of(function):
    return lambda x: jax.grad(lambda y: jnp.sum(jnp.sin(function(y))))(x)


def loop(body, x):
    return lax.while_loop(lambda state: state[0] < 5, lambda state: (state[0] + 1, body(state[1])), (0, x))[1]


SINGLE = {
    # products, convolutions, windows
    "einsum_chain": (lambda x, y: jnp.einsum("ij,kj,kl->il", x, y, x), X, Y),
    "tensordot": (lambda x: jnp.tensordot(x, x, ((1, 2), (1, 2))), CUBE),
    "matmul_batched": (lambda x: x @ x.transpose(0, 2, 1), CUBE),
    "matvec": (lambda x: x @ x[0], X),
    "inner": (jnp.inner, X, Y),
    "convolve": (jnp.convolve, X[0], Y[1]),
    "correlate": (functools.partial(jnp.correlate, mode="same"), X[0], Y[1]),
    "conv_1d": (lambda x, w: lax.conv(x, w, (2,), "SAME"), normal(2, 3, 9), normal(4, 3, 3)),
    "conv_2d_dilated": (
        lambda x, w: lax.conv_with_general_padding(x, w, (1, 1), ((1, 2), (0, 1)), (2, 1), (1, 2)),
        normal(1, 2, 7, 8), normal(3, 2, 3, 2)),
    "conv_grouped": (
        lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "VALID", feature_group_count=2),
        normal(1, 4, 6, 6), normal(6, 2, 3, 3)),
    "max_pool": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (2, 2), "SAME"), X),
    "sum_pool": (lambda x: lax.reduce_window(x, 0.0, lax.add, (3, 2), (1, 1), "VALID"), X),
    "pool_gradient": (
        jax.grad(lambda x: jnp.sum(lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID") ** 2)), X),
    # order, counts, selection
    "top_k": (lambda x: lax.top_k(x, 3), X),
    "approximate_top_k": (lambda x: lax.top_k(-x, 2)[0], Y),
    "searchsorted": (jnp.searchsorted, np.sort(X[0]), Y[0]),
    "unique": (lambda x: jnp.unique(x, size=9, fill_value=0), WHOLE),
    "bincount": (lambda x: jnp.bincount(x.ravel(), length=12), OTHER),
    "histogram": (lambda x: jnp.histogram(x, 6, (-2, 2)), X),
    "digitize": (lambda x: jnp.digitize(x, jnp.linspace(-1, 1, 5)), X),
    "interp": (lambda x: jnp.interp(x, jnp.linspace(-2, 2, 9), jnp.arange(9.0)), X),
    "percentile": (lambda x: jnp.percentile(x, 30, axis=1), X),
    "lexsort": (lambda x, y: jnp.lexsort((x[0], y[0])), WHOLE, OTHER),
    "partition": (lambda x: jnp.partition(x, 3), X),
    "where_three": (lambda x, y: jnp.where(x > 0, x, y), X, Y),
    "select": (lambda x: jnp.select([x < -1, x < 1], [x, x * 2], -x), X),
    "piecewise": (lambda x: jnp.piecewise(x, [x < 0, x >= 0], [lambda v: -v, lambda v: v ** 2]), X),
    "choose": (lambda x, y: jnp.choose(x % 2, [y, -y], mode="wrap"), OTHER, WHOLE),
    # moves of elements
    "roll": (lambda x: jnp.roll(x, (2, -1), (0, 1)), X),
    "tile": (lambda x: jnp.tile(x, (2, 1)), X),
    "repeat": (lambda x: jnp.repeat(x, 3, 1), X),
    "pad_reflect": (lambda x: jnp.pad(x, 2, "reflect"), X),
    "pad_edge": (lambda x: jnp.pad(x, ((1, 0), (0, 2)), "edge"), X),
    "split": (lambda x: jnp.split(x, [2, 5], 1), X),
    "stack": (lambda x, y: jnp.stack([x, y], 1), X, Y),
    "moveaxis": (lambda x: jnp.moveaxis(x, 0, 2), CUBE),
    "swapaxes": (lambda x: jnp.swapaxes(x, 0, 1), CUBE),
    "broadcast_arrays": (lambda x: jnp.broadcast_to(x, (2, 5, 7)), X),
    "meshgrid": (lambda x: jnp.meshgrid(x[0], x[1]), X),
    "indices": (lambda x: x + jnp.indices((5, 7))[0], X),
    # gather and scatter
    "take": (lambda x, i: jnp.take(x, i, 0, mode="clip"), X, integers(-3, 9, 4)),
    "take_along_axis": (lambda x: jnp.take_along_axis(x, jnp.argsort(x, 1), 1), X),
    "at_multiply": (lambda x, i: x.at[i].multiply(2.0), X, integers(0, 5, 3)),
    "at_min": (lambda x, i: x.at[:, i].min(-0.5), X, integers(0, 7, 3)),
    "at_get_fill": (lambda x, i: x.at[i].get(mode="fill", fill_value=9.0), X, integers(0, 9, 4)),
    "put_along_axis": (lambda x: x.at[jnp.arange(5), jnp.arange(5)].set(0), X),
    "dynamic_index": (lambda x, i: lax.dynamic_index_in_dim(x, i, 1), X, np.int32(3)),
    "slice_stride": (lambda x: x[::-2, 1:6:3], X),
    "segment_sum": (lambda x, i: jax.ops.segment_sum(x, i, 4), X, np.array([0, 2, 2, 3, 0], np.int32)),
    "one_hot": (lambda i: jax.nn.one_hot(i, 9), OTHER),
    # control flow and scans
    "cond_of_tuple": (lambda x: lax.cond(x[0, 0] > 0, lambda v: (v, v.sum()), lambda v: (-v, v.max()), x), X),
    "while_of_array": (functools.partial(loop, lambda v: v * 0.5 + 1), X),
    "scan_sum": (lambda x: lax.scan(lambda c, r: (c + r, c * r), jnp.zeros(7), x), X),
    "scan_reverse": (lambda x: lax.scan(lambda c, r: (c * 0.5 + r, c), jnp.zeros(7), x, reverse=True), X),
    "associative_scan": (lambda x: lax.associative_scan(jnp.multiply, x, axis=1), X),
    "map": (lambda x: lax.map(lambda r: jnp.sort(r)[:3], x), X),
    "cumlogsumexp": (lambda x: lax.cumlogsumexp(x, 1), X),
    "cummin": (lambda x: lax.cummin(x, 0), X),
    # integers, bits, dtypes
    "reduce_and": (lambda x: jnp.bitwise_and.reduce(x, 1), OTHER),
    "reduce_precision": (lambda x: lax.reduce_precision(x, 5, 7), X),
    "integer_pow": (lambda x: lax.integer_pow(x, -3), POSITIVE),
    "population_count": (lax.population_count, OTHER),
    "clz": (lax.clz, OTHER),
    "shift_logical": (lambda x: lax.shift_right_logical(x, jnp.int32(3)), WHOLE),
    "bitcast_wide": (lambda x: lax.bitcast_convert_type(x, jnp.int16), X),
    "to_bfloat16": (lambda x: (x.astype(jnp.bfloat16) * 2).astype(jnp.float32), X),
    "to_float8": (lambda x: x.astype(jnp.float8_e4m3fn).astype(jnp.float32), X),
    "to_int4": (lambda x: (x.astype(jnp.int4) + 1).astype(jnp.int32), OTHER % 6),
    "to_complex": (lambda x: lax.complex(x, 2 * x), X),
    "to_bool": (lambda x: ~(x > 0), X),
    # layers and transformations
    "ragged_dot": (lambda x, w: lax.ragged_dot(x, w, jnp.array([2, 0, 3])), X, normal(3, 7, 4)),
    "dot_int8": (lambda x: lax.dot(x, x.T, preferred_element_type=jnp.int32), WHOLE.astype(np.int8)),
    "attention": (lambda x: jax.nn.dot_product_attention(x, x, x, is_causal=True), normal(2, 6, 2, 8)),
    "remat": (jax.grad(jax.checkpoint(lambda x: jnp.sum(jnp.sin(jnp.cos(x))))), X),
    "custom_jvp": (jax.grad(lambda x: jnp.sum(jax.nn.relu(x) ** 2)), X),
    "hessian": (jax.hessian(lambda x: jnp.sum(jnp.exp(x) * x[0])), X[0]),
    "jacobian": (jax.jacfwd(lambda x: jnp.sin(x) * x[0]), X[0]),
    # linear algebra
    "vmap_solve": (jax.vmap(jnp.linalg.solve), np.stack([SQUARE, DEFINITE]), normal(2, 6, 1)),
    "triangular_solve": (lambda a, b: jsp.linalg.solve_triangular(a, b, lower=True), np.tril(SQUARE), normal(6, 2)),
    "cho_solve": (lambda a, b: jsp.linalg.cho_solve(jsp.linalg.cho_factor(a), b), DEFINITE, normal(6)),
    "lstsq": (lambda a, b: jnp.linalg.lstsq(a, b)[0], normal(8, 3), normal(8)),
    "singular_values": (lambda a: jnp.linalg.svd(a, compute_uv=False), normal(5, 4)),
    "matrix_power": (lambda a: jnp.linalg.matrix_power(a / 6, 5), SQUARE),
    "eigenvalues": (lambda a: jnp.sort(jnp.abs(jnp.linalg.eigvals(a))), SQUARE),
    # Fourier transforms, polynomials, special functions
    "rfft": (jnp.fft.rfft, X),
    "irfft": (jnp.fft.irfft, COMPLEX),
    "fftn": (jnp.fft.fftn, COMPLEX),
    "polyval": (jnp.polyval, X[0], Y),
    "polyfit": (lambda x, y: jnp.polyfit(x, y, 2), X[0], Y[0]),
    "norm_pdf": (jsp.stats.norm.logpdf, X),
    "betainc": (lambda x: jsp.special.betainc(2.0, 3.0, x), UNIT),
    "gammainc": (lambda x: jsp.special.gammainc(2.0, x), POSITIVE),
    "zeta": (lambda x: jsp.special.zeta(x + 1, 1.5), POSITIVE),
    "xlogy": (jsp.special.xlogy, X, POSITIVE),
    "polygamma": (lambda x: jsp.special.polygamma(1, x), POSITIVE),
    "resize": (lambda x: jax.image.resize(x, (9, 4), "bilinear"), X),
    # random numbers
    "permutation": (lambda k: jax.random.permutation(jax.random.wrap_key_data(k), 11), KEY),
    "choice": (lambda k: jax.random.choice(jax.random.wrap_key_data(k), 9, (4,), replace=False), KEY),
    "categorical": (lambda k, x: jax.random.categorical(jax.random.wrap_key_data(k), x), KEY, X),
    "split_keys": (lambda k: jax.random.key_data(jax.random.split(jax.random.wrap_key_data(k), 3)), KEY),
    "multivariate": (
        lambda k: jax.random.multivariate_normal(jax.random.wrap_key_data(k), jnp.zeros(3), jnp.eye(3), (4,)), KEY),
    # structure and shapes
    "optimization_barrier": (lambda x: lax.optimization_barrier((x, x + 1)), X),
    "nested_jit": (lambda x: jax.jit(lambda y: jax.jit(jnp.sin)(y) * 2)(x) + 1, X),
    "empty_sum": (lambda x: x[:0].sum(0), X),
    "rank_zero": (lambda x: x[0, 0] * 2, X),
    "many_results": (lambda x: {"a": x, "b": (x + 1, x.sum()), "c": [x.T]}, X),
}
GRADIENTS = {
    f"gradient_{name}": (gradient_of(getattr(module, name)), X)
    for module, names in (
        (jnp, "sin tanh exp cumsum sort max sum prod var"),
        (jax.nn, "softmax log_softmax gelu silu softplus logsumexp"),
        (jsp.special, "erf expit"),
    )
    for name in names.split()
}
DOUBLE = {f"{name}_f64": (getattr(jnp, name), X.astype(np.float64))
          for name in "exp sin tanh cosh cumsum sort var mean round".split()}
HALF = {f"{name}_f16": (getattr(jnp, name), X.astype(np.float16))
        for name in "exp sin tanh sum max sort abs floor".split()}

ZOO = (
    named(UNARY, X)
    | suffixed(named(OF_POSITIVE, POSITIVE), "positive")
    | suffixed(named(OF_UNIT, UNIT), "unit")
    | suffixed(named(BINARY, X, Y), "two")
    | suffixed(named(OF_INTEGERS, WHOLE, OTHER), "integers")
    | suffixed(named(LINEAR, SQUARE), "matrix")
    | suffixed(named(SYMMETRIC, DEFINITE), "definite")
    | suffixed(named(COMPLEX_UNARY, COMPLEX), "complex")
    | {f"random_{name}": (sampled(name), KEY) for name in RANDOM.split()}
    | SINGLE
    | GRADIENTS
    | DOUBLE
    | HALF
)
