# SPDX-License-Identifier: Apache-2.0
"""The programs of bench/rows.cc in MLX on the CPU: prints "row<TAB>microseconds". Left out: digits_step, whose optimiser is a
package of its own, and while_1e6 and rnn_scan_256, which have no op."""
import mlx.core as mx
import timing


def row(name, call):
    timing.row(name, call, mx.eval)


mx.set_default_device(mx.cpu)
mx.random.seed(0)
a8 = mx.random.uniform(shape=(8,))
add = mx.compile(lambda x, y: x + y)
row("add_8", lambda: add(a8, a8))
row("eager_add_8", lambda: a8 + a8)
large = mx.random.uniform(shape=(1 << 24,))
muladd = mx.compile(lambda u, v, w: mx.tanh(u * v + w))
row("muladd_tanh_16M", lambda: muladd(large, large, large))
del large
square, wide = mx.random.uniform(shape=(4096, 4096)), mx.random.uniform(shape=(4096, 1024))
row("softmax_4096x1024", lambda: mx.softmax(wide, axis=-1))
row("sum_axis0_4096", lambda: mx.sum(square, axis=0))
row("sum_axis1_4096", lambda: mx.sum(square, axis=1))
m = mx.random.uniform(shape=(1024, 1024))
row("matmul_1024", lambda: m @ m)
million = mx.random.uniform(shape=(1000000,))
row("sort_1M", lambda: mx.sort(million))
