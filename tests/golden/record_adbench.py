# SPDX-License-Identifier: Apache-2.0
"""Writes adbench.txt: the values of ADBench's objectives and their gradients in jax 0.10.2, for small inputs.

A line is a name and numbers; tests find them by name."""

import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "adbench"))

import jax  # noqa: E402
import objectives  # noqa: E402

lines = []
for name, (objective, small, _) in objectives.OBJECTIVES.items():
    parameters, data = small()
    value, gradient = jax.jit(jax.value_and_grad(objective))(parameters, *data)
    numbers = np.concatenate([np.ravel(np.asarray(leaf)) for leaf in jax.tree.leaves((value, gradient))])
    lines.append(" ".join([f"adbench.{name}", *map(repr, numbers.tolist())]) + "\n")
(ROOT / "tests" / "golden" / "adbench.txt").write_text("".join(lines))
