# SPDX-License-Identifier: Apache-2.0
"""What the programs of draw.py are made of, as functions of JAX; and programs as functions, with their inputs."""

import functools

import jax
import jax.numpy as jnp
import models
import numpy as np
from jax import lax

DTYPES = {"f32": jnp.float32, "f64": jnp.float64, "bf16": jnp.bfloat16, "f16": jnp.float16, "s8": jnp.int8, "u8": jnp.uint8,
          "s32": jnp.int32, "c64": jnp.complex64, "c128": jnp.complex128, "pred": jnp.bool_, "s64": jnp.int64, "u32": jnp.uint32}

FUNCTIONS = {
    "twice": lambda x: x + x, "relu": jax.nn.relu, "tanh": jnp.tanh, "exp": lambda x: jnp.exp(-jnp.abs(x)), "sigmoid": jax.nn.sigmoid,
    "gelu": jax.nn.gelu, "silu": jax.nn.silu, "softplus": jax.nn.softplus, "log1p": lambda x: jnp.log1p(jnp.abs(x)),
    "sqrt": lambda x: jnp.sqrt(jnp.abs(x)), "rsqrt": lambda x: lax.rsqrt(jnp.abs(x) + 1),
    "sin": lambda x: jnp.sin(jnp.clip(x, -10, 10)), "square": jnp.square,
    "where": lambda x: jnp.where(x > 0, x, x * 0.1), "clip": lambda x: jnp.clip(x, -1, 1),
    "cos": lambda x: jnp.cos(jnp.clip(x, -10, 10)),
    "hash": lambda x: (x * 31 + 7) ^ (x >> 3), "mask": lambda x: x & 15, "bound": lambda x: jnp.minimum(x, 100),
    "shift": lambda x: x << 1,
    "complex_exp": lambda x: jnp.exp(0.1j * x), "conjugate": jnp.conj, "rotate": lambda x: x * (0.6 + 0.8j), "complex_square": lambda x: x * x,
    "magnitude": lambda x: x * jnp.abs(x)}
UNARY = {"float": ["relu", "tanh", "exp", "sigmoid", "gelu", "silu", "softplus", "log1p", "sqrt", "rsqrt", "sin", "cos", "square", "where", "clip"],
         "integer": ["hash", "mask", "bound", "shift"], "complex": ["complex_exp", "conjugate", "rotate", "complex_square", "magnitude"]}
BINARY_FUNCTIONS = {"add": jnp.add, "subtract": jnp.subtract, "multiply": jnp.multiply, "maximum": jnp.maximum,
                    "divide": lambda x, y: x / (jnp.abs(y) + 1), "xor": jnp.bitwise_xor}
BINARY = {"float": ["add", "subtract", "multiply", "maximum", "divide"], "integer": ["add", "subtract", "multiply", "maximum", "xor"],
          "complex": ["add", "subtract", "multiply", "divide"]}
REDUCE_FUNCTIONS = {"sum": jnp.sum, "max": jnp.max, "mean": jnp.mean, "var": jnp.var, "argmax": jnp.argmax, "logsumexp": jax.nn.logsumexp,
                    "softmax": jax.nn.softmax, "log_softmax": jax.nn.log_softmax, "any": lambda x, axis: jnp.any(x > 100, axis),
                    "all": lambda x, axis: jnp.all(x < 5, axis),
                    "norm": lambda x, axis: jnp.sqrt(jnp.sum(jnp.square(x), axis)), "min": jnp.min}
REDUCE = {"float": ["sum", "max", "mean", "var", "argmax", "logsumexp", "softmax", "log_softmax", "norm"],
          "integer": ["sum", "max", "min", "any", "all", "argmax"], "complex": ["sum", "mean"]}


def product(a, b, left, right, wide):
    a = jnp.swapaxes(a, -1, -2) if left else a
    b = jnp.swapaxes(b, -1, -2) if right else b
    return jnp.matmul(a, b, preferred_element_type=DTYPES[wide])


def convolution(x, w, stride, groups, last, gradient):
    spatial = x.ndim - 2
    letters = "HW"[:spatial]
    names = ("N" + letters + "C", letters + "IO", "N" + letters + "C") if last else ("NC" + letters, "OI" + letters, "NC" + letters)

    def forward(x, w):
        return lax.conv_general_dilated(x, w, (stride,) * spatial, "SAME", dimension_numbers=names,
                                        feature_group_count=groups)

    return forward(x, w) if gradient is None else jax.grad(lambda *a: jnp.sum(forward(*a)), gradient)(x, w)


def roll(x, axis, amount):
    return jnp.roll(x, amount, axis)


def strided(x, axis, amount):
    return lax.slice_in_dim(x, 0, None, amount + 1, axis) + lax.slice_in_dim(x, 0, None, amount + 1, axis)


def pad(x, axis, amount):
    return jnp.pad(x, [(amount, 0) if k == axis else (0, 0) for k in range(x.ndim)])


def merge(x, axis):
    return x.reshape(*x.shape[:axis], x.shape[axis] * x.shape[axis + 1], *x.shape[axis + 2:])


def embedding_gradient(table, index):
    if not jnp.issubdtype(table.dtype, jnp.floating):
        return table[index]
    return jax.grad(lambda t: jnp.sum(jnp.square(t[index].astype(jnp.float32))))(table)


def cell(x, w):
    def step(h, row):
        h = jnp.tanh(row + h @ w)
        return h, h

    return lax.scan(step, x[0], x)[1]


def recurrence(a, b):
    return lax.scan(lambda h, ab: (0.9 * jnp.tanh(ab[0]) * h + ab[1],) * 2, b[0], (a, b))[1]


def ode(x, steps):
    def rate(s):
        return jnp.stack([10 * (s[1] - s[0]), s[0] * (2 - s[2]) - s[1], s[0] * s[1] - s[2]])

    def step(s, _):
        k1 = rate(s)
        k2 = rate(s + 0.005 * k1)
        return s + 0.01 * k2, None

    return jax.vmap(lambda s: lax.scan(step, s, None, steps)[0], 1, 1)(x)


def loop(x, steps):
    return lax.while_loop(lambda s: s[0] < steps, lambda s: (s[0] + 1, 0.5 * (s[1] + jnp.cos(s[1]))), (0, x))[1]


def searchsorted(sorted_values, x):
    return jnp.searchsorted(jnp.sort(sorted_values), x)


def fft(x, function):
    if function == "convolve":
        return jnp.fft.irfft(jnp.fft.rfft(x) * jnp.fft.rfft(x[:1]), x.shape[-1])
    return getattr(jnp.fft, function)(x)


def lstsq(a):
    q, r = jnp.linalg.qr(a)
    return jax.scipy.linalg.solve_triangular(r + jnp.eye(r.shape[-1], dtype=r.dtype), jnp.sum(q, -2)[..., None])


def of_any_sign(decompose):
    """Of vectors whose sign is the library's choice, the magnitudes: so results can be compared."""
    return lambda a: [jnp.abs(part) for part in decompose(a)]


def scattered(table, index, update, method):
    return getattr(table.at[index], method)(update)


OPS = {
    "unary": lambda x, function: FUNCTIONS[function](x), "binary": lambda x, y, function: BINARY_FUNCTIONS[function](x, y),
    "convert": lambda x, to: x.astype(DTYPES[to]), "reduce": lambda x, function, axis: REDUCE_FUNCTIONS[function](x, axis=axis),
    "reduce_keep": lambda x, axis: x - jnp.mean(x, axis, keepdims=True).astype(x.dtype),
    "transpose": lambda x, order: jnp.transpose(x, order), "flip": lambda x, axis, amount: jnp.flip(x, axis), "roll": roll, "strided": strided,
    "pad": pad, "concatenate": lambda x, y, axis: jnp.concatenate([x, y], axis),
    "repeat": lambda x, axis, amount: jnp.repeat(x, amount, axis),
    "merge": merge, "product": product, "convolution": convolution,
    "take": lambda x, i: x[i], "take_along": lambda x, i: jnp.take_along_axis(x, i, 1),
    "windows": lambda x, i, window: x[i[:, None] + jnp.arange(window)], "embedding_gradient": embedding_gradient,
    "scatter_add": functools.partial(scattered, method="add"), "scatter_max": functools.partial(scattered, method="max"),
    "segment_sum": lambda t, i, u: jax.ops.segment_sum(u, i, t.shape[0]),
    "cell": cell, "recurrence": recurrence, "ode": ode, "while": loop,
    "cumulative": lambda x, function, axis: getattr(lax, function)(x, axis),
    "sort": lambda x, axis: jnp.sort(x, axis), "argsort": lambda x, axis: jnp.argsort(x, axis),
    "median": lambda x, axis: jnp.median(x, axis),
    "top_k": lambda x, k: lax.top_k(x, k), "searchsorted": searchsorted, "fft": fft,
    "cholesky": jnp.linalg.cholesky, "solve": jnp.linalg.solve, "qr": of_any_sign(jnp.linalg.qr),
    "eigh": of_any_sign(jnp.linalg.eigh), "inv": jnp.linalg.inv,
    "svd": of_any_sign(functools.partial(jnp.linalg.svd, full_matrices=False)), "det": jnp.linalg.det, "lstsq": lstsq,
    "triangular_solve": lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=True),
    **models.OPS}


def type_name(dtype) -> str:
    return next((name for name, known in DTYPES.items() if jnp.dtype(known) == dtype), str(dtype))


def is_wide(program: dict) -> bool:
    """Must jax_enable_x64 be on?"""
    wide = ("f64", "c128")
    return any(i[0] in wide for i in program["inputs"]) or any(p.get("to") in wide for _, _, p in program["ops"])


def function_of(program: dict):
    """The program as a function of its inputs."""

    def run(*inputs):
        values = list(inputs)
        for name, operands, parameters in program["ops"]:
            values.append(OPS[name](*(values[k] for k in operands), **parameters))
        return [values[k] for k in program["outputs"]]

    return run


def inputs_of(program: dict) -> list[np.ndarray]:
    """Normal floats, small integers, indices below what the kind says, positive definite matrices."""
    generator = np.random.default_rng(program["seed"])
    return [make_input(generator, *i) for i in program["inputs"]]


def make_input(generator, name: str, shape, kind: str) -> np.ndarray:
    dtype = np.dtype(DTYPES[name])
    if kind.startswith("below "):
        return generator.integers(0, int(kind.split()[1]), shape).astype(dtype)
    if name in ("s8", "u8", "s32"):
        return generator.integers(0 if name == "u8" else -100, 100, shape).astype(dtype)
    if name == "pred":
        return generator.integers(0, 2, shape).astype(dtype)
    x = generator.standard_normal(shape)
    if name in ("c64", "c128"):
        x = x + 1j * generator.standard_normal(shape)
    if kind == "small":
        x = x / np.sqrt(shape[0])
    if kind == "positive":
        x = x @ np.swapaxes(x, -1, -2) / shape[-1] + np.eye(shape[-1])
    return x.astype(dtype)
