# SPDX-License-Identifier: Apache-2.0
"""jax_programs.py [--first] -- the robot of bench/small.cc in JAX: "row<TAB>microseconds<TAB>sum". With --first, the
program of bench/first_torque.cc."""

import os
import statistics
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

jax.config.update("jax_enable_x64", True)

JOINTS, BATCH = 7, 4096


def wave(seed, *shape):
    return np.sin(seed + 1.7 * np.arange(np.prod(shape))).reshape(shape)


def host_skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def inertia(mass):
    c = host_skew((0.01, -0.02, 0.11))
    diagonal = np.diag(0.01 * mass * np.array([1, 0.9, 0.4]))
    return np.block([[diagonal - mass * c @ c, mass * c], [-mass * c, mass * np.eye(3)]])


INERTIAS = np.stack([inertia(mass) for mass in (4.0, 3.5, 3.0, 2.5, 1.7, 1.2, 0.4)])
AXES = np.array([[0.0, 0, 1] if k % 2 == 0 else [0.0, 1, 0] for k in range(JOINTS)])
MOTIONS = np.concatenate([AXES, np.zeros((JOINTS, 3))], 1)
GRAVITY = np.array([0, 0, 0, 0, 0, 9.81])


def skew(v):
    return jnp.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def motion_cross(v):
    return jnp.block([[skew(v[:3]), jnp.zeros((3, 3))], [skew(v[3:]), skew(v[:3])]])


def transform(axis, q):
    k = skew(axis)
    e = jnp.eye(3) - jnp.sin(q) * k + (1 - jnp.cos(q)) * k @ k
    return jnp.block([[e, jnp.zeros((3, 3))], [-e @ host_skew((0, 0, 0.2)), e]])


def inverse_dynamics(q, qd, qdd):
    xs = jax.vmap(transform)(AXES, q)

    def outward(parent, joint):
        (v, a), (x, s, own, qd_of, qdd_of) = parent, joint
        v = x @ v + s * qd_of
        cross = motion_cross(v)
        a = x @ a + s * qdd_of + cross @ (s * qd_of)
        return (v, a), own @ a - cross.T @ (own @ v)

    def inward(child, joint):
        x, s, force = joint
        total = force + child
        return x.T @ total, s @ total

    forces = jax.lax.scan(outward, (jnp.zeros(6), jnp.array(GRAVITY)), (xs, MOTIONS, INERTIAS, qd, qdd))[1]
    return jax.lax.scan(inward, jnp.zeros(6), (xs, MOTIONS, forces), reverse=True)[1]


def forward_dynamics(q, qd, torque):
    xs = jax.vmap(transform)(AXES, q)

    def velocities(v, joint):
        x, s, own, qd_of = joint
        v = x @ v + s * qd_of
        cross = motion_cross(v)
        return v, (cross @ (s * qd_of), -cross.T @ (own @ v))

    def inertias(child, joint):
        x, s, own, coriolis_of, bias_of, tau = joint
        articulated, force = own + child[0], bias_of + child[1]
        u = articulated @ s
        d, rest = s @ u, tau - s @ force
        passed = articulated - jnp.outer(u, u) / d
        return (x.T @ passed @ x, x.T @ (force + passed @ coriolis_of + u * (rest / d))), (u, d, rest)

    def accelerations(a, joint):
        x, s, coriolis_of, u, d, rest = joint
        along = x @ a + coriolis_of
        qdd = (rest - u @ along) / d
        return along + s * qdd, qdd

    coriolis, bias = jax.lax.scan(velocities, jnp.zeros(6), (xs, MOTIONS, INERTIAS, qd))[1]
    joints = (xs, MOTIONS, INERTIAS, coriolis, bias, torque)
    u, d, rest = jax.lax.scan(inertias, (jnp.zeros((6, 6)), jnp.zeros(6)), joints, reverse=True)[1]
    return jax.lax.scan(accelerations, jnp.array(GRAVITY), (xs, MOTIONS, coriolis, u, d, rest))[1]


def row(name, function, *arguments):
    compiled = jax.jit(function)
    total = sum(float(jnp.sum(leaf)) for leaf in jax.tree.leaves(compiled(*arguments)))
    samples = []
    begin = time.perf_counter()
    while len(samples) < 5 or (time.perf_counter() - begin < 0.3 and len(samples) < 2000):
        started = time.perf_counter()
        jax.block_until_ready(compiled(*arguments))
        samples.append(time.perf_counter() - started)
    print(f"{name}\t{1e6 * statistics.median(samples):.4f}\t{total:.12g}", flush=True)


def main():
    if "--first" in sys.argv:
        q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
        print(f"{sum(map(float, jax.jit(inverse_dynamics)(q, q, q))):.12g}")
        return
    jacobian = jax.jacfwd(inverse_dynamics, (0, 1))
    jacobian_of_forward = jax.jacfwd(forward_dynamics, (0, 1, 2))
    for shape, suffix in (((JOINTS,), ""), ((BATCH, JOINTS), f"_x{BATCH}")):
        arguments = [jnp.array(wave(seed, *shape)) for seed in (1, 2, 3)]
        batch = jax.vmap if suffix else lambda f: f
        row("inverse_dynamics" + suffix, batch(inverse_dynamics), *arguments)
        row("inverse_dynamics_jacobian" + suffix, batch(jacobian), *arguments)
        row("forward_dynamics" + suffix, batch(forward_dynamics), *arguments)
        if not suffix:
            row("forward_dynamics_jacobian", jacobian_of_forward, *arguments)


if __name__ == "__main__":
    main()
