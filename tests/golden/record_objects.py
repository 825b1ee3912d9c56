#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""record_objects.py [NAME ...] -- writes the programs of tests/objects: controllers, filters and networks, and that of
docs/ahead_of_time.md, as files of jax.export. Names select programs.

    python3 tests/golden/record_objects.py      # needs jax 0.4.30 or later
"""

import pathlib
import re
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")  # file names without folders
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OUT = ROOT / "tests/objects/programs"
WITH_RUNTIME = ROOT / "tests/objects/with_runtime"  # programs that call libhilo_rt.a


def rotation(q):
    w, x, y, z = q
    return jnp.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                      [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                      [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def rocket(state, gains):
    """One step of a rocket that lands: position, velocity, attitude, spin, mass; thrust by a PD law."""
    position, velocity, q, spin, mass = state[:3], state[3:6], state[6:10], state[10:13], state[13]
    q = q / jnp.linalg.norm(q)
    wanted = -gains[0] * position - gains[1] * velocity + jnp.array([0.0, 0.0, 9.81])
    thrust = jnp.clip(mass * jnp.dot(wanted, rotation(q)[:, 2]), 0.2, 30.0)
    tilt = jnp.cross(rotation(q)[:, 2], wanted / jnp.linalg.norm(wanted))
    torque = gains[2] * (rotation(q).T @ tilt) - gains[3] * spin
    inertia = jnp.array([0.4, 0.4, 0.1])
    density = 1.2 * jnp.exp(-position[2] / 8500.0)
    drag = -0.5 * density * 0.05 * jnp.linalg.norm(velocity) * velocity
    force = rotation(q)[:, 2] * thrust + drag - jnp.array([0.0, 0.0, 9.81]) * mass
    w, x, y, z = q
    a, b, c = spin
    turn = 0.5 * jnp.array([-x * a - y * b - z * c, w * a + y * c - z * b, w * b - x * c + z * a,
                            w * c + x * b - y * a])
    rate = jnp.concatenate([velocity, force / mass, turn, (torque - jnp.cross(spin, inertia * spin)) / inertia,
                            -thrust[None] / 2500.0])
    return state + 0.01 * rate, thrust


def arm(q, qd, qdd):
    """Inverse dynamics of seven joints by Newton and Euler's recursion, and the torques' derivative by q."""
    lengths = np.linspace(0.4, 0.1, 7)
    masses = np.linspace(4.0, 0.5, 7)

    def turned(k, angle):
        c, s = jnp.cos(angle), jnp.sin(angle)
        if k % 2 == 0:
            return jnp.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        return jnp.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])

    def torques(q):
        spin, rate, pull = jnp.zeros(3), jnp.zeros(3), jnp.array([0.0, 0.0, 9.81])
        forces, moments, turns = [], [], []
        for k in range(7):
            axis = jnp.array([0.0, 0.0, 1.0]) if k % 2 == 0 else jnp.array([0.0, 1.0, 0.0])
            arm_ = jnp.array([0.0, 0.0, lengths[k]])
            turn = turned(k, q[k])
            spin_here = turn.T @ spin
            rate = turn.T @ rate + axis * qdd[k] + jnp.cross(spin_here, axis * qd[k])
            spin = spin_here + axis * qd[k]
            pull = turn.T @ pull + jnp.cross(rate, arm_) + jnp.cross(spin, jnp.cross(spin, arm_))
            inertia = masses[k] * lengths[k] ** 2 * jnp.array([0.3, 0.3, 0.05])
            forces.append(masses[k] * pull)
            moments.append(inertia * rate + jnp.cross(spin, inertia * spin))
            turns.append(turn)
        force, moment, out = jnp.zeros(3), jnp.zeros(3), [None] * 7
        for k in reversed(range(7)):
            arm_ = jnp.array([0.0, 0.0, lengths[k]])
            moment = moments[k] + moment + jnp.cross(0.5 * arm_, forces[k]) + jnp.cross(arm_, force)
            force = forces[k] + force
            out[k] = moment[2 if k % 2 == 0 else 1]
            force, moment = turns[k] @ force, turns[k] @ moment
        return jnp.stack(out)

    return torques(q), jax.jacfwd(torques)(q)


def policy(params, x):
    for w, b in params[:-1]:
        x = jnp.tanh(x @ w + b)
    return x @ params[-1][0] + params[-1][1]


def filter_step(mean, cov, seen, dt):
    """An extended Kalman filter of a car that sees a landmark: one prediction and one correction."""
    def move(m):
        x, y, heading, speed, turn = m
        return jnp.array([x + dt * speed * jnp.cos(heading), y + dt * speed * jnp.sin(heading), heading + dt * turn,
                          speed, turn])

    def sight(m):
        return jnp.array([jnp.sqrt((m[0] - 4.0) ** 2 + (m[1] - 3.0) ** 2), jnp.arctan2(3.0 - m[1], 4.0 - m[0]) - m[2]])

    f, mean = jax.jacfwd(move)(mean), move(mean)
    cov = f @ cov @ f.T + 0.01 * jnp.eye(5)
    h = jax.jacfwd(sight)(mean)
    s = h @ cov @ h.T + 0.1 * jnp.eye(2)
    det = s[0, 0] * s[1, 1] - s[0, 1] * s[1, 0]
    inverse = jnp.array([[s[1, 1], -s[0, 1]], [-s[1, 0], s[0, 0]]]) / det
    gain = cov @ h.T @ inverse
    return mean + gain @ (seen - sight(mean)), (jnp.eye(5) - gain @ h) @ cov


def rollout(params, start):
    """A scan whose body has kernels of its own: 40 steps of a pendulum chain, and its energy."""
    def step(carry, k):
        x, v = carry
        force = jnp.sin(x[:, None] - x[None, :]).sum(1) * params[0] - params[1] * v
        v = v + 0.01 * force
        x = x + 0.01 * v
        return (x, v), jnp.sum(v * v) + jnp.float64(k)
    (x, v), energy = jax.lax.scan(step, start, jnp.arange(40))
    return x, v, energy


def root(x):
    """A loop of unknown length, a conditional, and a table."""
    def better(c):
        return c[0] - (c[0] ** 3 - x) / (3 * c[0] ** 2 + 1e-12), c[1] + 1
    y, turns = jax.lax.while_loop(lambda c: (jnp.abs(c[0] ** 3 - x) > 1e-9) & (c[1] < 60), better, (x + 1.0, 0))
    table = jnp.asarray(np.linspace(0.0, 1.0, 64) ** 2)
    z = jax.lax.cond(y > 1.0, lambda v: jnp.take(table, (v * 10).astype(jnp.int32), mode="clip") + jnp.arccos(0.5 / v),
                     lambda v: jnp.sum(jnp.stack([v, v * v, jnp.sin(1e9 * v)])), y)
    return y, turns, z


def moments(x, mask, weights):
    """Reductions of other types, and a long sum that is cut in parts."""
    y = jnp.where(mask, x, 0)
    mean = jnp.mean(weights.astype(jnp.float32))
    return jnp.sum(y), jnp.max(x, axis=0), jnp.argmin(x, axis=1), mean, jnp.any(mask, axis=1)


def quadrotor(x, u):
    """A step of a quadrotor in a plane: place, tilt, their speeds; thrust and torque."""
    place, tilt, speed, turn = x[:2], x[2], x[3:5], x[5]
    pull = jnp.stack([-u[0] * jnp.sin(tilt), u[0] * jnp.cos(tilt) - 9.81])
    return jnp.concatenate([place + 0.05 * speed, jnp.stack([tilt + 0.05 * turn]), speed + 0.05 * pull,
                            jnp.stack([turn + 0.05 * u[1]])])


def mpc(start, goal, inputs):
    """A step of model-predictive control: one Gauss-Newton step of 20 inputs, by a Riccati recursion."""
    state_cost, input_cost = np.diag([4.0, 4.0, 1.0, 0.5, 0.5, 0.1]), np.diag([0.05, 0.1])
    states = jax.lax.scan(lambda x, u: (quadrotor(x, u),) * 2, start, inputs)[1]
    states = jnp.concatenate([start[None], states])
    a, b = jax.vmap(jax.jacfwd(quadrotor, (0, 1)))(states[:-1], inputs)

    def backward(carry, now):
        p, s = carry
        a, b, x, u = now
        pb = p @ b
        factor = jnp.linalg.cholesky(input_cost + b.T @ pb)
        right = jnp.concatenate([pb.T @ a, (b.T @ s + input_cost @ (u - jnp.array([9.81, 0.0])))[:, None]], 1)
        half = jax.scipy.linalg.solve_triangular(factor, right, lower=True)
        gain = jax.scipy.linalg.solve_triangular(factor, half, trans=1, lower=True)
        p = state_cost + a.T @ p @ a - half[:, :6].T @ half[:, :6]
        s = state_cost @ (x - goal) + a.T @ s - half[:, :6].T @ half[:, 6]
        return (p, s), gain

    last = (10 * state_cost, 10 * state_cost @ (states[-1] - goal))
    gains = jax.lax.scan(backward, last, (a, b, states[:-1], inputs), reverse=True)[1]

    def forward(x, now):
        gain, old, u = now
        u = jnp.clip(u - gain[:, 6] - gain[:, :6] @ (x - old), jnp.array([0.0, -8.0]), jnp.array([20.0, 8.0]))
        return quadrotor(x, u), u

    return jax.lax.scan(forward, start, (gains, states[:-1], inputs))[1]


def forest(x):
    """The mean of 20 decision trees of 6 levels."""
    random = np.random.default_rng(0)
    feature, threshold = random.integers(0, 16, (20, 63), np.int32), random.normal(size=(20, 63)).astype(np.float32)
    leaves = random.normal(size=(20, 64)).astype(np.float32)
    node = jnp.zeros(20, jnp.int32)
    tree = np.arange(20)
    for _ in range(6):
        node = 2 * node + 1 + (x[jnp.asarray(feature)[tree, node]] > jnp.asarray(threshold)[tree, node])
    return jnp.mean(jnp.asarray(leaves)[tree, node - 63])


def fft_filter(signal, gains):
    """Multiplies the frequencies of a signal."""
    return jnp.fft.irfft(jnp.fft.rfft(signal) * gains, signal.size)


def cnn(params, image):
    """Two convolutions with pooling, and a layer of 10 classes, for an image of 28 x 28 pixels."""
    (first, bias), (second, bias_2), (last, bias_3) = params

    def stage(x, kernel, bias):
        x = jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return jax.lax.reduce_window(jax.nn.relu(x + bias), -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    x = stage(stage(image[None, :, :, None], first, bias), second, bias_2)
    return jax.nn.softmax(x.reshape(-1) @ last + bias_3)


def main():
    f64, f32, i32 = np.float64, np.float32, np.int32
    s = jax.ShapeDtypeStruct
    sizes = [(12, 64), (64, 64), (64, 4)]
    params = [(s((m, n), f32), s((n,), f32)) for m, n in sizes]
    programs = {
        "rocket": (rocket, s((14,), f64), s((4,), f64)),
        "arm": (arm, s((7,), f64), s((7,), f64), s((7,), f64)),
        "policy": (policy, params, s((12,), f32)),
        "filter": (filter_step, s((5,), f64), s((5, 5), f64), s((2,), f64), s((), f64)),
        "rollout": (rollout, s((2,), f64), (s((9,), f64), s((9,), f64))),
        "root": (root, s((), f64)),
        "mpc": (mpc, s((6,), f64), s((6,), f64), s((20, 2), f64)),
        "forest": (forest, s((16,), f32)),
        "moments": (moments, s((40, 300), i32), s((40, 300), np.bool_), s((2_000_000,), jnp.bfloat16)),
    }
    layers = [(s((3, 3, 1, 8), f32), s((8,), f32)), (s((3, 3, 8, 16), f32), s((16,), f32)),
              (s((784, 10), f32), s((10,), f32))]
    with_runtime = {
        "fft_filter": (fft_filter, s((1024,), f32), s((513,), f32)),
        "cnn": (cnn, layers, s((28, 28), f32)),
    }
    for folder, group in ((OUT, programs), (WITH_RUNTIME, with_runtime)):
        folder.mkdir(parents=True, exist_ok=True)
        for name, (f, *arguments) in group.items():
            if sys.argv[1:] == [] or name in sys.argv[1:]:
                (folder / f"{name}.jax").write_bytes(jax.export.export(jax.jit(f))(*arguments).serialize())
    if sys.argv[1:] == []:
        write_page()


def write_page():
    script = re.search(r"^```python\n(.*?)^```$", (ROOT / "docs/ahead_of_time.md").read_text(), re.M | re.S)[1]
    folder = ROOT / "tests/objects/page"
    folder.mkdir(exist_ok=True)
    subprocess.run([sys.executable, "-c", script], cwd=folder, check=True)


if __name__ == "__main__":
    main()
