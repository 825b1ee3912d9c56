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
