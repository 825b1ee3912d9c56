#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes examples/data/imported/: two models exported by JAX, and JAX's results.

The models are a small convolutional net and a transformer block, with weights of a fixed seed, a symbolic batch size,
and first derivatives. Needs JAX."""

import os
import pathlib
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import export, lax  # noqa: E402

jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")  # file names without folders

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "data" / "imported"
random = np.random.RandomState(0)


def weights(*shape):
    return (random.standard_normal(shape) / np.sqrt(np.prod(shape[:-1]))).astype(np.float32)


KERNEL_1, KERNEL_2, DENSE = weights(3, 3, 1, 4), weights(3, 3, 4, 8), weights(2 * 2 * 8, 10)


def convolutional_net(images):
    def layer(x, kernel):
        x = lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return lax.reduce_window(jax.nn.relu(x), -np.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    x = layer(layer(images, KERNEL_1), KERNEL_2)
    return jax.nn.log_softmax(x.reshape(-1, 2 * 2 * 8) @ DENSE)


WIDTH, HEADS = 16, 2
QKV, OUT, UP, DOWN = weights(WIDTH, 3 * WIDTH), weights(WIDTH, WIDTH), weights(WIDTH, 32), weights(32, WIDTH)


def normalized(x):
    x = x - x.mean(-1, keepdims=True)
    return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5)


def transformer_block(tokens):
    length = tokens.shape[1]
    q, k, v = jnp.split((normalized(tokens) @ QKV).reshape(-1, length, HEADS, 3 * WIDTH // HEADS), 3, axis=-1)
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(WIDTH // HEADS)
    scores = jnp.where(np.tril(np.ones((length, length), bool)), scores, -1e30)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v).reshape(-1, length, WIDTH)
    x = tokens + mixed @ OUT
    return x + jax.nn.gelu(normalized(x) @ UP) @ DOWN


MODELS = {"convolutional_net": (convolutional_net, (8, 8, 1)), "transformer_block": (transformer_block, (6, WIDTH))}


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, (model, shape) in MODELS.items():
        (batch,) = export.symbolic_shape("batch")
        exported = export.export(jax.jit(model))(jax.ShapeDtypeStruct((batch, *shape), np.float32))
        data = bytes(exported.serialize(vjp_order=1))
        (FOLDER / f"{name}.jax").write_bytes(data)
        x = random.standard_normal((3, *shape)).astype(np.float32)
        arrays = {"input": x, "output": model(x), "gradient": jax.grad(lambda v: (model(v) ** 2).sum())(x)}
        for key, value in arrays.items():
            np.save(FOLDER / f"{name}.{key}.npy", np.asarray(value))
        print(f"{name}: {len(data)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
