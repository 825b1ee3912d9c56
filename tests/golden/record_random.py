# SPDX-License-Identifier: Apache-2.0
"""Prints the golden values of tests/random/random_test.cc. Needs jax 0.10.2."""
import jax
import numpy as np

key = jax.random.PRNGKey(42)
print("split", np.array(jax.random.split(key, 3)).tolist())
print("fold_in", np.array(jax.random.fold_in(key, 5)).tolist())
print("bits", np.array(jax.random.bits(key, (5,))).tolist())
print("uniform", [float(x).hex() for x in np.array(jax.random.uniform(key, (4,)))])
print("uniform(-2, 3)", np.array(jax.random.uniform(key, (3,), minval=-2.0, maxval=3.0)).tolist())
print("normal", np.array(jax.random.normal(key, (2, 3))).tolist())
print("permutation", np.array(jax.random.permutation(key, 10)).tolist())
print("permutation", np.array(jax.random.permutation(key, 2000))[:8].tolist())
