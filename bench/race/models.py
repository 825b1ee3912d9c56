# SPDX-License-Identifier: Apache-2.0
"""Whole programs as people run them: steps of training and of simulations, with drawn sizes. MODELS[name](draw) gives
the parameters and the inputs, OPS[name] is the program."""

import jax
import jax.numpy as jnp
from jax import lax


def mlp_step(x, y, w1, b1, w2, b2):
    def loss(p):
        h = jax.nn.relu(x @ p[0] + p[1])
        return -jnp.mean(jnp.sum(y * jax.nn.log_softmax(h @ p[2] + p[3]), -1))

    p = (w1, b1, w2, b2)
    value, g = jax.value_and_grad(loss)(p)
    m = [0.1 * a for a in g]
    v = [0.001 * a * a for a in g]
    return [value, *(a - 1e-3 * (b * 10) / (jnp.sqrt(c * 1000) + 1e-8) for a, b, c in zip(p, m, v))]


def attention(q, k, v, gradient):
    def forward(q, k, v):
        scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / q.shape[-1] ** 0.5
        mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
        return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(jnp.where(mask, scores, -1e9)), v)

    return jax.grad(lambda *a: jnp.sum(jnp.square(forward(*a))), (0, 1, 2))(q, k, v) if gradient else forward(q, k, v)


def layer_norm(x, scale, offset):
    def loss(x, scale, offset):
        mean = jnp.mean(x, -1, keepdims=True)
        variance = jnp.mean(jnp.square(x - mean), -1, keepdims=True)
        return jnp.sum(jnp.tanh((x - mean) * lax.rsqrt(variance + 1e-5) * scale + offset))

    return jax.grad(loss, (0, 1, 2))(x, scale, offset)


def convolutional_step(x, y, w1, w2, w3):
    def loss(p):
        h = jax.nn.relu(lax.conv_general_dilated(x, p[0], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
        h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        h = jax.nn.relu(lax.conv_general_dilated(h, p[1], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
        return -jnp.mean(jnp.sum(y * jax.nn.log_softmax(jnp.mean(h, (1, 2)) @ p[2]), -1))

    p = (w1, w2, w3)
    return [a - 0.01 * g for a, g in zip(p, jax.grad(loss)(p))]


def lstm(x, w, u, b, gradient):
    def loss(w, u, b):
        def step(carry, row):
            h, c = carry
            i, f, g, o = jnp.split(row @ w + h @ u + b, 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zero = jnp.zeros((x.shape[1], u.shape[0]), x.dtype)
        return jnp.mean(jnp.square(lax.scan(step, (zero, zero), x)[1]))

    return jax.grad(loss, (0, 1, 2))(w, u, b) if gradient else loss(w, u, b)


def gru(x, w, u, gradient):
    def loss(w, u):
        def step(h, row):
            a, b = jnp.split(row @ w, [2 * u.shape[0]], -1)
            z, r = jnp.split(jax.nn.sigmoid(a + h @ u[:, : 2 * u.shape[0]]), 2, -1)
            h = (1 - z) * h + z * jnp.tanh(b + (r * h) @ u[:, 2 * u.shape[0]:])
            return h, h

        return jnp.mean(jnp.square(lax.scan(step, jnp.zeros((x.shape[1], u.shape[0]), x.dtype), x)[1]))

    return jax.grad(loss, (0, 1))(w, u) if gradient else loss(w, u)


def k_means(x, centres):
    distance = jnp.sum(jnp.square(x), 1)[:, None] - 2 * x @ centres.T + jnp.sum(jnp.square(centres), 1)
    nearest = jnp.argmin(distance, 1)
    sums = jnp.zeros_like(centres).at[nearest].add(x)
    counts = jnp.zeros(centres.shape[0], x.dtype).at[nearest].add(1)
    return sums / jnp.maximum(counts, 1)[:, None]


def fluid(u, v, steps):
    k = jnp.fft.fftfreq(u.shape[0]).astype(jnp.float32) * u.shape[0]
    kx, ky = k[:, None], k[None]
    inverse = 1 / jnp.where(kx**2 + ky**2 == 0, 1, kx**2 + ky**2)

    def step(s, _):
        u, v = s
        uh, vh = jnp.fft.fft2(u - 0.01 * u * (jnp.roll(u, -1,
                                                       0) - u)), jnp.fft.fft2(v - 0.01 * v * (jnp.roll(v, -1, 1) - v))
        p = (kx * uh + ky * vh) * inverse
        return (jnp.fft.ifft2(uh - kx * p).real, jnp.fft.ifft2(vh - ky * p).real), None

    return lax.scan(step, (u, v), None, steps)[0]


def life(board, steps):
    def step(board, _):
        shifted = [jnp.roll(board, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
        alive = sum(shifted[1:], shifted[0])
        return ((alive == 3) | ((board == 1) & (alive == 2))).astype(board.dtype), None

    return lax.scan(step, board & 1, None, steps)[0]


def heat(x, steps):
    def step(x, _):
        return x + 0.1 * (jnp.roll(x, 1, 0) + jnp.roll(x, -1, 0) + jnp.roll(x, 1, 1) + jnp.roll(x, -1, 1) - 4 * x), None

    return lax.scan(step, x, None, steps)[0]


def image(x, mean):
    return jnp.transpose((x.astype(jnp.float32) / 255 - mean) / 0.25, (0, 3, 1, 2))


def quantised(x, w, b):
    sums = jnp.matmul(x, w, preferred_element_type=jnp.int32)
    return jnp.clip(jnp.round((sums.astype(jnp.float32) * 0.01 + b)), -128, 127).astype(jnp.int8)


def black_scholes(spot, strike, time):
    d1 = (jnp.log((jnp.abs(spot) + 1) / (jnp.abs(strike) + 1)) + (0.05 + 0.02)
          * (jnp.abs(time) + 0.1)) / (0.2 * jnp.sqrt(jnp.abs(time) + 0.1))
    return spot * jax.scipy.stats.norm.cdf(d1) - strike * jnp.exp(-0.05
                                                                  * jnp.abs(time)) * jax.scipy.stats.norm.cdf(d1 - 0.2)


def bodies(x):
    difference = x[:, None] - x[None]
    inverse = lax.rsqrt(jnp.sum(jnp.square(difference), -1) + 1e-2)
    return jnp.sum(difference * (inverse**3)[..., None], 1)


def mandelbrot(c, steps):
    return lax.fori_loop(0, steps, lambda _, z: jnp.where(jnp.abs(z) < 2, z * z + c, z), jnp.zeros_like(c))


def mixture(x, means, logits):
    def loss(means, logits):
        distance = jnp.sum(jnp.square(x[:, None] - means[None]), -1)
        return jnp.sum(jax.nn.logsumexp(jax.nn.log_softmax(logits) - 0.5 * distance, 1))

    return jax.grad(loss, (0, 1))(means, logits)


def resize(x, factor):
    return jax.image.resize(x, (x.shape[0], int(x.shape[1] * factor), int(x.shape[2] * factor), x.shape[3]), "bilinear")


def variational(x, w1, w2, w3, noise):
    def loss(p):
        mean, log_variance = jnp.split(jax.nn.relu(x @ p[0]) @ p[1], 2, -1)
        logits = (mean + jnp.exp(0.5 * log_variance) * noise) @ p[2]
        kl = -0.5 * jnp.sum(1 + log_variance - mean**2 - jnp.exp(log_variance))
        return jnp.sum(jax.nn.softplus(logits) - x * logits) + kl

    return jax.grad(loss)((w1, w2, w3))


OPS = {f.__name__: f for f in (mlp_step, attention, layer_norm, convolutional_step, lstm, gru, k_means, fluid, life,
                               heat, image, quantised,
                               black_scholes, bodies, mandelbrot, mixture, resize, variational)}


def small(*shape):
    return ("f32", shape, "small")


def draw_mlp(d):
    n, i, h, o = d.extent(256, 16), d.extent(784, 16), d.extent(1024, 16), d.extent(100, 2)
    return {}, [("f32", (n, i)), ("f32", (n, o)), small(i, h), ("f32", (h,)), small(h, o), ("f32", (o,))]


def draw_attention(d):
    shape = (d.extent(8), d.extent(12), d.extent(256, 8), d.random.choice((16, 32, 64, 80)))
    return {"gradient": d.random.random() < 0.5}, [("f32", shape)] * 3


def draw_convolutional(d):
    n, s, c = d.extent(32), d.random.choice((14, 16, 28, 31, 32)), d.random.choice((1, 3, 8))
    f1, f2 = d.extent(32, 4), d.extent(64, 8)
    return {}, [("f32", (n, s, s, c)), ("f32", (n, 10)), small(3, 3, c, f1), small(3, 3, f1, f2), small(f2, 10)]


def draw_recurrent(gates, bias):
    def drawn(d):
        t, n, i, h = d.extent(64, 8), d.extent(64), d.extent(128, 4), d.extent(256, 8)
        inputs = [("f32", (t, n, i)), small(i, gates * h), small(h, gates * h)]
        return {"gradient": d.random.random() < 0.5}, inputs + ([("f32", (gates * h,))] if bias else [])

    return drawn


def draw_variational(d):
    n, i, h, z = d.extent(256, 8), d.extent(784, 16), d.extent(400, 16), d.extent(32, 2)
    return {}, [("f32", (n, i)), small(i, h), small(h, 2 * z), small(z, i), ("f32", (n, z))]


def draw_k_means(d):
    width = d.extent(64, 2)
    return {}, [("f32", (d.extent(20000, 100), width)), ("f32", (d.extent(64, 2), width))]


def draw_mixture(d):
    width, count = d.extent(64, 2), d.extent(32, 2)
    return {}, [("f32", (d.extent(2048, 64), width)), ("f32", (count, width)), ("f32", (count,))]


def square(types, most, steps):
    def drawn(d):
        shape = (d.extent(most, 16), d.extent(most, 16))
        return {"steps": d.random.randint(2, steps)}, [(d.random.choice(types), shape)]

    return drawn


def draw_fluid(d):
    n = d.extent(128, 8)
    return {"steps": d.random.randint(2, 20)}, [("f32", (n, n))] * 2


def draw_layer_norm(d):
    width = d.extent(1024, 16)
    return {}, [("f32", (d.extent(2048, 8), width)), ("f32", (width,)), ("f32", (width,))]


def draw_quantised(d):
    i, o = d.extent(1024, 16), d.extent(1024, 16)
    return {}, [("s8", (d.extent(256), i)), ("s8", (i, o)), ("f32", (o,))]


MODELS = {
    "mlp_step": draw_mlp, "attention": draw_attention, "layer_norm": draw_layer_norm, "convolutional_step": draw_convolutional,
    "lstm": draw_recurrent(4, True), "gru": draw_recurrent(3, False), "k_means": draw_k_means, "fluid": draw_fluid,
    "life": square(("u8", "s8", "s32"), 512, 20), "heat": square(("f32", "f64"), 512, 20),
    "mandelbrot": square(("c64",), 256, 50), "quantised": draw_quantised, "variational": draw_variational,
    "image": lambda d: ({}, [("u8", (d.extent(16), d.extent(224, 16), d.extent(224, 16), 3)), ("f32", (3,))]),
    "black_scholes": lambda d: ({}, [("f32", (d.extent(10**6, 1000),))] * 3), "mixture": draw_mixture,
    "bodies": lambda d: ({}, [("f32", (d.extent(1024, 16), 3))]),
    "resize": lambda d: ({"factor": d.random.choice((0.5, 1.7, 2, 3))},
                         [("f32", (d.extent(8), d.extent(96, 8), d.extent(96, 8), d.random.choice((1, 3, 16))))])}
