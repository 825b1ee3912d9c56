# SPDX-License-Identifier: Apache-2.0
"""The programs of bench/rows.cc in NumPy and SciPy. Prints "row<TAB>microseconds".

Without convolutions and training steps, for which they have no op, and without while_1e6 and rnn_scan_256, which would
be loops of Python."""
import functools

import numpy
import scipy.fft
import scipy.linalg
import scipy.special
import timing

generator = numpy.random.default_rng(0)


def row(name, function, *make):
    """Times function(*arguments), with the arguments that the functions `make` return."""
    timing.row(name, lambda: functools.partial(function, *(m() for m in make)), lambda result: None)


def uniform(*shape):
    return lambda: generator.random(shape, dtype=numpy.float32)


def lines(*shape):
    return lambda: (generator.standard_normal(shape, dtype=numpy.float32) +
                    1j * generator.standard_normal(shape, dtype=numpy.float32)).astype(numpy.complex64)


def normal(*shape):
    return lambda: generator.standard_normal(shape, dtype=numpy.float32)


def positive(*shape):
    def make():
        a = generator.standard_normal(shape, dtype=numpy.float32)
        return a @ a.swapaxes(-1, -2) + shape[-1] * numpy.eye(shape[-1], dtype=numpy.float32)

    return make


def places(count):
    return lambda: generator.integers(0, 10000, count, dtype=numpy.int32)


def top(x):
    return -numpy.sort(-numpy.partition(x, x.shape[-1] - 10)[..., -10:])


def scatter_add(x, i, u):
    y = x.copy()
    numpy.add.at(y, i, u)
    return y


row("eager_add_8", lambda x: x + x, uniform(8))
row("muladd_tanh_16M", lambda x: numpy.tanh(x * x + x), uniform(1 << 24))
row("add_transposed_1000", lambda x: x + x.T, uniform(1000, 1000))
row("softmax_4096x1024", lambda x: scipy.special.softmax(x, axis=-1), uniform(4096, 1024))
row("sum_axis0_4096", lambda x: x.sum(0), uniform(4096, 4096))
row("sum_axis1_4096", lambda x: x.sum(1), uniform(4096, 4096))
row("matmul_1024", numpy.matmul, uniform(1024, 1024), uniform(1024, 1024))
row("matmul_997x333x777", numpy.matmul, uniform(997, 333), uniform(333, 777))
row("matmul_500_of_31x47x29", numpy.matmul, uniform(500, 31, 47), uniform(500, 47, 29))
row("window_cumsum_axis0_2048", lambda x: x.cumsum(0), uniform(2048, 2048))
row("window_cumsum_axis1_2048", lambda x: x.cumsum(1), uniform(2048, 2048))
row("sort_1M", numpy.sort, uniform(1000000))
row("sort_1000x1000", numpy.sort, uniform(1000, 1000))
row("argsort_1M", numpy.argsort, uniform(1000000))
row("top_k_1M_10", top, uniform(1000000))
row("top_k_1000x1000_10", top, uniform(1000, 1000))
row("take_100000x64", lambda x, i: x[i], uniform(10000, 64), places(100000))
row("scatter_add_1M", scatter_add, lambda: numpy.zeros(10000, numpy.float32), places(1000000), uniform(1000000))
row("scatter_add_100000x64", scatter_add, uniform(10000, 64), places(100000), uniform(100000, 64))
row("fft_1M", scipy.fft.fft, lines(1 << 20))
row("fft_999999", scipy.fft.fft, lines(999999))
row("fft_256x256", scipy.fft.fft, lines(256, 256))
row("fft_1000x100", scipy.fft.fft, lines(1000, 100))
row("fft_128x997", scipy.fft.fft, lines(128, 997))
row("fft2_512", scipy.fft.fft2, lines(512, 512))
row("rfft_1M", scipy.fft.rfft, normal(1 << 20))
row("rfft_1000x400", scipy.fft.rfft, normal(1000, 400))
row("cholesky_1000x16x16", numpy.linalg.cholesky, positive(1000, 16, 16))
row("cholesky_256", functools.partial(scipy.linalg.cholesky, lower=True), positive(256, 256))
row("cholesky_511", functools.partial(scipy.linalg.cholesky, lower=True), positive(511, 511))
row("eigh_256", lambda a: scipy.linalg.eigh(a)[1], positive(256, 256))
row("eigh_1000x16x16", lambda a: numpy.linalg.eigh(a)[1], positive(1000, 16, 16))
row("qr_300x200", lambda a: numpy.linalg.qr(a)[0], normal(300, 200))
row("svd_300x200", lambda a: numpy.linalg.svd(a, full_matrices=False)[0], normal(300, 200))
row("solve_256x8", scipy.linalg.solve, positive(256, 256), normal(256, 8))
