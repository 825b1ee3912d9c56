#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Solves sparse systems of 30 patterns by hilo, by klujax (KLU, with the analysis reused), by SciPy (SuperLU) and, if
it is installed, by UMFPACK (with the analysis reused). Prints the times of the processor in milliseconds and the ratio
of hilo's to the least of the others.

python bench/sparse.py build/bin/bench/sparse [NAME...]     with klujax and SciPy installed; default: all matrices

klujax's time is the less of solve_with_symbol and refactor_and_solve; the latter reuses the pivots of an earlier
factorization. SuperLU repeats the analysis for each matrix; its time is the least of its column orders. Batches are 64
matrices of one pattern; klujax's are its own batches.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # waiting threads would add to the processor's time

import numpy as np  # noqa: E402
import scipy.sparse as sp  # noqa: E402
import scipy.sparse.linalg as sla  # noqa: E402
import umfpack  # noqa: E402

BATCH = 64


def grid(*sides, skew=0.2):
    """The Laplacian of a grid with a drift."""
    eye = [sp.identity(side) for side in sides]
    total = None
    for axis, side in enumerate(sides):
        line = sp.diags([-1 - skew, 2.1, -1 + skew], [-1, 0, 1], shape=(side, side))
        term = None
        for k in range(len(sides)):
            factor = line if k == axis else eye[k]
            term = factor if term is None else sp.kron(term, factor)
        total = term if total is None else total + term
    return total


def banded(size, width, random):
    offsets = range(-width, width + 1)
    rows = [random.normal(size=size - abs(k)) + (4 * width if k == 0 else 0) for k in offsets]
    return sp.diags(rows, list(offsets))


def arrow(size, random):
    m = sp.lil_matrix(sp.diags(4 + random.random(size)))
    m[0, :] = random.random(size) / size
    m[:, 0] = random.random((size, 1)) / size
    m[0, 0] = 5
    return m


def circuit(size, random, wide):
    """Nodes with few neighbours, most of them near; some rows with one entry, as of sources."""
    links = 2 * size
    row = random.integers(0, size, links)
    near = np.minimum(size - 1, row + 1 + random.integers(0, 8, links))
    column = np.where(random.random(links) < wide, random.integers(0, size, links), near)
    g = random.random(links)
    keep = (row != column) & (row % 10 != 0)
    m = sp.coo_matrix((-g[keep], (row[keep], column[keep])), shape=(size, size))
    m = m + sp.coo_matrix((-g[keep] * (column[keep] % 10 != 0), (column[keep], row[keep])), shape=(size, size))
    m.eliminate_zeros()
    return m + sp.diags(np.asarray(abs(m).sum(axis=1)).ravel() + 0.1)


def scattered(size, per_row, random):
    m = sp.random(size, size, per_row / size, random_state=random, format="coo")
    return m + sp.diags(per_row + random.random(size))


def control(steps, states, inputs, random):
    """The optimality conditions of linear dynamics with quadratic cost: zeros on the diagonal of the multipliers."""
    per = 2 * states + inputs
    a, b = random.normal(size=(states, states)) / states, random.normal(size=(states, inputs))
    h = np.diag([1.0] * (states + inputs) + [0.0] * states)
    m = sp.lil_matrix(sp.kron(sp.identity(steps), h))
    for k in range(steps):
        x, u, l = k * per, k * per + states, k * per + states + inputs
        m[l:l + states, x:x + states] = np.eye(states)
        m[x:x + states, l:l + states] = np.eye(states)
        m[l:l + states, u:u + inputs] = -b
        m[u:u + inputs, l:l + states] = -b.T
        if k > 0:
            before = (k - 1) * per
            m[l:l + states, before:before + states] = -a
            m[before:before + states, l:l + states] = -a.T
    return m


def matrices():
    random = np.random.default_rng(1)
    yield from ((f"grid2_{k}", grid(k, k)) for k in (10, 20, 40, 80, 150))
    yield from ((f"grid3_{k}", grid(k, k, k)) for k in (5, 8, 12, 16))
    yield from ((f"strip_{k}", grid(6, k)) for k in (50, 500))
    yield from ((f"band_{w}_{n}", banded(n, w, random)) for n, w in ((100, 1), (2000, 2), (2000, 10), (1000, 30)))
    yield from ((f"arrow_{n}", arrow(n, random)) for n in (50, 500, 5000))
    yield from ((f"circuit_{n}", circuit(n, random, 0.02)) for n in (100, 500, 2000, 8000))
    yield from ((f"circuit_wide_{n}", circuit(n, random, 0.1)) for n in (300, 1500))
    yield from ((f"random_{n}", scattered(n, 2, random)) for n in (100, 400, 1000))
    yield from ((f"control_{n}_{s}", control(n, s, 2, random)) for n, s in ((20, 2), (200, 4), (1000, 2)))


def least_ms(f):
    least, total, runs = float("inf"), 0, 0
    while runs < 200 and (runs < 3 or total < 0.1):
        began = time.process_time()
        f()
        took = time.process_time() - began
        total += took
        runs += 1
        least = min(least, took) if runs > 1 else least
    return 1e3 * least


def klu(m, small):
    import jax
    jax.config.update("jax_enable_x64", True)
    import klujax
    ai, aj, ax = (jax.numpy.asarray(x) for x in (m.row.astype(np.int32), m.col.astype(np.int32), m.data))
    b = jax.numpy.ones(m.shape[0])
    symbol = klujax.analyze(ai, aj, m.shape[0])
    numeric = klujax.factor(ai, aj, ax, symbol)
    times = [least_ms(lambda: klujax.solve_with_symbol(ai, aj, ax, b, symbol).block_until_ready()),
             least_ms(lambda: jax.block_until_ready(klujax.refactor_and_solve(ai, aj, ax, b, numeric, symbol)[0]))]
    if not small:
        return min(times), float("nan")
    axs = jax.numpy.asarray((1 + np.arange(BATCH)[:, None] / 1000) * m.data)
    bs = jax.numpy.ones((BATCH, m.shape[0], 1))
    batch = least_ms(lambda: klujax.solve_with_symbol(ai, aj, axs, bs, symbol).block_until_ready()) / BATCH
    return min(times), batch


def superlu(m):
    csc, b = m.tocsc(), np.ones(m.shape[0])
    return min(least_ms(lambda: sla.splu(csc, permc_spec=order).solve(b)) for order in ("COLAMD", "MMD_AT_PLUS_A"))


def umfpack_ms(m):
    if not umfpack.is_installed():
        return float("nan")
    csc, b = m.tocsc(), np.ones(m.shape[0])
    solver = umfpack.Umfpack(csc)
    if np.abs(m @ solver.solve(csc.data, b) - b).max() > 1e-6:
        raise RuntimeError("UMFPACK's solution is wrong")
    return least_ms(lambda: solver.solve(csc.data, b))


def main():
    program, chosen = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        all_of_them = {}
        for name, m in matrices():
            if chosen and name not in chosen:
                continue
            m = sp.coo_matrix(m)
            m.sum_duplicates()
            m.eliminate_zeros()
            all_of_them[name] = m
            for part, values, kind in (("row", m.row, np.int32), ("column", m.col, np.int32), ("value", m.data, np.float64)):
                pathlib.Path(folder, f"{name}.{part}").write_bytes(values.astype(kind).tobytes())
        print(f"{'matrix':18}{'n':>7}{'nnz':>8}{'analysis':>9}{'hilo':>9}{'klujax':>9}{'SuperLU':>9}{'UMFPACK':>9}{'ratio':>7}"
              f"{'batch':>9}{'klujax':>9}{'times':>7}{'residual':>10}", flush=True)
        for name, m in all_of_them.items():
            words = subprocess.run([program, folder, name], capture_output=True, text=True, check=True).stdout.split()
            analysis, single, batched = map(float, words[1:4])
            other, other_batch = klu(m, batched == batched)
            lu, multifrontal = superlu(m), umfpack_ms(m)
            best = np.nanmin([other, lu, multifrontal])
            print(f"{name:18}{m.shape[0]:7}{m.nnz:8}{analysis:9.2f}{single:9.3f}{other:9.3f}{lu:9.3f}{multifrontal:9.3f}{single / best:7.2f}"
                  f"{batched:9.4f}{other_batch:9.4f}{other_batch / batched:7.1f}{words[4]:>10}", flush=True)


if __name__ == "__main__":
    main()
