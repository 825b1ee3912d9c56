# SPDX-License-Identifier: Apache-2.0
"""Writes transformations.txt: what transformations give in jax 0.10.2. A line is a name and numbers; tests look them up by name."""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

VALUES = {}


def record(name, value):
    VALUES[name] = np.concatenate([np.ravel(np.asarray(leaf, np.float64)) for leaf in jax.tree.leaves(value)])


# ---- custom_jvp

@jax.custom_jvp
def log1pexp(x):
    return jnp.log(1.0 + jnp.exp(x))


log1pexp.defjvps(lambda t, ans, x: (1 - jnp.exp(-jnp.where(x > 50, x, ans))) * t)


@jax.custom_jvp
def twice_the_slope(x, y):  # a rule that isn't the derivative, so that one sees it at work
    return jnp.sin(x) * y


@twice_the_slope.defjvp
def _(primals, tangents):
    (x, y), (tx, ty) = primals, tangents
    return twice_the_slope(x, y), 2.0 * jnp.cos(x) * y * tx + 3.0 * jnp.sin(x) * ty


X = jnp.array([-3.0, 0.5, 2.0])
Y = jnp.array([1.5, -2.0, 0.25])


def total(f):
    return lambda *a: jnp.sum(f(*a))


record("custom_jvp.grad", jax.grad(total(twice_the_slope), (0, 1))(X, Y))
record("custom_jvp.grad_grad", jax.grad(lambda x: jnp.sum(jax.grad(total(twice_the_slope))(x, Y)))(X))
record("custom_jvp.grad_vmap", jax.grad(lambda x: jnp.sum(jax.vmap(twice_the_slope, (0, None))(x, Y)))(jnp.stack([X, Y])))
record("custom_jvp.grad_of_unbatched",
       jax.grad(lambda y: jnp.sum(jax.vmap(twice_the_slope, (0, None))(jnp.stack([X, Y]), y)))(Y))
record("custom_jvp.vmap_grad", jax.vmap(jax.grad(twice_the_slope))(X, Y))
record("custom_jvp.log1pexp", jax.vmap(jax.grad(jax.grad(log1pexp)))(jnp.array([-3.0, 0.5, 100.0])))


def in_scan(f):
    def g(x, y):
        def step(c, y):
            c = f(c, y)
            return c, c
        return lax.scan(step, x, y)[1]
    return g


record("custom_jvp.scan", jax.grad(total(in_scan(twice_the_slope)), (0, 1))(jnp.float32(0.3), Y))
record("custom_jvp.scan_jvp", jax.jvp(in_scan(twice_the_slope), (jnp.float32(0.3), Y), (jnp.float32(1.0), X)))


# ---- custom_vjp

@jax.custom_vjp
def clipped(x, y):
    return x * y


clipped.defvjp(lambda x, y: (clipped(x, y), (x, y)),
               lambda res, g: (jnp.clip(g * res[1], -1.0, 1.0), 5.0 * g * res[0]))
record("custom_vjp.grad", jax.grad(total(clipped), (0, 1))(X, Y))
record("custom_vjp.grad_grad", jax.grad(lambda y: jnp.sum(jax.grad(total(clipped), 1)(X, y) ** 2 + jnp.sin(clipped(X, y))))(Y))
record("custom_vjp.grad_x_grad_y", jax.grad(lambda x: jnp.sum(jax.grad(total(clipped), 1)(x, Y)))(X))
record("custom_vjp.grad_vmap", jax.grad(lambda x, y: jnp.sum(jax.vmap(clipped, (0, None))(x, y)), (0, 1))(jnp.stack([X, Y]), Y))
record("custom_vjp.vmap_grad", jax.vmap(jax.grad(clipped, (0, 1)), (0, None))(X, jnp.float32(1.5)))
record("custom_vjp.scan", jax.grad(total(in_scan(clipped)), (0, 1))(jnp.float32(0.3), Y))
record("custom_vjp.jacrev", jax.jacrev(clipped, (0, 1))(X, Y))


@jax.custom_gradient
def cubic(x):
    return x ** 3, lambda g: g * 10.0 * x


record("custom_gradient.grad", jax.grad(total(cubic))(X))
record("custom_gradient.grad_grad", jax.grad(lambda x: jnp.sum(jax.grad(total(cubic))(x)))(X))
record("custom_gradient.grad_vmap", jax.grad(lambda x: jnp.sum(jax.vmap(cubic)(x)))(X))

# ---- linear_transpose, closure_convert

A = jnp.arange(6.0).reshape(2, 3) - 2.0
record("linear_transpose", jax.linear_transpose(lambda x, y: A @ x + 3.0 * y, X, Y[:2])(jnp.array([1.0, -2.0])))

# ---- checkpoint: bytes of the gradient of a deep network, as XLA:CPU plans them

WIDTH, BATCH, DEPTH = 32, 512, 24


def deep(policy):
    def layer(x, w):
        return jnp.sin(jnp.sin(jnp.sin(x @ w)))

    def loss(w, x):
        one = layer if policy is None else jax.checkpoint(layer, policy=policy)
        for k in range(DEPTH):
            x = one(x, w[k])
        return jnp.sum(x)
    return loss


def planned_bytes(policy):
    w, x = jnp.zeros((DEPTH, WIDTH, WIDTH)), jnp.zeros((BATCH, WIDTH))
    return jax.jit(jax.grad(deep(policy))).lower(w, x).compile().memory_analysis().temp_size_in_bytes


record("checkpoint.bytes.none", planned_bytes(None))
record("checkpoint.bytes.nothing_saveable", planned_bytes(jax.checkpoint_policies.nothing_saveable))
record("checkpoint.bytes.dots_saveable", planned_bytes(jax.checkpoint_policies.dots_saveable))

W = jnp.sin(jnp.arange(4.0 * 3 * 3)).reshape(4, 3, 3)


def layers(w, x):
    for k in range(4):
        x = jnp.sin(x @ w[k])
    return jnp.sum(x)


record("checkpoint.grad", jax.grad(layers, (0, 1))(W, X))
record("checkpoint.hessian", jax.hessian(layers, 1)(W, X))

pathlib.Path(__file__).with_name("transformations.txt").write_text(
    "".join(f"{name} {' '.join(repr(float(v)) for v in values)}\n" for name, values in sorted(VALUES.items())))
