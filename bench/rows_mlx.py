# SPDX-License-Identifier: Apache-2.0
"""The programs of bench/rows.cc in MLX on the CPU. Prints "row<TAB>microseconds".

Without digits_step, whose optimiser is a separate package, and without while_1e6 and rnn_scan_256, for which MLX has no
op."""
import functools

import mlx.core as mx
import timing


def uniform_row(name, function, *shapes):
    timing.row(name, lambda: functools.partial(function, *(mx.random.uniform(shape=shape) for shape in shapes)),
               mx.eval)


mx.set_default_device(mx.cpu)
mx.random.seed(0)
uniform_row("add_8", mx.compile(lambda x: x + x), (8,))
uniform_row("eager_add_8", lambda x: x + x, (8,))
uniform_row("muladd_tanh_16M", mx.compile(lambda x: mx.tanh(x * x + x)), (1 << 24,))
uniform_row("add_transposed_1000", mx.compile(lambda x: x + x.T), (1000, 1000))
uniform_row("softmax_4096x1024", lambda x: mx.softmax(x, axis=-1), (4096, 1024))
uniform_row("sum_axis0_4096", lambda x: mx.sum(x, axis=0), (4096, 4096))
uniform_row("sum_axis1_4096", lambda x: mx.sum(x, axis=1), (4096, 4096))
uniform_row("matmul_1024", mx.matmul, (1024, 1024), (1024, 1024))
uniform_row("sort_1M", mx.sort, (1000000,))
