#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""under_jax.py --build BUILD -- times small programs under JAX on jaxlib and on hilo: the first compilation and a call.

Each engine runs in new processes, in turn. The minimum counts, because other work on the machine only adds time."""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROCESSES, BATCHES, CALLS = 5, 7, 200


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.here:
        print(json.dumps(measure()))
        return 0
    plugin = {"JAX_PLATFORMS": "hilo,cpu", "PYTHONPATH": str(ROOT / "python"), "HILO_CACHE": "off",
              "JAX_HILO_LIBRARY": str((arguments.build / "lib" / "libhilo_pjrt.so").resolve())}
    runs = {"jaxlib": [], "hilo": []}
    for _ in range(PROCESSES):
        for engine, environment in (("jaxlib", {"JAX_PLATFORMS": "cpu"}), ("hilo", plugin)):
            done = subprocess.run([sys.executable, __file__, "--here"], env=os.environ | environment, check=True,
                                  stdout=subprocess.PIPE)
            runs[engine].append(json.loads(done.stdout.splitlines()[-1]))
    show({engine: {name: [min(run[name][k] for run in each) for k in (0, 1)] for name in each[0]}
          for engine, each in runs.items()})
    return 0


def show(least: dict) -> None:
    print("| program | jaxlib compiles | hilo compiles | ratio | jaxlib runs | hilo runs | ratio |\n|---|---|---|---|---|---|---|")
    ratios = []
    for name, (compiled, ran) in least["jaxlib"].items():
        own_compiled, own_ran = least["hilo"][name]
        ratios.append((compiled / own_compiled, ran / own_ran))
        print(f"| {name} | {compiled * 1e3:.1f} ms | {own_compiled * 1e3:.1f} ms | {ratios[-1][0]:.1f} "
              f"| {ran * 1e6:.1f} us | {own_ran * 1e6:.1f} us | {ratios[-1][1]:.2f} |")
    means = [math.exp(sum(math.log(ratio[k]) for ratio in ratios) / len(ratios)) for k in (0, 1)]
    print(f"| geometric mean | | | {means[0]:.1f} | | | {means[1]:.2f} |")


def measure() -> dict[str, tuple[float, float]]:
    """Returns for each program the seconds of its first compilation and of a call."""
    import jax
    found = {}
    for name, (function, *inputs) in programs().items():
        lowered = jax.jit(function).lower(*inputs)
        begin = time.perf_counter()
        lowered.compile()
        compiled = time.perf_counter() - begin
        call = jax.jit(function)
        jax.block_until_ready(call(*inputs))
        found[name] = compiled, min(time_of(call, inputs) for _ in range(BATCHES))
    return found


def time_of(call, inputs) -> float:
    import jax
    begin = time.perf_counter()
    for _ in range(CALLS):
        result = call(*inputs)
    jax.block_until_ready(result)
    return (time.perf_counter() - begin) / CALLS


def programs() -> dict:
    import jax
    import jax.numpy as jnp
    from jax import lax

    def perceptron(layers, x):
        for w, b in layers:
            x = jnp.tanh(x @ w + b)
        return jnp.sum(x ** 2)

    layers = [(jnp.full((16, 16), 0.1), jnp.ones(16))] * 4
    return {
        "x + 1, 8 numbers": (lambda x: x + 1, jnp.ones(8)),
        "softmax, 9 x 33": (jax.nn.softmax, jnp.ones((9, 33))),
        "gradient of 4 layers of 16": (jax.grad(perceptron), layers, jnp.ones((8, 16))),
        "scan of 20 steps": (lambda x: lax.scan(lambda c, r: (jnp.tanh(c + r), c), x[0], x), jnp.ones((20, 7))),
        "sort, 100": (jnp.sort, jnp.arange(100.0)[::-1]),
        "Cholesky, 8 x 8": (jnp.linalg.cholesky, jnp.eye(8)),
        "normal, 100": (lambda key: jax.random.normal(key, (100,)), jax.random.key(0)),
        "convolution, 16 x 16": (lambda x, w: lax.conv(x, w, (1, 1), "SAME"), jnp.ones((2, 3, 16, 16)), jnp.ones((4, 3, 3, 3))),
        "FFT, 64": (lambda x: jnp.abs(jnp.fft.fft(x)), jnp.ones(64)),
        "gather, 9 rows": (lambda x, i: x[i] ** 2, jnp.ones((50, 3)), jnp.arange(9)),
    }


if __name__ == "__main__":
    sys.exit(main())
