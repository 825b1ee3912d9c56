# SPDX-License-Identifier: Apache-2.0
"""The programs of bench/rows.cc in JAX. Prints a line "row<TAB>microseconds" for each row: the median of its calls."""
import functools
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import timing  # noqa: E402


def row(name, make):
    timing.row(name, make, jax.block_until_ready)


def jitted(function, *arguments):
    """Returns a call of a jitted function with these arguments."""
    return functools.partial(jax.jit(function), *arguments)


def loss(p, x, y):
    h = jax.nn.relu(x @ p["w1"] + p["b1"])
    log_p = jax.nn.log_softmax(h @ p["w2"] + p["b2"])
    return -jnp.mean(jnp.sum(jax.nn.one_hot(y, 10) * log_p, 1))


@jax.jit
def step(p, state, x, y):
    value, g = jax.value_and_grad(loss)(p, x, y)
    count = state["step"] + 1
    m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, state["m"], g)
    v = jax.tree.map(lambda a, b: 0.999 * a + 0.001 * b * b, state["v"], g)
    t = count.astype(jnp.float32)
    ms, vs = 1 / (1 - 0.9**t), 1 / (1 - 0.999**t)
    p = jax.tree.map(lambda a, b, c: a - 2e-3 * (b * ms) / (jnp.sqrt(c * vs) + 1e-8), p, m, v)
    return p, {"step": count, "m": m, "v": v}, value


def digits(key):
    if not timing.is_wanted("digits_step_first_call"):
        return
    p = {"w1": jax.random.normal(key, (64, 128)) * 0.1, "b1": jnp.zeros(128),
         "w2": jax.random.normal(key, (128, 10)) * 0.1, "b2": jnp.zeros(10)}
    zeros = jax.tree.map(jnp.zeros_like, p)
    state = {"step": jnp.zeros((), jnp.int32), "m": zeros, "v": zeros}
    x = jax.random.uniform(key, (128, 64))
    y = (jax.random.uniform(key, (128,)) * 10).astype(jnp.int32)
    jax.block_until_ready((p, state, x, y))
    timing.once("digits_step_first_call", lambda: step(p, state, x, y), jax.block_until_ready)
    row("digits_step", lambda: functools.partial(step, p, state, x, y))


NHWC, NCHW = ("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NCHW")
CONVOLUTIONS = [
    ("conv3x3_nhwc_28", (32, 28, 28, 64), (3, 3, 64, 64), 1, NHWC, 1),
    ("conv3x3_nhwc_56", (8, 56, 56, 64), (3, 3, 64, 64), 1, NHWC, 1),
    ("conv3x3_nchw_28", (32, 64, 28, 28), (64, 64, 3, 3), 1, NCHW, 1),
    ("conv3x3_s2_nhwc_56", (8, 56, 56, 64), (3, 3, 64, 128), 2, NHWC, 1),
    ("conv3x3_nhwc_7", (32, 7, 7, 256), (3, 3, 256, 256), 1, NHWC, 1),
    ("conv1x1_nhwc_56", (8, 56, 56, 64), (1, 1, 64, 256), 1, NHWC, 1),
    ("conv1x1_nchw_56", (8, 64, 56, 56), (256, 64, 1, 1), 1, NCHW, 1),
    ("conv7x7_s2_nhwc_224", (8, 224, 224, 3), (7, 7, 3, 64), 2, NHWC, 1),
    ("conv7x7_s2_nchw_224", (8, 3, 224, 224), (64, 3, 7, 7), 2, NCHW, 1),
    ("depthwise3x3_nhwc_56", (8, 56, 56, 64), (3, 3, 1, 64), 1, NHWC, 64),
    ("depthwise3x3_nchw_56", (8, 64, 56, 56), (64, 1, 3, 3), 1, NCHW, 64),
    ("grouped3x3_nhwc_28", (8, 28, 28, 64), (3, 3, 8, 64), 1, NHWC, 8),
]


def convolutions(key):
    for name, images_shape, kernel_shape, stride, numbers, groups in CONVOLUTIONS:

        def images(shape=images_shape):
            return jax.random.normal(key, shape)

        def kernel(shape=kernel_shape):
            return jax.random.normal(key, shape)

        def f(x, k, stride=stride, numbers=numbers, groups=groups):
            return jax.lax.conv_general_dilated(x, k, (stride, stride), "SAME", dimension_numbers=numbers,
                                                feature_group_count=groups)

        def cotangent():
            return jax.random.normal(key, jax.eval_shape(f, images(), kernel()).shape)

        def to_images(x, k, ct):
            return jax.vjp(lambda i: f(i, k), x)[1](ct)[0]

        def to_kernel(x, k, ct):
            return jax.vjp(lambda w: f(x, w), k)[1](ct)[0]

        row(name, lambda: jitted(f, images(), kernel()))
        row(name + "_to_lhs", lambda: jitted(to_images, images(), kernel(), cotangent()))
        row(name + "_to_rhs", lambda: jitted(to_kernel, images(), kernel(), cotangent()))


def windows(key):
    over = (1, 2, 2, 1)

    def images():
        return jax.random.uniform(key, (32, 56, 56, 64))

    def square():
        return jax.random.uniform(key, (2048, 2048))

    def pool(window, padding):
        return lambda x: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, over, padding)

    def slope(f):
        return jax.grad(lambda x: jnp.sum(jnp.square(f(x))))

    def average(x):
        return jax.lax.reduce_window(x, 0.0, jax.lax.add, over, over, "VALID") / 4

    pool2, pool3 = pool(over, "VALID"), pool((1, 3, 3, 1), "SAME")
    row("window_max_pool_2x2", lambda: jitted(pool2, images()))
    row("window_max_pool_3x3", lambda: jitted(pool3, images()))
    row("window_avg_pool_2x2", lambda: jitted(average, images()))
    row("window_max_pool_2x2_grad", lambda: jitted(slope(pool2), images()))
    row("window_max_pool_3x3_grad", lambda: jitted(slope(pool3), images()))
    row("window_cumsum_axis0_2048", lambda: jitted(lambda x: jnp.cumsum(x, 0), square()))
    row("window_cumsum_axis1_2048", lambda: jitted(lambda x: jnp.cumsum(x, 1), square()))


def ffts(key):
    def lines(*shape):
        return jax.random.normal(key, shape, jnp.complex64)

    row("fft_1M", lambda: jitted(jnp.fft.fft, lines(1 << 20)))
    row("fft_999999", lambda: jitted(jnp.fft.fft, lines(999999)))
    row("fft_256x256", lambda: jitted(jnp.fft.fft, lines(256, 256)))
    row("fft_1000x100", lambda: jitted(jnp.fft.fft, lines(1000, 100)))
    row("fft_128x997", lambda: jitted(jnp.fft.fft, lines(128, 997)))
    row("fft2_512", lambda: jitted(jnp.fft.fft2, lines(512, 512)))
    row("rfft_1M", lambda: jitted(jnp.fft.rfft, jax.random.normal(key, (1 << 20,))))
    row("rfft_1000x400", lambda: jitted(jnp.fft.rfft, jax.random.normal(key, (1000, 400))))


def linalg(key):
    def positive(*shape):
        a = jax.random.normal(key, shape)
        return a @ a.mT + jnp.eye(shape[-1]) * shape[-1]

    def eigenvectors(a):
        return jnp.linalg.eigh(a)[1]

    row("cholesky_1000x16x16", lambda: jitted(jnp.linalg.cholesky, positive(1000, 16, 16)))
    row("cholesky_256", lambda: jitted(jnp.linalg.cholesky, positive(256, 256)))
    row("cholesky_511", lambda: jitted(jnp.linalg.cholesky, positive(511, 511)))
    row("eigh_256", lambda: jitted(eigenvectors, positive(256, 256)))
    row("eigh_1000x16x16", lambda: jitted(eigenvectors, positive(1000, 16, 16)))
    row("qr_300x200", lambda: jitted(lambda a: jnp.linalg.qr(a)[0], jax.random.normal(key, (300, 200))))
    row("svd_300x200", lambda: jitted(lambda a: jnp.linalg.svd(a, full_matrices=False)[0], jax.random.normal(key, (300, 200))))
    row("solve_256x8", lambda: jitted(jnp.linalg.solve, positive(256, 256), jax.random.normal(key, (256, 8))))


def order(key):
    def million():
        return jax.random.uniform(key, (1000000,))

    def table():
        return jax.random.uniform(key, (1000, 1000))

    def rows():
        return jax.random.uniform(key, (10000, 64))

    def places(count):
        return (jax.random.uniform(key, (count,)) * 10000).astype(jnp.int32)

    def top(x):
        return jax.lax.top_k(x, 10)[0]

    def add(x, i, u):
        return x.at[i].add(u)

    row("sort_1M", lambda: jitted(jnp.sort, million()))
    row("sort_1000x1000", lambda: jitted(jnp.sort, table()))
    row("argsort_1M", lambda: jitted(jnp.argsort, million()))
    row("top_k_1M_10", lambda: jitted(top, million()))
    row("top_k_1000x1000_10", lambda: jitted(top, table()))
    row("take_100000x64", lambda: jitted(lambda x, i: jnp.take(x, i, 0), rows(), places(100000)))
    row("scatter_add_1M", lambda: jitted(add, jnp.zeros(10000), places(1000000), million()))
    row("scatter_add_100000x64", lambda: jitted(add, rows(), places(100000), jax.random.uniform(key, (100000, 64))))


def elementwise(key):
    def square():
        return jax.random.uniform(key, (4096, 4096))

    def muladd(u, v, w):
        return jnp.tanh(u * v + w)

    a8 = jax.random.uniform(key, (8,))
    row("add_8", lambda: jitted(lambda x, y: x + y, a8, a8))
    row("eager_add_8", lambda: lambda: a8 + a8)
    row("muladd_tanh_16M", lambda: jitted(muladd, *[jax.random.uniform(key, (1 << 24,))] * 3))
    row("add_transposed_1000", lambda: jitted(lambda x: x + x.T, jax.random.uniform(key, (1000, 1000))))
    row("softmax_4096x1024", lambda: jitted(jax.nn.softmax, jax.random.uniform(key, (4096, 1024))))
    row("sum_axis0_4096", lambda: jitted(lambda x: jnp.sum(x, 0), square()))
    row("sum_axis1_4096", lambda: jitted(lambda x: jnp.sum(x, 1), square()))


def matmuls(key):
    def product(left, right):
        return jitted(jnp.matmul, jax.random.uniform(key, left), jax.random.uniform(key, right))

    row("matmul_1024", lambda: product((1024, 1024), (1024, 1024)))
    row("matmul_997x333x777", lambda: product((997, 333), (333, 777)))
    row("matmul_500_of_31x47x29", lambda: product((500, 31, 47), (500, 47, 29)))


def loops(key):
    def count(n):
        return jax.lax.while_loop(lambda c: c < 1000000.0, lambda c: c + 1.0, n)

    def rnn(weights, inputs):
        def cell(h, x):
            h = jnp.tanh(h @ weights + x)
            return h, h

        return jax.lax.scan(cell, jnp.zeros((16, 128)), inputs)[1]

    row("while_1e6", lambda: jitted(count, jnp.zeros(())))
    row("rnn_scan_256", lambda: jitted(rnn, jax.random.normal(key, (128, 128)) * 0.05, jax.random.normal(key, (256, 16, 128))))


def heston_price(model, normals):
    start, variance, speed, level, volatility, correlation, rate = model
    dt = 1 / normals.shape[0]

    def step(state, z):
        log_price, variance = state
        v = jnp.maximum(variance, 1e-6)
        root = jnp.sqrt(v * dt)
        shock = correlation * z[0] + jnp.sqrt(1 - correlation * correlation) * z[1]
        return (log_price + (rate - 0.5 * v) * dt + root * z[0],
                variance + speed * (level - v) * dt + volatility * root * shock), None

    zeros = jnp.zeros(normals.shape[2])
    (last, _), _ = jax.lax.scan(step, (zeros + jnp.log(start), zeros + variance), normals)
    return jnp.exp(-rate) * jnp.mean(jnp.maximum(jnp.exp(last) - 100, 0.0))


def paths(key):
    model = tuple(jnp.float32(x) for x in (100, 0.04, 1.5, 0.04, 0.3, -0.7, 0.02))

    def normals():
        return jax.random.normal(key, (64, 2, 8192))

    row("heston_value", lambda: jitted(heston_price, model, normals()))
    row("heston_gradient", lambda: jitted(jax.value_and_grad(heston_price), model, normals()))
    row("heston_jacfwd", lambda: jitted(jax.jacfwd(heston_price), model, normals()))


key = jax.random.key(0)
windows(key)
digits(key)
convolutions(key)
elementwise(key)
matmuls(key)
loops(key)
paths(key)
order(key)
ffts(key)
linalg(key)
