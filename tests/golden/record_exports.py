#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/import/data/NAME.jax, files of jax.export for the tests of import/; tests/fuzz/jax_export links there.

Needs JAX. The files are committed, so the tests don't need it."""

import os
import pathlib
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax import export  # noqa: E402

jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")  # file names without folders

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "tests" / "import" / "data"


def shaped(*sizes, dtype="float32"):
    return jax.ShapeDtypeStruct(sizes, dtype)


@jax.custom_vjp
def clipped(x):
    """Its custom derivative differs from the mathematical one: the gradient is 10 everywhere."""
    return jnp.sin(x)


clipped.defvjp(lambda x: (clipped(x), None), lambda _, ct: (10 * ct,))


def mixed(x, n):
    """Two results, one an integer; an argument without a gradient, and an argument that the module doesn't use."""
    return jnp.sum(x * x) * n, n + 1


def of_trees(parameters, x, *, scale):
    return {"y": jnp.tanh(x @ parameters["w"] + parameters["b"]) * scale}


def open_sizes(x, y):
    """Sizes computed from two symbols, and a loop whose trip count is one of them."""
    rows, columns = x.shape[0], x.shape[1] // 2
    halves = x.reshape(rows, 2, columns).sum(1) * jnp.arange(columns)
    total, before = jax.lax.scan(lambda c, row: (c + jnp.tanh(row).sum(), c), 0.0, halves)
    return jnp.concatenate([halves, jnp.broadcast_to(y[:, None], (rows, columns))], 1), total * rows, before


A, B = export.symbolic_shape("a, b")

EXPORTS = {
    "clipped": (clipped, (shaped(3),), {}, 1, None),
    "cubed_twice": (lambda x: jnp.sum(x ** 3), (shaped(2),), {}, 2, None),
    "mixed": (mixed, (shaped(2), shaped(dtype="int32")), {}, 1, None),
    "of_trees": (of_trees, ({"w": shaped(3, 2), "b": shaped(2)}, shaped(4, 3)), {"scale": shaped()}, 0, None),
    "unused": (lambda x, y, z: x - z, (shaped(2), shaped(5), shaped(2)), {}, 1, None),
    "two_platforms": (lambda x: jax.lax.platform_dependent(x, cpu=lambda v: v + 1, default=lambda v: v - 1),
                      (shaped(2),), {}, 0, ("tpu", "cpu")),
    "upper_of_qr": (lambda a: jnp.linalg.qr(a)[1], (shaped(4, 3),), {}, 0, None),
    "open_sizes": (open_sizes, (shaped(A, 2 * B), shaped(A)), {}, 1, None),
    "for_tpu": (lambda x: x + 1, (shaped(2),), {}, 0, ("tpu",)),
}


def main() -> int:
    DATA.mkdir(parents=True, exist_ok=True)
    for name, (function, arguments, keywords, order, platforms) in EXPORTS.items():
        exported = export.export(jax.jit(function), platforms=platforms)(*arguments, **keywords)
        data = bytes(exported.serialize(vjp_order=order))
        (DATA / f"{name}.jax").write_bytes(data)
        print(f"{name}: {len(data)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
