# SPDX-License-Identifier: Apache-2.0
"""The programs of bench/rows.cc in PyTorch on the CPU, op by op or, with ROWS_COMPILED=1, by torch.compile. Prints
"row<TAB>microseconds".

Without add_8, which times a compiled call, and while_1e6, for which PyTorch has no op. Gradients of convolutions are
those of its own functions. Compiled rows leave out rnn_scan_256, whose loop would be unrolled."""
import functools
import os

import timing
import torch
from torch.nn import functional

IS_COMPILED = "ROWS_COMPILED" in os.environ


def row(name, make):
    timing.row(name, make, lambda result: None)  # CPU ops return when they are done


def call_row(name, function, *make):
    """Times function(*arguments), with the arguments that the functions `make` return."""
    row(name, lambda: functools.partial(torch.compile(function) if IS_COMPILED else function, *(m() for m in make)))


def uniform_row(name, function, *shapes):
    call_row(name, function, *(functools.partial(torch.rand, shape) for shape in shapes))


def normal(*shape, dtype=torch.float32):
    return lambda: torch.randn(shape, dtype=dtype)


def positive(*shape):
    def make():
        a = torch.randn(shape)
        return a @ a.mT + shape[-1] * torch.eye(shape[-1])

    return make


def places(count):
    return lambda: torch.randint(10000, (count,))


# Name, images of PyTorch's order of dimensions, kernel, stride, whether memory is in the order of NHWC, groups.
CONVOLUTIONS = [
    ("conv3x3_nhwc_28", (32, 64, 28, 28), (64, 64, 3, 3), 1, True, 1),
    ("conv3x3_nhwc_56", (8, 64, 56, 56), (64, 64, 3, 3), 1, True, 1),
    ("conv3x3_nchw_28", (32, 64, 28, 28), (64, 64, 3, 3), 1, False, 1),
    ("conv3x3_s2_nhwc_56", (8, 64, 56, 56), (128, 64, 3, 3), 2, True, 1),
    ("conv3x3_nhwc_7", (32, 256, 7, 7), (256, 256, 3, 3), 1, True, 1),
    ("conv1x1_nhwc_56", (8, 64, 56, 56), (256, 64, 1, 1), 1, True, 1),
    ("conv1x1_nchw_56", (8, 64, 56, 56), (256, 64, 1, 1), 1, False, 1),
    ("conv7x7_s2_nhwc_224", (8, 3, 224, 224), (64, 3, 7, 7), 2, True, 1),
    ("conv7x7_s2_nchw_224", (8, 3, 224, 224), (64, 3, 7, 7), 2, False, 1),
    ("depthwise3x3_nhwc_56", (8, 64, 56, 56), (64, 1, 3, 3), 1, True, 64),
    ("depthwise3x3_nchw_56", (8, 64, 56, 56), (64, 1, 3, 3), 1, False, 64),
    ("grouped3x3_nhwc_28", (8, 64, 28, 28), (64, 8, 3, 3), 1, True, 8),
]


def convolutions():
    for name, images, kernel, stride, channels_last, groups in CONVOLUTIONS:
        memory = torch.channels_last if channels_last else torch.contiguous_format
        padding = kernel[-1] // 2

        def tensor(shape, memory=memory):
            return lambda: torch.randn(shape).to(memory_format=memory)

        def f(x, k, stride=stride, padding=padding, groups=groups):
            return functional.conv2d(x, k, stride=stride, padding=padding, groups=groups)

        call_row(name, f, tensor(images), tensor(kernel))


def windows():
    def images():
        return torch.rand(32, 64, 56, 56).to(memory_format=torch.channels_last)

    call_row("window_max_pool_2x2", lambda x: functional.max_pool2d(x, 2), images)
    call_row("window_max_pool_3x3", lambda x: functional.max_pool2d(x, 3, stride=2, padding=1), images)
    call_row("window_avg_pool_2x2", lambda x: functional.avg_pool2d(x, 2), images)
    uniform_row("window_cumsum_axis0_2048", lambda x: x.cumsum(0), (2048, 2048))
    uniform_row("window_cumsum_axis1_2048", lambda x: x.cumsum(1), (2048, 2048))


def order():
    uniform_row("sort_1M", lambda x: torch.sort(x).values, (1000000,))
    uniform_row("sort_1000x1000", lambda x: torch.sort(x).values, (1000, 1000))
    uniform_row("argsort_1M", torch.argsort, (1000000,))
    uniform_row("top_k_1M_10", lambda x: torch.topk(x, 10).values, (1000000,))
    uniform_row("top_k_1000x1000_10", lambda x: torch.topk(x, 10).values, (1000, 1000))
    rows = functools.partial(torch.rand, 10000, 64)
    call_row("take_100000x64", lambda x, i: x.index_select(0, i), rows, places(100000))
    call_row("scatter_add_1M", lambda x, i, u: x.index_add(0, i, u), lambda: torch.zeros(10000), places(1000000),
             functools.partial(torch.rand, 1000000))
    call_row("scatter_add_100000x64", lambda x, i, u: x.index_add(0, i, u), rows, places(100000),
             functools.partial(torch.rand, 100000, 64))


def transforms():
    for name, *shape in (("fft_1M", 1 << 20), ("fft_999999", 999999), ("fft_256x256", 256, 256), ("fft_1000x100", 1000, 100),
                         ("fft_128x997", 128, 997)):
        call_row(name, torch.fft.fft, normal(*shape, dtype=torch.complex64))
    call_row("fft2_512", torch.fft.fft2, normal(512, 512, dtype=torch.complex64))
    call_row("rfft_1M", torch.fft.rfft, normal(1 << 20))
    call_row("rfft_1000x400", torch.fft.rfft, normal(1000, 400))


def linalg():
    call_row("cholesky_1000x16x16", torch.linalg.cholesky, positive(1000, 16, 16))
    call_row("cholesky_256", torch.linalg.cholesky, positive(256, 256))
    call_row("cholesky_511", torch.linalg.cholesky, positive(511, 511))
    call_row("eigh_256", lambda a: torch.linalg.eigh(a)[1], positive(256, 256))
    call_row("eigh_1000x16x16", lambda a: torch.linalg.eigh(a)[1], positive(1000, 16, 16))
    call_row("qr_300x200", lambda a: torch.linalg.qr(a)[0], normal(300, 200))
    call_row("svd_300x200", lambda a: torch.linalg.svd(a, full_matrices=False)[0], normal(300, 200))
    call_row("solve_256x8", torch.linalg.solve, positive(256, 256), normal(256, 8))


def digits():
    if not timing.is_wanted("digits_step_first_call"):
        return
    layers = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    optimizer = torch.optim.Adam(layers.parameters(), lr=2e-3)
    x, y = torch.rand(128, 64), torch.randint(10, (128,))

    def step():
        optimizer.zero_grad()
        loss = functional.cross_entropy(layers(x), y)
        loss.backward()
        optimizer.step()
        return loss

    timing.once("digits_step_first_call", step, lambda result: None)
    row("digits_step", lambda: step)


def rnn(weights, inputs):
    h, states = torch.zeros(16, 128), []
    for x in inputs:
        h = torch.tanh(h @ weights + x)
        states.append(h)
    return torch.stack(states)


torch.manual_seed(0)
torch.set_flush_denormal(True)
if not IS_COMPILED:
    digits()
with torch.inference_mode():
    uniform_row("eager_add_8", lambda x: x + x, (8,))
    uniform_row("muladd_tanh_16M", lambda x: torch.tanh(x * x + x), (1 << 24,))
    uniform_row("add_transposed_1000", lambda x: x + x.T, (1000, 1000))
    uniform_row("softmax_4096x1024", lambda x: torch.softmax(x, -1), (4096, 1024))
    uniform_row("sum_axis0_4096", lambda x: x.sum(0), (4096, 4096))
    uniform_row("sum_axis1_4096", lambda x: x.sum(1), (4096, 4096))
    uniform_row("matmul_1024", torch.matmul, (1024, 1024), (1024, 1024))
    uniform_row("matmul_997x333x777", torch.matmul, (997, 333), (333, 777))
    uniform_row("matmul_500_of_31x47x29", torch.matmul, (500, 31, 47), (500, 47, 29))
    if not IS_COMPILED:
        row("rnn_scan_256", lambda: functools.partial(rnn, torch.randn(128, 128) * 0.05, torch.randn(256, 16, 128)))
    convolutions()
    windows()
    order()
    transforms()
    linalg()
