#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""published_model.py [--build DIR] -- simulates the layers of Megatron-LM's models and compares with published times.

JAX lowers the layers, sharded by tensors. `hilo simulate` uses the rates of a V100's data sheet. NVIDIA published times
for 1, 4 and 8 of them (https://nv-adlr.github.io/MegatronLMV1; shapes: arXiv:1909.08053). Needs JAX, not a GPU."""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BATCH, SEQUENCE = 8, 1024
# devices, hidden, heads, layers, published ms of a step and scaling
MODELS = ((1, 1536, 16, 40, 1288, 1.0), (4, 2304, 24, 64, 1357, 0.865), (8, 3072, 32, 72, 1508, 0.796))
RATES = ("--topology", "ring", "--alpha", "10us", "--beta", "150GB/s", "--flops", "125T/s", "--memory", "900GB/s",
         "--transcendentals", "4T/s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    arguments = parser.parse_args()
    first = None
    for devices, hidden, heads, layers, published, scaling in MODELS:
        text, parameters = lowered(devices, hidden, heads, layers)
        simulated = step_ms(arguments.build / "bin" / "hilo", text)
        work = parameters / devices / simulated  # a device's, a second
        first = first or work
        print(f"{devices} devices, {parameters / 1e9:.2f}e9 parameters: simulated {simulated:.0f} ms, {work / first:.1%} of linear; "
              f"published {published} ms, {scaling:.1%}", flush=True)
    return 0


def step_ms(hilo: pathlib.Path, text: str) -> float:
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        out = subprocess.run([hilo, "simulate", file.name, *RATES], check=True, text=True, stdout=subprocess.PIPE).stdout
    number, unit = re.search(r"^step ([\d.]+) (s|ms|us):", out, re.M).groups()
    return float(number) * {"s": 1e3, "ms": 1.0, "us": 1e-3}[unit]


def lowered(devices: int, hidden: int, heads: int, layers: int) -> tuple[str, int]:
    """Returns the gradient of a stack of layers with recomputed activations, as StableHLO, and the number of
    parameters."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec
    # One device has a mesh of two that nothing is sharded over, for `hilo simulate` wants one.
    model = "model" if devices > 1 else None
    mesh = Mesh(np.array(jax.devices()[:max(devices, 2)]), ("model",))
    half = jnp.float16

    def place(*axes):
        return NamedSharding(mesh, PartitionSpec(*axes))

    def normalised(x, scale, bias):
        wide = x.astype(jnp.float32)
        mean = wide.mean(-1, keepdims=True)
        variance = ((wide - mean) ** 2).mean(-1, keepdims=True)
        return ((wide - mean) * jax.lax.rsqrt(variance + 1e-5)).astype(half) * scale + bias

    def layer(x, p):
        q, k, v = jnp.einsum("bsh,htnd->tbnsd", normalised(x, p["scale_1"], p["bias_1"]), p["qkv"])
        scores = jnp.einsum("bnsd,bntd->bnst", q, k) / np.sqrt(hidden // heads).astype(np.float16)
        scores = jnp.where(jnp.tril(jnp.ones((SEQUENCE, SEQUENCE), bool)), scores, half(-1e4))
        weights = jax.nn.softmax(scores.astype(jnp.float32), -1).astype(half)
        x = x + jnp.einsum("bsnd,ndh->bsh", jnp.einsum("bnst,bntd->bnsd", weights, v).swapaxes(1, 2), p["out"])
        x = jax.lax.with_sharding_constraint(x, place())
        y = jax.nn.gelu(normalised(x, p["scale_2"], p["bias_2"]) @ p["up"]) @ p["down"]
        return jax.lax.with_sharding_constraint(x + y, place()), None

    def loss(parameters, x):
        return jnp.sum(jax.lax.scan(jax.checkpoint(layer), x, parameters)[0].astype(jnp.float32) ** 2)

    def argument(shape, *axes):
        return jax.ShapeDtypeStruct((layers, *shape), half, sharding=place(None, *axes))

    parameters = {name: argument((hidden,)) for name in ("scale_1", "bias_1", "scale_2", "bias_2")} | {
        "qkv": argument((hidden, 3, heads, hidden // heads), None, None, model),
        "out": argument((heads, hidden // heads, hidden), model),
        "up": argument((hidden, 4 * hidden), None, model), "down": argument((4 * hidden, hidden), model)}
    x = jax.ShapeDtypeStruct((BATCH, SEQUENCE, hidden), half, sharding=place())
    results = ({name: p.sharding for name, p in parameters.items()}, place())
    text = jax.jit(jax.grad(loss, (0, 1)), out_shardings=results).lower(parameters, x).as_text()
    return text, sum(p.size for p in parameters.values())


if __name__ == "__main__":
    os.environ |= {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_force_host_platform_device_count=8"}
    sys.exit(main())
