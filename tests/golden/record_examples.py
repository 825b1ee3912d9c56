#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computes in JAX the numbers with which five of the examples are compared.

Needs jax 0.10.2. Prints a line for each example; the numbers are constants in the examples."""

import functools

import jax
import jax.numpy as jnp
from jax import lax, random


def neural_ode():
    """A network as an ODE's right side, fitted to a spiral; its gradient by the adjoint equation."""
    def f(y, p):
        w1, b1, w2, b2 = p
        return jnp.tanh(y @ w1 + b1) @ w2 + b2

    def rk4(g, y, h):
        k1 = g(y)
        k2 = g(y + h / 2 * k1)
        k3 = g(y + h / 2 * k2)
        k4 = g(y + h * k3)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    h, steps = 0.05, 60

    @jax.custom_vjp
    def solve(y0, p):
        return lax.scan(lambda y, _: (rk4(lambda v: f(v, p), y, h),) * 2, y0, None, steps)[1]

    def fwd(y0, p):
        ys = solve(y0, p)
        return ys, (y0, ys, p)

    def bwd(known, g):
        y0, ys, p = known

        def right(state):
            y, a, _ = state
            _, pull = jax.vjp(f, y, p)
            gy, gp = pull(a)
            return f(y, p), -gy, jax.tree.map(jnp.negative, gp)

        def step(carry, x):
            a, gp = carry
            y, g_here = x
            a = a + g_here
            state = (y, a, gp)
            def rk(state):
                add = lambda s, d, k: jax.tree.map(lambda v, w: v - k * w, s, d)
                k1 = right(state)
                k2 = right(add(state, k1, h / 2))
                k3 = right(add(state, k2, h / 2))
                k4 = right(add(state, k3, h))
                return jax.tree.map(lambda v, a, b, c, d: v - h / 6 * (a + 2 * b + 2 * c + d), state, k1, k2, k3, k4)
            _, a, gp = rk(state)
            return (a, gp), None

        start = (jnp.zeros_like(y0), jax.tree.map(jnp.zeros_like, p))
        (a, gp), _ = lax.scan(step, start, (ys, g), reverse=True)
        return a, gp

    solve.defvjp(fwd, bwd)
    t = h * jnp.arange(1, steps + 1)
    truth = jnp.stack([jnp.exp(-0.3 * t) * jnp.cos(2 * t), jnp.exp(-0.3 * t) * jnp.sin(2 * t)], 1)
    keys = random.split(random.key(0), 2)
    p = (0.5 * random.normal(keys[0], (2, 16)), jnp.zeros(16), 0.5 * random.normal(keys[1], (16, 2)), jnp.zeros(2))
    loss = lambda p: jnp.mean((solve(jnp.array([1.0, 0.0]), p) - truth) ** 2)
    step = jax.jit(lambda p: jax.tree.map(lambda v, g: v - 0.1 * g, p, jax.grad(loss)(p)))
    first = jax.jit(loss)(p)
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in jax.jit(jax.grad(loss))(p)))
    for _ in range(200):
        p = step(p)
    return first, norm, jax.jit(loss)(p)


def maml():
    """Sine waves from ten points: parameters from which a few steps of gradient descent learn a new wave."""
    def net(p, x):
        w1, b1, w2, b2, w3, b3 = p
        return jnp.tanh(jnp.tanh(x @ w1 + b1) @ w2 + b2) @ w3 + b3

    def loss(p, x, y):
        return jnp.mean((net(p, x) - y) ** 2)

    def adapted(p, x, y):
        step = lambda p, _: (jax.tree.map(lambda v, g: v - 0.05 * g, p, jax.grad(loss)(p, x, y)), None)
        return lax.scan(step, p, None, 3)[0]

    def task(key):
        k1, k2, k3 = random.split(key, 3)
        amplitude = random.uniform(k1, (), minval=0.5, maxval=2.0)
        phase = random.uniform(k2, (), minval=0.0, maxval=3.0)
        x = random.uniform(k3, (20, 1), minval=-3.0, maxval=3.0)
        return x, amplitude * jnp.sin(x + phase)

    def of_task(p, key):
        x, y = task(key)
        return loss(adapted(p, x[:10], y[:10]), x[10:], y[10:])

    def of_batch(p, keys):
        return jnp.mean(jax.vmap(lambda k: of_task(p, k))(keys))

    keys = random.split(random.key(1), 3)
    p = (random.normal(keys[0], (1, 24)), jnp.zeros(24), random.normal(keys[1], (24, 24)) / 24**0.5, jnp.zeros(24),
         random.normal(keys[2], (24, 1)) / 24**0.5, jnp.zeros(1))
    step = jax.jit(lambda p, k: jax.tree.map(lambda v, g: v - 0.02 * g, p, jax.grad(of_batch)(p, random.split(k, 16))))
    test = random.split(random.key(3), 64)
    first = jax.jit(of_batch)(p, test)
    for i in range(100):
        p = step(p, random.fold_in(random.key(2), i))
    return first, jax.jit(of_batch)(p, test)


def hmc():
    """Sixty-four chains on a correlated normal distribution."""
    precision = jnp.array([[2.0, -1.2], [-1.2, 1.5]])
    energy = lambda q: 0.5 * q @ precision @ q

    def leapfrog(q, p, size=0.25, steps=12):
        p = p - size / 2 * jax.grad(energy)(q)
        def step(_, state):
            q, p = state
            q = q + size * p
            return q, p - size * jax.grad(energy)(q)
        q, p = lax.fori_loop(0, steps, step, (q, p))
        return q, p + size / 2 * jax.grad(energy)(q)

    def move(q, key):
        k1, k2 = random.split(key)
        p = random.normal(k1, (2,))
        q_new, p_new = leapfrog(q, p)
        change = energy(q) + 0.5 * p @ p - energy(q_new) - 0.5 * p_new @ p_new
        accept = jnp.log(random.uniform(k2, ())) < change
        return jnp.where(accept, q_new, q), (jnp.where(accept, q_new, q), accept)

    def chain(key):
        _, (samples, accepted) = lax.scan(move, jnp.zeros(2), random.split(key, 500))
        return samples[100:], jnp.mean(accepted)

    samples, rate = jax.jit(jax.vmap(chain))(random.split(random.key(0), 64))
    flat = samples.reshape(-1, 2)
    centred = flat - flat.mean(0)
    cov = centred.T @ centred / flat.shape[0]
    return cov[0, 0], cov[0, 1], cov[1, 1], rate.mean()


def inverse_kinematics():
    """Four joints in space reach for a point: damped least squares in a while_loop."""
    lengths = jnp.array([0.5, 0.4, 0.3, 0.2])

    def hand(q):
        yaw, pitch = q[0], jnp.cumsum(q[1:])
        reach = lengths[0] * 0.2 + jnp.sum(lengths[1:] * jnp.cos(pitch))
        return jnp.stack([reach * jnp.cos(yaw), reach * jnp.sin(yaw),
                          lengths[0] + jnp.sum(lengths[1:] * jnp.sin(pitch))])

    target = jnp.array([0.4, 0.35, 0.8])

    def step(state):
        q, i = state
        j = jax.jacfwd(hand)(q)
        error = target - hand(q)
        return q + j.T @ jnp.linalg.solve(j @ j.T + 1e-3 * jnp.eye(3), error), i + 1

    far = lambda state: (jnp.linalg.norm(target - hand(state[0])) > 1e-5) & (state[1] < 100)
    q, steps = jax.jit(lambda q: lax.while_loop(far, step, (q, 0)))(jnp.array([0.1, 0.3, 0.4, 0.5]))
    return *q, steps


def controller():
    """A cart and its pole, held upright by a network's force through 1,000 steps."""
    def step(state, w):
        x, v, angle, spin = state
        force = jnp.dot(w, jnp.stack([x, v, jnp.sin(angle), spin]))
        s, c = jnp.sin(angle), jnp.cos(angle)
        spin_rate = (9.81 * s - c * (force + 0.05 * spin**2 * s) / 1.1) / (0.5 * (4.0 / 3.0 - 0.1 * c**2 / 1.1))
        v_rate = (force + 0.05 * (spin**2 * s - spin_rate * c)) / 1.1
        h = 0.01
        v, spin = v + h * v_rate, spin + h * spin_rate
        return (x + h * v, v, angle + h * spin, spin), force

    @functools.partial(jax.checkpoint)
    def block(state, w):
        def one(s, _):
            s, force = step(s, w)
            return s, s[0] ** 2 + 10 * s[2] ** 2 + 0.01 * force**2
        state, costs = lax.scan(one, state, None, 50)
        return state, jnp.sum(costs)

    def cost(w):
        start = (jnp.float32(0.3), jnp.float32(0.0), jnp.float32(0.2), jnp.float32(0.0))
        return jnp.sum(lax.scan(lambda s, _: block(s, w), start, None, 20)[1]) / 1000

    w = jnp.array([1.0, 2.0, 30.0, 5.0])
    value, slope = jax.jit(jax.value_and_grad(cost))(w)
    step_w = jax.jit(lambda w: w - 2.0 * jax.grad(cost)(w))
    for _ in range(50):
        w = step_w(w)
    return value, *slope, jax.jit(cost)(w)


def main():
    for example in (neural_ode, maml, hmc, inverse_kinematics, controller):
        print(example.__name__, " ".join(f"{float(x):.7g}" for x in example()))


if __name__ == "__main__":
    main()
