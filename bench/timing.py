# SPDX-License-Identifier: Apache-2.0
"""Times a row for the peers' scripts, in the same way as bench/rows.cc. The argument of a script selects the rows whose
names contain it."""
import statistics
import sys
import time

ONLY = sys.argv[1] if len(sys.argv) > 1 else ""


def is_wanted(name):
    return ONLY in name


def row(name, make, wait):
    """Prints "row<TAB>microseconds", the median of calls of `make`'s result, if the row is selected. `wait` waits for a
    result."""
    if not is_wanted(name):
        return
    call = make()
    wait(call())
    started = time.perf_counter()
    wait(call())
    repeat = max(1, int(20e-6 / max(1e-8, time.perf_counter() - started)))
    samples = []
    begin = time.perf_counter()
    while len(samples) < 5 or (time.perf_counter() - begin < 0.2 and len(samples) < 2000):
        started = time.perf_counter()
        for _ in range(repeat):
            result = call()
            wait(result)
        samples.append((time.perf_counter() - started) / repeat)
        del result
    print(f"{name}\t{1e6 * statistics.median(samples):.4f}", flush=True)


def once(name, call, wait):
    """Prints the time of one call, the first."""
    if not is_wanted(name):
        return
    started = time.perf_counter()
    wait(call())
    print(f"{name}\t{1e6 * (time.perf_counter() - started):.4f}", flush=True)


def row_with_first(name, function, *arguments):
    """Prints the row of bench/first_call.h for a jitted function of JAX: least time, first result, sum of the result."""
    import jax
    started = time.perf_counter()
    result = jax.block_until_ready(function(*arguments))
    first = time.perf_counter() - started
    last = result[1] if isinstance(result, tuple) else result
    number = sum(float(leaf.sum()) for leaf in jax.tree_util.tree_leaves(last))
    samples, begin = [], time.perf_counter()
    while len(samples) < 5 or (time.perf_counter() - begin < 0.2 and len(samples) < 2000):
        started = time.perf_counter()
        jax.block_until_ready(function(*arguments))
        samples.append(time.perf_counter() - started)
    print(f"{name}\t{1e6 * min(samples):.4f}\t{first:.4f}\t{number:.17g}", flush=True)


def gradient_rows(name, function, *arguments):
    """Rows of a function and of its value and gradient."""
    import jax
    row_with_first(name + " value", jax.jit(function), *arguments)
    row_with_first(name + " gradient", jax.jit(jax.value_and_grad(function)), *arguments)
