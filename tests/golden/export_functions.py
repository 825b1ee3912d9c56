#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Over 100 functions of JAX that cover its differentiable primitives, with arguments.

`export_functions.py FOLDER` writes each as FOLDER/NAME.jax (jax.export, without derivative) and NAME.vjp.jax (with
vjp_order=1). tests/interop/gradients.py compares hilo's gradients of these with JAX's."""

import os
import pathlib
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_ENABLE_X64", "1")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import export, lax  # noqa: E402

_random = np.random.RandomState(0)


def normal(*shape):
    return _random.standard_normal(shape)


def positive(*shape):
    return _random.uniform(0.5, 2.0, shape)


def unit(*shape):
    return _random.uniform(-0.9, 0.9, shape)


def spd(n):
    a = normal(n, n)
    return a @ a.T + n * np.eye(n)


V, W, M, N, S = normal(5), normal(5), normal(4, 3), normal(3, 4), normal(4, 4) + 4 * np.eye(4)
P, U, T = positive(5), unit(5), normal(2, 4, 3)
I3 = np.array([2, 0, 2])


def mlp(x, w1, b1, w2):
    return jax.nn.softmax(jnp.tanh(x @ w1 + b1) @ w2)


def layer_norm(x, g):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * g


def attention(q, k, v):
    return jax.nn.softmax(q @ k.T / np.sqrt(q.shape[-1])) @ v


def conv(x, k):
    return lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def strided_conv(x, k):
    return lax.conv_general_dilated(x, k, (2, 1), [(1, 0), (2, 1)], rhs_dilation=(1, 2),
                                    dimension_numbers=("NCHW", "OIHW", "NCHW"))


def rnn(w, xs):
    def step(h, x):
        h = jnp.tanh(w @ h + x)
        return h, h.sum()
    return lax.scan(step, jnp.zeros(4), xs)


def reverse_scan(xs):
    return lax.scan(lambda c, x: (c * 0.9 + jnp.sin(x), c), 0.5, xs, reverse=True)


def nested_scan(x):
    def outer(c, row):
        inner, _ = lax.scan(lambda d, v: (d * v + c, None), 1.0, row)
        return c + inner, inner
    return lax.scan(outer, 0.1, x)


def newton(a):
    return lax.fori_loop(0, 4, lambda _, x: 0.5 * (x + a / x), a)


def chunked(x):
    """A loop whose body updates an array in place."""
    return lax.fori_loop(0, 5, lambda i, y: y.at[i].set(y[i] * y[i - 1]), x)


def branches(x):
    return lax.cond(x.sum() > 0, jnp.sin, lambda v: v * v, x)


def switched(x):
    return lax.switch(jnp.int32(1), [jnp.exp, jnp.tanh, jnp.cos], x)


def cholesky_solve(a, b):
    return jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(a), True), b)


def custom_jvp_function():
    @jax.custom_jvp
    def f(x):
        return jnp.sin(x)
    f.defjvp(lambda x, t: (f(x[0]), 3 * t[0]))
    return f


def clip_gradient():
    @jax.custom_vjp
    def f(x):
        return x * x
    f.defvjp(lambda x: (f(x), x), lambda x, ct: (jnp.clip(2 * x * ct, -0.1, 0.1),))
    return f


#: Derivatives that the mathematics in the file doesn't say: only the one that the file brings equals JAX's.
RULES_LOST = {
    "stop_gradient": "stop_gradient is not in StableHLO",
    "custom_jvp": "a custom rule is not in StableHLO",
    "custom_vjp": "a custom rule is not in StableHLO",
    "straight_through": "stop_gradient is not in StableHLO",
}

FUNCTIONS = {
    # elementwise
    "abs": (jnp.abs, V), "neg": (jnp.negative, V), "sign": (lambda x: x * jnp.sign(x), V),
    "exp": (jnp.exp, V), "exp2": (jnp.exp2, V), "expm1": (jnp.expm1, V), "log": (jnp.log, P), "log1p": (jnp.log1p, P),
    "sqrt": (jnp.sqrt, P), "rsqrt": (lax.rsqrt, P), "cbrt": (jnp.cbrt, P), "sin": (jnp.sin, V), "cos": (jnp.cos, V),
    "tan": (jnp.tan, U), "asin": (jnp.arcsin, U), "acos": (jnp.arccos, U), "atan": (jnp.arctan, V),
    "sinh": (jnp.sinh, V), "cosh": (jnp.cosh, V), "tanh": (jnp.tanh, V), "asinh": (jnp.arcsinh, V),
    "acosh": (lambda x: jnp.arccosh(x + 1), P), "atanh": (jnp.arctanh, U), "atan2": (jnp.arctan2, V, W),
    "logistic": (jax.nn.sigmoid, V), "erf": (jax.scipy.special.erf, V), "erfc": (jax.scipy.special.erfc, V),
    "erf_inv": (jax.scipy.special.erfinv, U), "lgamma": (jax.scipy.special.gammaln, P),
    "lgamma_at_integers": (jax.scipy.special.gammaln, np.array([0.25, 1., 2., 12.])),
    "digamma": (jax.scipy.special.digamma, P),
    "digamma_at_poles": (jax.scipy.special.digamma, np.array([0.25, 0., -1., -1.5])), "power": (jnp.power, P, V), "integer_power": (lambda x: x ** 3, V),
    "add": (jnp.add, V, W), "subtract": (jnp.subtract, V, W), "multiply": (jnp.multiply, V, W),
    "divide": (jnp.divide, V, P), "maximum": (jnp.maximum, V, W), "minimum": (jnp.minimum, V, W),
    "remainder": (jnp.fmod, V, P),
    "floor": (lambda x: x * jnp.floor(x), V),
    "clamp": (lambda x: jnp.clip(x, -0.5, 0.5), V),
    "select": (lambda x, y: jnp.where(x > y, x * y, y), V, W), "logaddexp": (jnp.logaddexp, V, W),
    "convert": (lambda x: x.astype(jnp.float32) * 2, V), "bessel_i0e": (jax.scipy.special.i0e, V),
    "complex": (lambda x, y: jnp.real(jnp.exp(lax.complex(x, y)) * (1 + 2j)), V, W),
    "complex_abs": (lambda x, y: jnp.abs(lax.complex(x, y)), V, W),
    # shapes
    "reshape": (lambda x: x.reshape(2, 6) ** 2, M), "transpose": (lambda x: jnp.sin(x.T), M),
    "broadcast": (lambda x: jnp.broadcast_to(x, (3, 5)) * jnp.arange(15.).reshape(3, 5), V),
    "reverse": (lambda x: jnp.flip(x) * x, V), "concatenate": (lambda x, y: jnp.concatenate([x, y * x]) ** 2, V, W),
    "pad": (lambda x: lax.pad(x * x, 0.5, [(1, 2, 1), (0, -1, 0)]), M), "slice": (lambda x: x[1:4:2] * 3 + x[0], V),
    "dynamic_slice": (lambda x, i: lax.dynamic_slice(x * x, (i,), (2,)), V, np.int32(2)),
    "dynamic_update_slice": (lambda x, y, i: lax.dynamic_update_slice(x * x, y, (i,)), V, V[:2], np.int32(1)),
    "gather": (lambda x: x[I3] * 2, V), "take_rows": (lambda x, i: jnp.take(x, i, axis=0, mode="clip"), M, I3),
    "scatter_add": (lambda x, y: x.at[I3].add(y * y), V, V[:3]),
    "scatter_set": (lambda x, y: x.at[np.array([1, 3])].set(y * x[:2]), V, V[:2]),
    "scatter_mul": (lambda x, y: x.at[np.array([1, 3])].mul(y, unique_indices=True), V, V[:2]),
    "squeeze": (lambda x: jnp.squeeze(x[:, None] * 2, 1), V), "tile": (lambda x: jnp.tile(x, 3) * jnp.arange(15.), V),
    # reductions
    "reduce_sum": (lambda x: (x * x).sum(0), M), "reduce_max": (lambda x: x.max(1), M), "reduce_min": (jnp.min, M),
    "reduce_prod": (lambda x: x.prod(1), M), "mean_variance": (lambda x: (x.mean(), x.var(0)), M),
    "logsumexp": (jax.nn.logsumexp, M), "cumsum": (lambda x: jnp.cumsum(x * x), V), "cumprod": (jnp.cumprod, V),
    "cummax": (lax.cummax, V), "cummax_of_equals": (lax.cummax, np.array([1., 2., 2., 0., 2., 3.])),
    "cummin_reversed": (lambda x: lax.cummin(x * x, axis=1, reverse=True), M),
    "cumlogsumexp": (lax.cumlogsumexp, V),
    "argmax_value": (lambda x: x[jnp.argmax(x)] * x, V),
    "argmin": (lambda x: (x * 2, jnp.argmin(x)), V), "sort": (lambda x: jnp.sort(x) * jnp.arange(5.), V),
    "sort_pairs": (lambda x, y: lax.sort((x, y), num_keys=1), V, W), "top_k": (lambda x: lax.top_k(x, 2)[0] ** 2, V),
    "median": (jnp.median, V),
    "max_pool": (lambda x: lax.reduce_window(x, -np.inf, lax.max, (2, 2), (1, 1), "VALID"), M),
    "average_pool": (lambda x: lax.reduce_window(x, 0., lax.add, (2, 2), (2, 1), "SAME"), M),
    # products and networks
    "dot": (jnp.dot, V, W),
    "matmul": (jnp.matmul, M, N),
    "einsum": (lambda x, y: jnp.einsum("bij,kj->bik", x, y), T, M),
    "conv": (conv, normal(1, 5, 5, 2), normal(3, 3, 2, 2)),
    "strided_conv": (strided_conv, normal(1, 2, 6, 7), normal(3, 2, 2, 2)),
    "mlp": (mlp, M, N, normal(4), normal(4, 2)), "layer_norm": (layer_norm, M, normal(3)),
    "attention": (attention, M, M + 1, M * 2), "gelu": (jax.nn.gelu, V), "log_softmax": (jax.nn.log_softmax, M),
    # control flow
    "rnn": (rnn, S * 0.1, M @ N),
    "reverse_scan": (reverse_scan, V),
    "nested_scan": (nested_scan, M),
    "newton": (newton, P),
    "in_place_loop": (chunked, V),
    "cond": (branches, V),
    "switch": (switched, V),
    "checkpoint": (jax.checkpoint(lambda x: jnp.sin(jnp.sin(x))), V),
    "associative_scan": (lambda x: lax.associative_scan(jnp.multiply, x), V),
    "map": (lambda x: lax.map(lambda r: r @ r, x), M), "vmapped_while": (lambda x: jax.vmap(newton)(x), P),
    # linear algebra
    "cholesky": (lambda a: jnp.linalg.cholesky(a), spd(3)), "cholesky_solve": (cholesky_solve, spd(3), normal(3)),
    "triangular_solve": (lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=True), np.tril(S), normal(4, 2)),
    "lu": (lambda a: lax.linalg.lu(a)[0], S), "solve": (jnp.linalg.solve, S, normal(4)), "inverse": (jnp.linalg.inv, S),
    "determinant": (jnp.linalg.det, S), "slogdet": (lambda a: jnp.linalg.slogdet(a)[1], S),
    "qr": (lambda a: jnp.linalg.qr(a)[1], S), "eigh": (lambda a: jnp.linalg.eigh(a)[0], spd(3)),
    "eigh_vectors": (lambda a: jnp.abs(jnp.linalg.eigh(a)[1]), spd(3)),
    "svd": (lambda a: jnp.linalg.svd(a, compute_uv=False), S),
    "expm": (jax.scipy.linalg.expm, S * 0.1),
    "fft": (lambda x: jnp.abs(jnp.fft.fft(x)), V),
    "rfft": (lambda x: jnp.fft.irfft(jnp.fft.rfft(x) * 2), V[:4]),
    # what is not in the file
    "stop_gradient": (lambda x: x * lax.stop_gradient(x), V),
    "straight_through": (lambda x: x + lax.stop_gradient(jnp.round(x) - x), V),
    "custom_jvp": (custom_jvp_function(), V), "custom_vjp": (clip_gradient(), V),
}


def exported(name, order):
    function, *arguments = FUNCTIONS[name]
    types = [jax.ShapeDtypeStruct(np.shape(x), np.asarray(x).dtype) for x in arguments]
    return bytes(export.export(jax.jit(function))(*types).serialize(vjp_order=order))


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in FUNCTIONS:
        (folder / f"{name}.jax").write_bytes(exported(name, 0))
        (folder / f"{name}.vjp.jax").write_bytes(exported(name, 1))
    print(f"{len(FUNCTIONS)} functions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
