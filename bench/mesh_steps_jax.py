# SPDX-License-Identifier: Apache-2.0
"""The steps of bench/mesh_steps.cc in JAX on N devices of one process: `mesh_steps_jax.py N`. Prints minimum times."""

import os
import sys
import time

DEVICES = int(sys.argv[1])
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES}"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P  # noqa: E402


def noise(seed, *shape):
    return jax.random.normal(jax.random.key(seed), shape) / shape[0] ** 0.5


def digits_loss(weights, x, y):
    hidden = jax.nn.relu(x @ weights[0])
    return -jnp.mean(jnp.sum(y * jax.nn.log_softmax(hidden @ weights[1]), 1))


def transformer_loss(weights, x, y):
    q, k, v = (jnp.einsum("bsw,whd->bhsd", x, weights[i]) for i in range(3))
    scores = jax.nn.softmax(jnp.einsum("bhsd,bhtd->bhst", q, k) * 0.25, -1)
    mixed = x + jnp.einsum("bhsd,hdw->bsw", jnp.einsum("bhst,bhtd->bhsd", scores, v), weights[3])
    return jnp.mean(jnp.square(mixed + jax.nn.relu(mixed @ weights[4]) @ weights[5] - y))


def report(name, loss, weights, x, y):
    mesh = Mesh(jax.devices(), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())

    def step(weights, x, y):
        return [w - 0.01 * g for w, g in zip(weights, jax.grad(loss)(weights, x, y))]

    step = jax.jit(step, in_shardings=(whole, rows, rows), out_shardings=whole)
    weights, x, y = jax.device_put(weights, whole), jax.device_put(x, rows), jax.device_put(y, rows)
    times = []
    for _ in range(301):
        start = time.perf_counter()
        weights = jax.block_until_ready(step(weights, x, y))
        times.append(time.perf_counter() - start)
    print(f"step {name} devices {DEVICES} us {1e6 * min(times):.1f}", flush=True)


report("digits", digits_loss, [noise(1, 64, 128), noise(2, 128, 10)], noise(3, 128, 64), jnp.abs(noise(4, 128, 10)))
report("transformer", transformer_loss,
       [noise(1, 128, 8, 16), noise(2, 128, 8, 16), noise(3, 128, 8, 16), noise(4, 8, 16, 128), noise(5, 128, 512),
        noise(6, 512, 128)],
       noise(7, 8, 32, 128), noise(8, 8, 32, 128))
