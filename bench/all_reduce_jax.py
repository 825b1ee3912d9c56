#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""all_reduce_jax.py -- times an all-reduce of f32 between two processes of JAX with gloo on this machine.

Prints a line for each size: BYTES, a tab, MICROSECONDS. bench/all_reduce measures the same for hilo and MPI."""

import os
import socket
import statistics
import subprocess
import sys
import time

SIZES = (8, 64, 512, 4096, 32768, 262144, 2097152, 16777216, 134217728)  # bytes
PROCESSES = 2


def main() -> int:
    if len(sys.argv) == 3:
        return process(int(sys.argv[1]), sys.argv[2])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "JAX_CPU_COLLECTIVES_IMPLEMENTATION": "gloo"}
    children = [subprocess.Popen(["taskset", "-c", str(rank % (os.cpu_count() or 1)), sys.executable, __file__,
                                  str(rank), address],
                                 env=environment, stdout=None if rank == 0 else subprocess.DEVNULL)
                for rank in range(PROCESSES)]
    return max(child.wait() for child in children)


def process(rank: int, address: str) -> int:
    import jax
    import jax.numpy as jnp
    from jax.sharding import Mesh, NamedSharding, PartitionSpec
    jax.distributed.initialize(address, PROCESSES, rank)
    mesh = Mesh(jax.devices(), ("x",))
    parts = NamedSharding(mesh, PartitionSpec("x"))
    reduce = jax.jit(jax.shard_map(lambda x: jax.lax.psum(x, "x"), mesh=mesh, in_specs=PartitionSpec("x"),
                                   out_specs=PartitionSpec()))
    for size in SIZES:
        part = jnp.ones((1, size // 4), jnp.float32)
        x = jax.make_array_from_single_device_arrays((PROCESSES, size // 4), parts, [part])
        reduce(x).block_until_ready()
        times = []
        for _ in range(5 if size > 1 << 24 else 21 if size > 1 << 20 else 201):
            begin = time.perf_counter()
            reduce(x).block_until_ready()
            times.append(time.perf_counter() - begin)
        print(f"{size}\t{statistics.median(times) * 1e6:.1f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
