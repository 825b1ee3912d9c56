# SPDX-License-Identifier: Apache-2.0
"""Programs with jaxopt: descent, least squares, projections, implicit gradients.

name -> a function that gives a tree of arrays."""

import jax
import jax.numpy as jnp
import jaxopt

X = jax.random.normal(jax.random.key(3), (40, 6))
Y = X @ jnp.arange(6.0) + 0.1 * jax.random.normal(jax.random.key(4), (40,))


def ridge(params, strength):
    return jnp.mean((X @ params - Y) ** 2) + strength * jnp.sum(params ** 2)


def bfgs_minimum():
    return jaxopt.BFGS(ridge, maxiter=30).run(jnp.zeros(6), strength=0.1).params


def lasso_by_proximal_gradient():
    solver = jaxopt.ProximalGradient(lambda params: jnp.mean((X @ params - Y) ** 2), jaxopt.prox.prox_lasso,
                                     maxiter=200)
    return solver.run(jnp.zeros(6), hyperparams_prox=0.2).params


def gradient_of_a_minimum():
    solver = jaxopt.GradientDescent(ridge, maxiter=500, implicit_diff=True)
    return jax.jit(jax.jacobian(lambda strength: solver.run(jnp.zeros(6), strength=strength).params))(0.1)


def projections():
    x = jnp.linspace(-2, 3, 12)
    return [jax.jit(projection)(x) for projection in (
        jaxopt.projection.projection_simplex, jaxopt.projection.projection_l2_sphere,
        jaxopt.projection.projection_non_negative)]


PROGRAMS = {function.__name__: function for function in (
    bfgs_minimum, lasso_by_proximal_gradient, gradient_of_a_minimum, projections)}
