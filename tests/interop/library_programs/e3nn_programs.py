# SPDX-License-Identifier: Apache-2.0
"""Programs with e3nn-jax: spherical harmonics, tensor products, rotations.

name -> a function that gives a tree of arrays."""

import e3nn_jax as e3nn
import jax
import jax.numpy as jnp

KEY = jax.random.key(13)
POINTS = jax.random.normal(KEY, (20, 3))


def spherical_harmonics():
    function = jax.jit(lambda x: e3nn.spherical_harmonics("0e + 1o + 2e + 3o", x, normalize=True).array)
    return function(POINTS), jax.jit(jax.grad(lambda x: jnp.sum(function(x)[:, 1:9] ** 3)))(POINTS)


def tensor_product():
    a = e3nn.normal("4x0e + 2x1o + 1x2e", KEY, (6,))
    b = e3nn.spherical_harmonics("0e + 1o + 2e", POINTS[:6], normalize=True)
    return jax.jit(lambda a, b: e3nn.tensor_product(a, b).array)(a, b)


def rotated_features():
    features = e3nn.normal("3x0e + 2x1o + 2e", KEY, (5,))
    rotate = jax.jit(lambda features, angles: features.transform_by_angles(angles[0], angles[1], angles[2]).array)
    return rotate(features, jnp.array([0.3, -1.1, 2.0])), jax.jit(lambda f: e3nn.norm(f).array)(features)


PROGRAMS = {function.__name__: function for function in (spherical_harmonics, tensor_product, rotated_features)}
