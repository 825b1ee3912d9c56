# SPDX-License-Identifier: Apache-2.0
"""jax_calls.py FILE INPUTS RESULTS -- calls a file of jax.export by jaxlib: prints the least nanoseconds of a call, and
writes the bytes of the results. INPUTS has the bytes of the arguments."""

import os
import pathlib
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import numpy as np  # noqa: E402

jax.config.update("jax_enable_x64", True)
ROUNDS, MICROSECONDS = 200, 100


def arguments_of(exported, inputs):
    leaves, at = [], 0
    for aval in exported.in_avals:
        leaf = np.frombuffer(inputs, aval.dtype, aval.size, at).reshape(aval.shape)
        at += leaf.nbytes
        leaves.append(jax.device_put(leaf))
    return jax.tree_util.tree_unflatten(exported.in_tree, leaves)


def main():
    exported = jax.export.deserialize(bytearray(pathlib.Path(sys.argv[1]).read_bytes()))
    arguments, keywords = arguments_of(exported, pathlib.Path(sys.argv[2]).read_bytes())
    call = jax.jit(exported.call)
    results = jax.block_until_ready(call(*arguments, **keywords))
    leaves = jax.tree_util.tree_leaves(results)
    pathlib.Path(sys.argv[3]).write_bytes(b"".join(np.asarray(leaf).tobytes() for leaf in leaves))
    least, repeat = float("inf"), 1
    for _ in range(ROUNDS):
        started = time.perf_counter_ns()
        for _ in range(repeat):
            jax.block_until_ready(call(*arguments, **keywords))
        least = min(least, (time.perf_counter_ns() - started) / repeat)
        repeat = max(1, int(1e3 * MICROSECONDS / least))
    print(f"{least:.1f}")


if __name__ == "__main__":
    main()
