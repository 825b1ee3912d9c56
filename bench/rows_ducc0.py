# SPDX-License-Identifier: Apache-2.0
"""The Fourier transforms of bench/rows.cc in ducc0, which SciPy's also come from. Prints "row<TAB>microseconds"."""
import functools
import os

import ducc0
import numpy
import timing

generator = numpy.random.default_rng(0)


def row(name, function, shape, axes=(-1,), is_real=False):
    def make():
        x = generator.standard_normal(shape, dtype=numpy.float32)
        if not is_real:
            x = (x + 1j * generator.standard_normal(shape, dtype=numpy.float32)).astype(numpy.complex64)
        return functools.partial(function, x, axes=axes, nthreads=len(os.sched_getaffinity(0)))

    timing.row(name, make, lambda result: None)


row("fft_1M", ducc0.fft.c2c, (1 << 20,))
row("fft_999999", ducc0.fft.c2c, (999999,))
row("fft_256x256", ducc0.fft.c2c, (256, 256))
row("fft_1000x100", ducc0.fft.c2c, (1000, 100))
row("fft_128x997", ducc0.fft.c2c, (128, 997))
row("fft2_512", ducc0.fft.c2c, (512, 512), axes=(0, 1))
row("rfft_1M", ducc0.fft.r2c, (1 << 20,), is_real=True)
row("rfft_1000x400", ducc0.fft.r2c, (1000, 400), is_real=True)
