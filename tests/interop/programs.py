# SPDX-License-Identifier: Apache-2.0
"""JAX programs that hilo must run as JAX does: name -> (function, inputs...)."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

RNG = np.random.default_rng(0)


def normal(*shape, dtype=np.float32):
    return RNG.standard_normal(shape).astype(dtype)


def integers(low, high, *shape, dtype=np.int32):
    return RNG.integers(low, high, shape).astype(dtype)


def newton(x):
    return lax.while_loop(lambda s: jnp.abs(s * s - 2) > 1e-6, lambda s: 0.5 * (s + 2 / s), x)


def rnn(w, x):
    def step(h, row):
        h = jnp.tanh(h @ w + row)
        return h, h.sum()
    return lax.scan(step, jnp.zeros(w.shape[0], x.dtype), x)


def layer_norm(x, scale):
    centred = x - x.mean(-1, keepdims=True)
    return scale * centred / jnp.sqrt((centred ** 2).mean(-1, keepdims=True) + 1e-5)


def perceptron(w, b, v, x, y):
    def loss(w, b, v):
        logits = jnp.tanh(x @ w + b) @ v
        return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(y.shape[0]), y])
    return jax.value_and_grad(loss, (0, 1, 2))(w, b, v)


PROGRAMS = {
    "add_f32": (lambda x, y: x + y, normal(5, 17), normal(5, 17)),
    "arithmetic_f64": (lambda x, y: (x - y) * x / (y * y + 1), normal(33, dtype=np.float64), normal(33, dtype=np.float64)),
    "arithmetic_f16": (lambda x, y: x * y + x, normal(31, dtype=np.float16), normal(31, dtype=np.float16)),
    "division_s32": (lambda x, y: (x // y, x % y), integers(-50, 50, 40), integers(1, 9, 40)),
    "bits_u32": (lambda x, y: ((x & y) | (x ^ 7), x << 3, x >> 2, ~y), integers(0, 1000, 19, dtype=np.uint32),
                 integers(0, 1000, 19, dtype=np.uint32)),
    "bits_s8": (lambda x: (x >> 1, lax.population_count(x), lax.clz(x)), integers(-128, 127, 23, dtype=np.int8)),
    "elementary_f32": (lambda x: (jnp.exp(x), jnp.sin(x), jnp.cos(x), jnp.tanh(x), jnp.log1p(jnp.abs(x)),
                                  jnp.sqrt(jnp.abs(x)), lax.erf(x), lax.logistic(x)), normal(129)),
    "elementary_f64": (lambda x: (jnp.exp(x), jnp.log(jnp.abs(x)), jnp.sin(x), jnp.expm1(x), jnp.cbrt(x)),
                       normal(65, dtype=np.float64)),
    "rounding": (lambda x: (jnp.floor(x), jnp.ceil(x), jnp.round(x), jnp.sign(x)), normal(33) * 4),
    "power": (lambda x, y: jnp.abs(x) ** y, normal(20), normal(20)),
    "atan2": (lambda x, y: jnp.arctan2(x, y), normal(40), normal(40)),
    "compare_select": (lambda x, y: jnp.where(x > y, x, -y), normal(8, 9), normal(8, 9)),
    "nan_maximum": (lambda x: (jnp.maximum(x, 0), jnp.minimum(x, 0)), np.array([np.nan, -1, 2, np.inf], np.float32)),
    "clamp": (lambda x: jnp.clip(x, -0.5, 0.5), normal(21)),
    "convert": (lambda x: (x.astype(jnp.int32), x.astype(jnp.float16), x.astype(bool), x.astype(jnp.uint8)),
                np.abs(normal(30)) * 10),
    "bitcast": (lambda x: lax.bitcast_convert_type(x, jnp.uint32), normal(12)),
    "iota_broadcast": (lambda x: x[:, None] + jnp.arange(7, dtype=x.dtype), normal(5)),
    "transpose_reshape": (lambda x: x.transpose(2, 0, 1).reshape(4, 15), normal(3, 5, 4)),
    "slice_concatenate": (lambda x: jnp.concatenate([x[1:7:2], x[::-1][:2]]), normal(9, 3)),
    "pad": (lambda x: lax.pad(x, jnp.float32(7), [(1, 2, 1), (-1, 0, 0)]), normal(4, 5)),
    "dynamic_slice": (lambda x, i: lax.dynamic_slice(x, (i, np.int32(1)), (2, 3)), normal(6, 5), np.int32(9)),
    "dynamic_update": (lambda x, y, i: lax.dynamic_update_slice(x, y, (i,)), normal(10), normal(3), np.int32(-4)),
    "gather_rows": (lambda x, i: x[i], normal(9, 4), integers(0, 9, 6)),
    "gather_points": (lambda x, i, j: x[i, j], normal(9, 4), integers(0, 9, 6), integers(0, 4, 6)),
    "scatter_add": (lambda x, i, y: x.at[i].add(y), normal(8, 3), integers(0, 8, 12), normal(12, 3)),
    "scatter_out_of_bounds": (lambda x, i: x.at[i].set(1.0, mode="drop"), normal(5), np.array([1, 77, -99], np.int32)),
    "sum_axes": (lambda x: (x.sum(), x.sum(0), x.sum(1), x.sum((0, 2))), normal(5, 17, 3)),
    "reduce_others": (lambda x: (x.max(1), x.min(0), x.prod(1), (x > 0).any(0), (x > -9).all(1)), normal(6, 13)),
    "argmax": (lambda x: (x.argmax(1), x.argmin(0)), normal(7, 11)),
    "cumulative": (lambda x: (jnp.cumsum(x, 0), lax.cummax(x, 1), jnp.cumprod(x, 1)), normal(5, 9)),
    "softmax": (lambda x: jax.nn.softmax(x), normal(9, 33)),
    "layer_norm": (layer_norm, normal(7, 65), normal(65)),
    "dot": (lambda x, y: x @ y, normal(17, 33), normal(33, 9)),
    "dot_batch": (lambda x, y: jnp.einsum("bij,bkj->bik", x, y), normal(4, 5, 6), normal(4, 7, 6)),
    "dot_s32": (lambda x, y: x @ y, integers(-9, 9, 5, 6), integers(-9, 9, 6, 3)),
    "sort": (lambda x: jnp.sort(x, 1), normal(4, 31)),
    "sort_pairs": (lambda k, v: lax.sort((k, v), num_keys=1), integers(0, 5, 40), normal(40)),
    "argsort": (lambda x: jnp.argsort(x), integers(0, 6, 50)),
    "conditional": (lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), np.bool_(False), normal(5)),
    "switch": (lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tanh], x), np.int32(2), normal(5)),
    "while_newton": (newton, np.float32(5)),
    "fori": (lambda x: lax.fori_loop(0, 100, lambda i, s: s * 0.5 + i, x), np.float32(1)),
    "scan_rnn": (rnn, normal(8, 8), normal(12, 8)),
    "perceptron_grad": (perceptron, normal(6, 8), normal(8), normal(8, 3), normal(10, 6), integers(0, 3, 10)),
    "random_bits": (lambda k: jax.random.bits(jax.random.wrap_key_data(k), (37,)), np.array([1, 2], np.uint32)),
    "random_normal": (lambda k: jax.random.normal(jax.random.wrap_key_data(k), (37,)), np.array([3, 4], np.uint32)),
    "empty": (lambda x: (x + 1, x.sum()), normal(0, 3)),
    "scalar": (lambda x: x * 2 + 1, np.float32(3)),
}
