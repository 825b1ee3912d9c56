# SPDX-License-Identifier: Apache-2.0
"""Prints the golden values of tests/random/sampling_test.cc.

Needs jax 0.10.2, and a CPU with fused multiply-add (AVX2, AVX-512): the values are the same on all of these."""
import jax
import jax.numpy as jnp
import numpy as np

key = jax.random.PRNGKey(42)
MILLION = (1000000,)


def checksum(values) -> str:
    """The sum of the bits of element i times 2i + 1, modulo 2^64."""
    values = np.asarray(values)
    bits = values.view(f"u{values.itemsize}").astype(np.uint64)
    return hex(int((bits * (2 * np.arange(bits.size, dtype=np.uint64) + 1)).sum(dtype=np.uint64)))


print("split", np.array(jax.random.split(key, 3)).tolist())
print("fold_in", np.array(jax.random.fold_in(key, 5)).tolist())
print("bits", np.array(jax.random.bits(key, (5,))).tolist())
print("uniform", [float(x).hex() for x in np.array(jax.random.uniform(key, (4,)))])
print("normal", [float(x).hex() for x in np.array(jax.random.normal(key, (6,)))])
print("permutation", np.array(jax.random.permutation(key, 10)).tolist())
print("permutation", np.array(jax.random.permutation(key, 2000))[:8].tolist())

print("bits", checksum(jax.random.bits(key, MILLION)))
for low, high in ((0, 1), (-1, 2), (-2, 3), (0.1, 0.7), (-1e30, 3e-5)):
    print("uniform", low, high, checksum(jax.random.uniform(key, MILLION, minval=low, maxval=high)))
print("normal", checksum(jax.random.normal(key, MILLION)))
for dtype in (jnp.bfloat16, jnp.float16):
    print("erf_inv", dtype.__name__, checksum(jax.lax.erf_inv(jnp.arange(-255, 256, dtype=jnp.float32).astype(dtype) / 256)))
with jax.enable_x64(True):
    central = np.arange(-335544, 335545) / 2**19
    print("erf_inv float64", checksum(jax.jit(jax.lax.erf_inv)(central)))
grid = (np.arange(-(2**19) + 1, 2**19) / 2**19).astype(np.float32)
print("erf_inv float32", checksum(jax.jit(jax.lax.erf_inv)(grid)))
