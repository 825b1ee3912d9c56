# SPDX-License-Identifier: Apache-2.0
"""The programs of bench/rows.cc in JAX: prints "row<TAB>microseconds", the median of its calls, a line a row."""
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import timing  # noqa: E402


def row(name, call):
    timing.row(name, call, jax.block_until_ready)


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
    p = {"w1": jax.random.normal(key, (64, 128)) * 0.1, "b1": jnp.zeros(128), "w2": jax.random.normal(key, (128, 10)) * 0.1, "b2": jnp.zeros(10)}
    zeros = jax.tree.map(jnp.zeros_like, p)
    state = {"step": jnp.zeros((), jnp.int32), "m": zeros, "v": zeros}
    x = jax.random.uniform(key, (128, 64))
    y = (jax.random.uniform(key, (128,)) * 10).astype(jnp.int32)
    jax.block_until_ready((p, state, x, y))
    timing.once("digits_step_first_call", lambda: step(p, state, x, y), jax.block_until_ready)
    row("digits_step", lambda: step(p, state, x, y))


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
    for name, images, kernel, stride, numbers, groups in CONVOLUTIONS:
        x, k = jax.random.normal(key, images), jax.random.normal(key, kernel)

        def f(x, k, stride=stride, numbers=numbers, groups=groups):
            return jax.lax.conv_general_dilated(x, k, (stride, stride), "SAME", dimension_numbers=numbers, feature_group_count=groups)

        forward = jax.jit(f)
        ct = jax.random.normal(key, forward(x, k).shape)
        to_images = jax.jit(lambda x, k, ct: jax.vjp(lambda i: f(i, k), x)[1](ct)[0])
        to_kernel = jax.jit(lambda x, k, ct: jax.vjp(lambda w: f(x, w), k)[1](ct)[0])
        row(name, lambda: forward(x, k))
        row(name + "_to_lhs", lambda: to_images(x, k, ct))
        row(name + "_to_rhs", lambda: to_kernel(x, k, ct))


def windows(key):
    images = jax.random.uniform(key, (32, 56, 56, 64))
    square = jax.random.uniform(key, (2048, 2048))
    over = (1, 2, 2, 1)

    def pool(x, window, padding):
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, over, padding)

    def slope(window, padding):
        return jax.jit(jax.grad(lambda x: jnp.sum(jnp.square(pool(x, window, padding)))))

    max2, max3 = jax.jit(lambda x: pool(x, over, "VALID")), jax.jit(lambda x: pool(x, (1, 3, 3, 1), "SAME"))
    average = jax.jit(lambda x: jax.lax.reduce_window(x, 0.0, jax.lax.add, over, over, "VALID") / 4)
    slope2, slope3 = slope(over, "VALID"), slope((1, 3, 3, 1), "SAME")
    sums0, sums1 = jax.jit(lambda x: jnp.cumsum(x, 0)), jax.jit(lambda x: jnp.cumsum(x, 1))
    row("window_max_pool_2x2", lambda: max2(images))
    row("window_max_pool_3x3", lambda: max3(images))
    row("window_avg_pool_2x2", lambda: average(images))
    row("window_max_pool_2x2_grad", lambda: slope2(images))
    row("window_max_pool_3x3_grad", lambda: slope3(images))
    row("window_cumsum_axis0_2048", lambda: sums0(square))
    row("window_cumsum_axis1_2048", lambda: sums1(square))


def ffts(key):
    def lines(*shape):
        return jax.random.normal(key, shape, jnp.complex64)

    transform, plane, real = jax.jit(jnp.fft.fft), jax.jit(jnp.fft.fft2), jax.jit(jnp.fft.rfft)
    million, odd, square, hundreds, primes = lines(1 << 20), lines(999999), lines(256, 256), lines(1000, 100), lines(128, 997)
    image, signal, frames = lines(512, 512), jax.random.normal(key, (1 << 20,)), jax.random.normal(key, (1000, 400))
    row("fft_1M", lambda: transform(million))
    row("fft_999999", lambda: transform(odd))
    row("fft_256x256", lambda: transform(square))
    row("fft_1000x100", lambda: transform(hundreds))
    row("fft_128x997", lambda: transform(primes))
    row("fft2_512", lambda: plane(image))
    row("rfft_1M", lambda: real(signal))
    row("rfft_1000x400", lambda: real(frames))


def linalg(key):
    def positive(*shape):
        a = jax.random.normal(key, shape)
        return a @ a.mT + jnp.eye(shape[-1]) * shape[-1]

    many, middle, large = positive(1000, 16, 16), positive(256, 256), positive(511, 511)
    tall, right = jax.random.normal(key, (300, 200)), jax.random.normal(key, (256, 8))
    cholesky, solve = jax.jit(jnp.linalg.cholesky), jax.jit(jnp.linalg.solve)
    eigh, qr = jax.jit(lambda a: jnp.linalg.eigh(a)[1]), jax.jit(lambda a: jnp.linalg.qr(a)[0])
    svd = jax.jit(lambda a: jnp.linalg.svd(a, full_matrices=False)[0])
    row("cholesky_1000x16x16", lambda: cholesky(many))
    row("cholesky_256", lambda: cholesky(middle))
    row("cholesky_511", lambda: cholesky(large))
    row("eigh_256", lambda: eigh(middle))
    row("eigh_1000x16x16", lambda: eigh(many))
    row("qr_300x200", lambda: qr(tall))
    row("svd_300x200", lambda: svd(tall))
    row("solve_256x8", lambda: solve(middle, right))


def order(key):
    million, table = jax.random.uniform(key, (1000000,)), jax.random.uniform(key, (1000, 1000))
    places, sums = (million * 10000).astype(jnp.int32), jnp.zeros(10000)
    rows, updates = jax.random.uniform(key, (10000, 64)), jax.random.uniform(key, (100000, 64))
    row_places = (jax.random.uniform(key, (100000,)) * 10000).astype(jnp.int32)
    sort, argsort, top = jax.jit(jnp.sort), jax.jit(jnp.argsort), jax.jit(lambda x: jax.lax.top_k(x, 10)[0])
    take, add = jax.jit(lambda x, i: jnp.take(x, i, 0)), jax.jit(lambda x, i, u: x.at[i].add(u))
    row("sort_1M", lambda: sort(million))
    row("sort_1000x1000", lambda: sort(table))
    row("argsort_1M", lambda: argsort(million))
    row("top_k_1M_10", lambda: top(million))
    row("top_k_1000x1000_10", lambda: top(table))
    row("take_100000x64", lambda: take(rows, row_places))
    row("scatter_add_1M", lambda: add(sums, places, million))
    row("scatter_add_100000x64", lambda: add(rows, row_places, updates))


key = jax.random.key(0)
windows(key)
digits(key)
convolutions(key)
a8 = jax.random.uniform(key, (8,))
add = jax.jit(lambda x, y: x + y)
row("add_8", lambda: add(a8, a8))
row("eager_add_8", lambda: a8 + a8)
x = jax.random.uniform(key, (1 << 24,))
muladd = jax.jit(lambda u, v, w: jnp.tanh(u * v + w))
row("muladd_tanh_16M", lambda: muladd(x, x, x))
del x
square = jax.random.uniform(key, (4096, 4096))
wide = jax.random.uniform(key, (4096, 1024))
softmax = jax.jit(jax.nn.softmax)
row("softmax_4096x1024", lambda: softmax(wide))
sum0 = jax.jit(lambda x: jnp.sum(x, 0))
sum1 = jax.jit(lambda x: jnp.sum(x, 1))
row("sum_axis0_4096", lambda: sum0(square))
row("sum_axis1_4096", lambda: sum1(square))
m = jax.random.uniform(key, (1024, 1024))
matmul = jax.jit(jnp.matmul)
row("matmul_1024", lambda: matmul(m, m))
left, right = jax.random.uniform(key, (997, 333)), jax.random.uniform(key, (333, 777))
row("matmul_997x333x777", lambda: matmul(left, right))
stack, stack2 = jax.random.uniform(key, (500, 31, 47)), jax.random.uniform(key, (500, 47, 29))
row("matmul_500_of_31x47x29", lambda: matmul(stack, stack2))
count = jax.jit(lambda n: jax.lax.while_loop(lambda c: c < 1000000.0, lambda c: c + 1.0, n))
zero = jnp.zeros(())
row("while_1e6", lambda: count(zero))
w = jax.random.normal(key, (128, 128)) * 0.05
xs = jax.random.normal(key, (256, 16, 128))


@jax.jit
def rnn(weights, inputs):
    def cell(h, x):
        h = jnp.tanh(h @ weights + x)
        return h, h

    return jax.lax.scan(cell, jnp.zeros((16, 128)), inputs)[1]


row("rnn_scan_256", lambda: rnn(w, xs))
order(key)
ffts(key)
linalg(key)
