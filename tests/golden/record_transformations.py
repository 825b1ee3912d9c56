# SPDX-License-Identifier: Apache-2.0
"""Writes transformations.txt: results of transformations in jax 0.10.2. A line is a name and numbers; tests find them
by name."""

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


# ---- scan: bytes of its gradient, as XLA:CPU plans them

def scan_bytes(step, *carry):
    def loss(w, xs):
        start = (jnp.zeros((BATCH, WIDTH)), *carry)
        last, ys = lax.scan(lambda c, x: step(w, c, x), start, xs)
        return jnp.sum(last[0]) + jnp.sum(ys)
    w, xs = jnp.zeros((WIDTH, WIDTH)), jnp.zeros((DEPTH, BATCH, WIDTH))
    return jax.jit(jax.grad(loss)).lower(w, xs).compile().memory_analysis().temp_size_in_bytes


def recurrent(w, carry, x):
    h = jnp.tanh(carry[0] @ w + x)
    return (h, *carry[1:]), h


def of_constant(w, carry, x):  # what is computed from w alone is the same in each step
    h = jnp.tanh(carry[0] @ jnp.sin(w @ w) + x)
    return (h,), h


def counting(w, carry, x):  # a carry that is unused in the end
    h, count = carry
    return (jnp.tanh(h @ w + x), count + jnp.sum(h)), jnp.sum(h)


record("scan.bytes.recurrent", scan_bytes(recurrent))
record("scan.bytes.of_constant", scan_bytes(of_constant))
record("scan.bytes.counting", scan_bytes(counting, jnp.float32(0)))
record("scan.bytes.checkpoint", scan_bytes(jax.checkpoint(recurrent)))

W = jnp.sin(jnp.arange(4.0 * 3 * 3)).reshape(4, 3, 3)


def layers(w, x):
    for k in range(4):
        x = jnp.sin(x @ w[k])
    return jnp.sum(x)


record("checkpoint.grad", jax.grad(layers, (0, 1))(W, X))
record("checkpoint.hessian", jax.hessian(layers, 1)(W, X))

# ---- control flow

BRANCHES = [jnp.sin, jnp.exp, lambda x: x ** 3]


def switched(i, x):
    return lax.switch(i, BRANCHES, x)


INDICES = jnp.array([-4, 0, 1, 2, 9])
record("switch.values", [switched(i, X) for i in INDICES])
record("switch.grad", [jax.grad(lambda x: jnp.sum(switched(i, x)))(X) for i in INDICES])
record("switch.vmap_grad", jax.vmap(jax.grad(lambda x, i: switched(i, x)), (0, 0))(jnp.array([0.5, 1.0, 1.5, 2.0, 2.5]), INDICES))
record("switch.scan_grad", jax.grad(lambda x: lax.scan(lambda c, i: (switched(i, c), None), x, INDICES[1:4])[0])(jnp.float32(0.3)))


def step(c, x):
    c = jnp.sin(c) * x + c
    return c, c * x


SEVEN = jnp.array([0.5, -1.0, 2.0, 0.25, -0.75, 1.5, 3.0])
for reverse in (False, True):
    name = "scan.reverse" if reverse else "scan.forward"
    f = lambda c, xs: lax.scan(step, c, xs, reverse=reverse)
    record(name, f(jnp.float32(0.3), SEVEN))
    record(name + ".grad", jax.grad(lambda c, xs: jnp.sum(f(c, xs)[1]), (0, 1))(jnp.float32(0.3), SEVEN))
record("scan.length", lax.scan(lambda c, _: (jnp.cos(c), c), jnp.float32(0.3), None, length=4))

record("map.values", lax.map(lambda x: jnp.sin(x) * 2.0, SEVEN))
record("map.grad", jax.grad(lambda xs: jnp.sum(lax.map(lambda x: jnp.sin(x) * x, xs, batch_size=3)))(SEVEN))

record("associative_scan.product", lax.associative_scan(jnp.multiply, SEVEN))
record("associative_scan.reverse", lax.associative_scan(jnp.multiply, SEVEN, reverse=True))
record("associative_scan.grad", jax.grad(lambda x: jnp.sum(jnp.sin(lax.associative_scan(jnp.multiply, x))))(SEVEN))
LINEAR = lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1])
record("associative_scan.tree", lax.associative_scan(LINEAR, (jnp.stack([SEVEN, SEVEN + 1.0]), jnp.stack([SEVEN * 2.0, SEVEN])), axis=1))
record("while.jvp", jax.jvp(lambda x: lax.while_loop(lambda c: c[0] < 10.0, lambda c: (c[0] * c[1], c[1] + 0.5),
                                                     (x, jnp.float32(1.5)))[0],
                            (jnp.float32(0.7),), (jnp.float32(1.0),)))
GROW = lambda x: lax.while_loop(lambda c: c < 10.0, lambda c: c * jnp.exp(c), x)
record("while.vmap_jvp", jax.vmap(lambda x: jax.jvp(GROW, (x,), (1.0,))[1])(jnp.array([0.5, 1.0, 11.0, 3.0])))

# ---- custom_root, custom_linear_solve

M = jnp.array([[4.0, 1.0, 0.5], [0.0, 3.0, -1.0], [1.0, 0.0, 5.0]])


def solve(m, b):
    return lax.custom_linear_solve(lambda v: m @ v, b, lambda matvec, v: jnp.linalg.solve(m, v),
                                   lambda vecmat, v: jnp.linalg.solve(m.T, v))


record("custom_linear_solve.value", solve(M, X))
record("custom_linear_solve.grad", jax.grad(lambda m, b: jnp.sum(jnp.sin(solve(m, b))), (0, 1))(M, X))
record("custom_linear_solve.jvp", jax.jvp(solve, (M, X), (M * 0.1, Y)))
record("custom_linear_solve.grad_vmap", jax.grad(lambda m, b: jnp.sum(jnp.sin(jax.vmap(solve, (None, 0))(m, b))), (0, 1))(M, jnp.stack([X, Y])))
record("custom_linear_solve.hessian", jax.hessian(lambda b: jnp.sum(jnp.sin(solve(M, b))))(X))


def cube_root(a):
    def newton(f, x):
        return lax.fori_loop(0, 20, lambda _, x: x - f(x) / (3.0 * x * x), x)
    return lax.custom_root(lambda x: x ** 3 - a, jnp.float32(1.0), newton, lambda g, y: y / g(jnp.float32(1.0)))


record("custom_root.value", cube_root(jnp.float32(5.0)))
record("custom_root.grad", jax.grad(cube_root)(jnp.float32(5.0)))
record("custom_root.grad_grad", jax.grad(jax.grad(cube_root))(jnp.float32(5.0)))
record("custom_root.vmap_grad", jax.vmap(jax.grad(cube_root))(jnp.array([1.0, 2.0, 8.0])))

# ---- custom_vmap


@jax.custom_batching.custom_vmap
def shifted(x, y):
    return x + y


@shifted.def_vmap
def _(axis_size, in_batched, x, y):
    return x + y + 100.0 * axis_size + 10.0 * in_batched[0] + in_batched[1], True


record("custom_vmap.values", [jax.vmap(shifted)(X, Y), jax.vmap(shifted, (0, None))(X, 1.0), jax.vmap(shifted, (None, 0))(1.0, Y)])
record("custom_vmap.nested", jax.vmap(jax.vmap(shifted, (0, None)))(jnp.stack([X, Y]), jnp.array([1.0, 2.0])))

pathlib.Path(__file__).with_name("transformations.txt").write_text(
    "".join(f"{name} {' '.join(repr(float(v)) for v in values)}\n" for name, values in sorted(VALUES.items())))
