# SPDX-License-Identifier: Apache-2.0
"""casadi_programs.py FOLDER -- programs of tests/golden/record_objects.py in CasADi, as C code that the system's compiler
optimizes: FOLDER/NAME.casadi.so, each with the function `entry` that loop.c calls.

CasADi has neither Fourier transforms nor convolutions. Its matrices are column-major; the programs here have the
transposes, so that all arrays are row-major."""

import pathlib
import subprocess
import sys

import casadi as ca
import numpy as np

FLAGS = ("-O3", "-march=native", "-shared", "-fPIC", "-w")
ENTRY = """
int entry(const void* const* arguments, void* const* results) {{
  const casadi_real* arg[{arg}];
  casadi_real* res[{res}];
  casadi_int iw[{iw}];
  casadi_real w[{w}];
  for (int k = 0; k < {inputs}; ++k) arg[k] = arguments[k];
  for (int k = 0; k < {outputs}; ++k) res[k] = results[k];
  return {name}(arg, res, iw, w, 0);
}}
"""


def column(*numbers):
    return ca.vertcat(*numbers)


def rotation(q):
    w, x, y, z = ca.vertsplit(q)
    return ca.vertcat(ca.horzcat(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
                      ca.horzcat(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
                      ca.horzcat(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)))


def rocket(state, gains):
    position, velocity, q, spin, mass = state[:3], state[3:6], state[6:10], state[10:13], state[13]
    q = q / ca.norm_2(q)
    turned, weight = rotation(q), ca.DM([0, 0, 9.81])
    wanted = -gains[0] * position - gains[1] * velocity + weight
    thrust = ca.fmin(ca.fmax(mass * ca.dot(wanted, turned[:, 2]), 0.2), 30)
    tilt = ca.cross(turned[:, 2], wanted / ca.norm_2(wanted))
    torque = gains[2] * (turned.T @ tilt) - gains[3] * spin
    inertia = ca.DM([0.4, 0.4, 0.1])
    drag = -0.5 * 1.2 * ca.exp(-position[2] / 8500) * 0.05 * ca.norm_2(velocity) * velocity
    force = turned[:, 2] * thrust + drag - weight * mass
    w, x, y, z = ca.vertsplit(q)
    a, b, c = ca.vertsplit(spin)
    turn = 0.5 * column(-x * a - y * b - z * c, w * a + y * c - z * b, w * b - x * c + z * a, w * c + x * b - y * a)
    rate = column(velocity, force / mass, turn, (torque - ca.cross(spin, inertia * spin)) / inertia, -thrust / 2500)
    return [state + 0.01 * rate, thrust]


def torques(q, qd, qdd):
    lengths, masses, axes = np.linspace(0.4, 0.1, 7), np.linspace(4.0, 0.5, 7), (ca.DM([0, 0, 1]), ca.DM([0, 1, 0]))

    def turned(k):
        c, s = ca.cos(q[k]), ca.sin(q[k])
        rows = ((c, -s, 0), (s, c, 0), (0, 0, 1)) if k % 2 == 0 else ((c, 0, s), (0, 1, 0), (-s, 0, c))
        return ca.sparsify(ca.vertcat(*(ca.horzcat(*row) for row in rows)))

    spin, rate, pull = ca.SX(3, 1), ca.SX(3, 1), ca.sparsify(ca.SX([0, 0, 9.81]))
    forces, moments, turns = [], [], []
    for k in range(7):
        axis, link, turn = ca.sparsify(ca.SX(axes[k % 2])), ca.sparsify(ca.SX([0, 0, lengths[k]])), turned(k)
        here = turn.T @ spin
        rate = turn.T @ rate + axis * qdd[k] + ca.cross(here, axis * qd[k])
        spin = here + axis * qd[k]
        pull = turn.T @ pull + ca.cross(rate, link) + ca.cross(spin, ca.cross(spin, link))
        inertia = masses[k] * lengths[k] ** 2 * ca.DM([0.3, 0.3, 0.05])
        forces.append(masses[k] * pull)
        moments.append(inertia * rate + ca.cross(spin, inertia * spin))
        turns.append(turn)
    force, moment, out = ca.SX(3, 1), ca.SX(3, 1), [None] * 7
    for k in reversed(range(7)):
        link = ca.sparsify(ca.SX([0, 0, lengths[k]]))
        moment = moments[k] + moment + ca.cross(0.5 * link, forces[k]) + ca.cross(link, force)
        force = forces[k] + force
        out[k] = moment[2 if k % 2 == 0 else 1]
        force, moment = turns[k] @ force, turns[k] @ moment
    return column(*out)


def arm(q, qd, qdd):
    torque = torques(q, qd, qdd)
    return [torque, ca.jacobian(torque, q)]


def policy(first, bias, second, bias_2, last, bias_3, x):
    x = ca.tanh(first.T @ x + bias)
    x = ca.tanh(second.T @ x + bias_2)
    return [last.T @ x + bias_3]


def filter_step(mean, cov, seen, dt):
    state = ca.SX.sym("m", 5)
    x, y, heading, speed, turn = ca.vertsplit(state)
    moved = column(x + dt * speed * ca.cos(heading), y + dt * speed * ca.sin(heading), heading + dt * turn, speed, turn)
    sight = column(ca.sqrt((x - 4) ** 2 + (y - 3) ** 2), ca.atan2(3 - y, 4 - x) - heading)
    move = ca.Function("move", [state, dt], [moved, ca.jacobian(moved, state)])
    see = ca.Function("see", [state], [sight, ca.jacobian(sight, state)])
    mean, f = move(mean, dt)
    cov = f @ cov @ f.T + 0.01 * ca.SX.eye(5)
    expected, h = see(mean)
    s = h @ cov @ h.T + 0.1 * ca.DM.ones(2, 2) * ca.DM.eye(2)
    determinant = s[0, 0] * s[1, 1] - s[0, 1] * s[1, 0]
    inverse = ca.vertcat(ca.horzcat(s[1, 1], -s[0, 1]), ca.horzcat(-s[1, 0], s[0, 0])) / determinant
    gain = cov @ h.T @ inverse
    return [mean + gain @ (seen - expected), (ca.SX.eye(5) - gain @ h) @ cov]


def quadrotor(x, u):
    pull = column(-u[0] * ca.sin(x[2]), u[0] * ca.cos(x[2]) - 9.81)
    return column(x[:2] + 0.05 * x[3:5], x[2] + 0.05 * x[5], x[3:5] + 0.05 * pull, x[5] + 0.05 * u[1])


def mpc(start, goal, inputs):
    state_cost, input_cost = ca.diag(ca.DM([4, 4, 1, 0.5, 0.5, 0.1])), ca.diag(ca.DM([0.05, 0.1]))
    x, u = ca.SX.sym("x", 6), ca.SX.sym("u", 2)
    slopes = ca.Function("slopes", [x, u], [ca.jacobian(quadrotor(x, u), x), ca.jacobian(quadrotor(x, u), u)])
    states = [start]
    for k in range(20):
        states.append(quadrotor(states[-1], inputs[k, :].T))
    p, s, gains = 10 * state_cost, 10 * state_cost @ (states[-1] - goal), [None] * 20
    for k in reversed(range(20)):
        a, b = slopes(states[k], inputs[k, :].T)
        pb = p @ b
        factor = ca.chol(input_cost + b.T @ pb).T
        right = ca.horzcat(pb.T @ a, b.T @ s + input_cost @ (inputs[k, :].T - ca.DM([9.81, 0])))
        half = ca.solve(factor, right)
        gains[k] = ca.solve(factor.T, half)
        p = state_cost + a.T @ p @ a - half[:, :6].T @ half[:, :6]
        s = state_cost @ (states[k] - goal) + a.T @ s - half[:, :6].T @ half[:, 6]
    x, out = start, []
    for k in range(20):
        u = inputs[k, :].T - gains[k][:, 6] - gains[k][:, :6] @ (x - states[k])
        u = ca.fmin(ca.fmax(u, ca.DM([0, -8])), ca.DM([20, 8]))
        out.append(u.T)
        x = quadrotor(x, u)
    return [ca.vertcat(*out)]


def forest(x):
    """CasADi can't index by a value: all nodes of a tree are compared."""
    random = np.random.default_rng(0)
    feature, threshold = random.integers(0, 16, (20, 63), np.int32), random.normal(size=(20, 63)).astype(np.float32)
    leaves = random.normal(size=(20, 64)).astype(np.float32)

    def value(tree, node):
        if node >= 63:
            return ca.SX(float(leaves[tree, node - 63]))
        above = x[int(feature[tree, node])] > float(threshold[tree, node])
        return ca.if_else(above, value(tree, 2 * node + 2), value(tree, 2 * node + 1))

    return [sum(value(tree, 0) for tree in range(20)) / 20]


def programs():
    """By name: the function, the shapes of its arguments, its symbols and its numbers."""
    layers = [(12, 64), (64,), (64, 64), (64,), (64, 4), (4,)]
    return {"rocket": (rocket, [(14,), (4,)], ca.SX, "double"),
            "arm": (arm, [(7,), (7,), (7,)], ca.SX, "double"),
            "policy": (policy, [*layers, (12,)], ca.MX, "float"),
            "filter": (filter_step, [(5,), (5, 5), (2,), (1,)], ca.SX, "double"),
            "mpc": (mpc, [(6,), (6,), (20, 2)], ca.SX, "double"),
            "forest": (forest, [(16,)], ca.SX, "float")}


def function_of(name, program, shapes, symbols):
    flat = [symbols.sym(f"x{k}", *shape[::-1]) for k, shape in enumerate(shapes)]
    results = program(*(x.T if len(shape) == 2 else x for x, shape in zip(flat, shapes)))
    return ca.Function(name, flat, [ca.densify(result.T if result.shape[1] > 1 else result) for result in results])


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, (program, shapes, symbols, number) in programs().items():
        function = function_of(name, program, shapes, symbols)
        generator = ca.CodeGenerator(f"{name}.c", {"casadi_real": number})
        generator.add(function)
        generator.generate(f"{folder}/")
        source = folder / f"{name}.c"
        source.write_text(source.read_text() + ENTRY.format(
            name=name, arg=function.sz_arg() + 1, res=function.sz_res() + 1, iw=function.sz_iw() + 1,
            w=function.sz_w() + 1, inputs=function.n_in(), outputs=function.n_out()))
        own = ("-include", "tgmath.h") if number == "float" else ()  # functions of floats, not of doubles
        subprocess.run(["cc", *FLAGS, *own, source, "-o", folder / f"{name}.casadi.so", "-lm"], check=True)


if __name__ == "__main__":
    main()
