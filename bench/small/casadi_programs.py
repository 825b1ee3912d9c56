# SPDX-License-Identifier: Apache-2.0
"""casadi_programs.py FOLDER -- the programs of bench/small.cc in CasADi, as C code that the system's compiler optimizes.

Writes the code and a program that times it into FOLDER, compiles and runs it. Prints "row<TAB>microseconds<TAB>sum"."""

import math
import pathlib
import subprocess
import sys

import casadi as ca
import numpy as np

JOINTS, BATCH = 7, 4096
FLAGS = ("-O3", "-march=native")


def wave(seed, *shape):
    return np.sin(seed + 1.7 * np.arange(math.prod(shape))).reshape(shape)


def skew(v):
    return ca.vertcat(ca.horzcat(0, -v[2], v[1]), ca.horzcat(v[2], 0, -v[0]), ca.horzcat(-v[1], v[0], 0))


def square(a, b, c, d):
    return ca.vertcat(ca.horzcat(a, b), ca.horzcat(c, d))


MASSES = (4.0, 3.5, 3.0, 2.5, 1.7, 1.2, 0.4)
AXES = [ca.DM([0, 0, 1]) if k % 2 == 0 else ca.DM([0, 1, 0]) for k in range(JOINTS)]
ORIGIN, CENTER, GRAVITY = ca.DM([0, 0, 0.2]), ca.DM([0.01, -0.02, 0.11]), ca.DM([0, 0, 0, 0, 0, 9.81])


def inertia(mass):
    c = skew(CENTER)
    return square(ca.diag(0.01 * mass * ca.DM([1, 0.9, 0.4])) - mass * c @ c, mass * c, -mass * c, mass * ca.DM.eye(3))


INERTIAS = [inertia(mass) for mass in MASSES]
AXES6 = [ca.vertcat(axis, ca.DM.zeros(3)) for axis in AXES]


def motion_cross(v):
    return square(skew(v[:3]), ca.SX(3, 3), skew(v[3:]), skew(v[:3]))


def transforms(q):
    result = []
    for axis, angle in zip(AXES, ca.vertsplit(q)):
        k = ca.sparsify(skew(axis))
        e = ca.SX.eye(3) - ca.sin(angle) * k + (1 - ca.cos(angle)) * (k @ k)
        result.append(square(e, ca.SX(3, 3), -e @ ca.sparsify(skew(ORIGIN)), e))
    return result


def inverse_dynamics(q, qd, qdd):
    xs, v, a, forces = transforms(q), ca.SX(6, 1), GRAVITY, []
    for i in range(JOINTS):
        s, own = ca.sparsify(AXES6[i]), ca.sparsify(INERTIAS[i])
        v = xs[i] @ v + s * qd[i]
        cross = motion_cross(v)
        a = xs[i] @ a + s * qdd[i] + cross @ (s * qd[i])
        forces.append(own @ a - cross.T @ (own @ v))
    torque, child = [None] * JOINTS, ca.SX(6, 1)
    for i in reversed(range(JOINTS)):
        total = forces[i] + child
        torque[i], child = ca.dot(ca.sparsify(AXES6[i]), total), xs[i].T @ total
    return ca.vertcat(*torque)


def forward_dynamics(q, qd, torque):
    xs, v, coriolis, bias = transforms(q), ca.SX(6, 1), [], []
    for i in range(JOINTS):
        s, own = ca.sparsify(AXES6[i]), ca.sparsify(INERTIAS[i])
        v = xs[i] @ v + s * qd[i]
        cross = motion_cross(v)
        coriolis.append(cross @ (s * qd[i]))
        bias.append(-cross.T @ (own @ v))
    below, force_below, kept = ca.SX(6, 6), ca.SX(6, 1), [None] * JOINTS
    for i in reversed(range(JOINTS)):
        s = ca.sparsify(AXES6[i])
        articulated, force = ca.sparsify(INERTIAS[i]) + below, bias[i] + force_below
        u = articulated @ s
        d, rest = ca.dot(s, u), torque[i] - ca.dot(s, force)
        passed = articulated - u @ u.T / d
        below, force_below = xs[i].T @ (passed @ xs[i]), xs[i].T @ (force + passed @ coriolis[i] + u * (rest / d))
        kept[i] = (u, d, rest)
    a, qdd = GRAVITY, []
    for i in range(JOINTS):
        u, d, rest = kept[i]
        along = xs[i] @ a + coriolis[i]
        qdd.append((rest - ca.dot(u, along)) / d)
        a = along + ca.sparsify(AXES6[i]) * qdd[i]
    return ca.vertcat(*qdd)


def mass_matrix(q):
    xs, composites, child = transforms(q), [None] * JOINTS, ca.SX(6, 6)
    for i in reversed(range(JOINTS)):
        composites[i] = ca.sparsify(INERTIAS[i]) + child
        child = xs[i].T @ (composites[i] @ xs[i])
    matrix = ca.SX(JOINTS, JOINTS)
    for i in range(JOINTS):
        force = composites[i] @ ca.sparsify(AXES6[i])
        for j in reversed(range(i + 1)):
            matrix[i, j] = matrix[j, i] = ca.dot(force, ca.sparsify(AXES6[j]))
            force = xs[j].T @ force
    return matrix


def flight(x):
    position, velocity, wind = x[:3], x[3:6], x[6:]
    through = velocity - wind
    return ca.vertcat(position + 0.01 * velocity, velocity - 0.001 * ca.norm_2(through) * through, 0.999 * wind)


def distances(x):
    return ca.vertcat(*(ca.norm_2(x[:3] - 10 * ca.DM.eye(3)[:, k]) for k in range(3)))


def kalman_filter(mean, covariance, measured):
    x = ca.SX.sym("x", 9)
    jacobians = ca.Function("j", [x], [ca.jacobian(flight(x), x), ca.jacobian(distances(x), x)])
    f, predicted = jacobians(mean)[0], flight(mean)
    p = f @ covariance @ f.T + 0.001 * ca.SX.eye(9)
    h = jacobians(predicted)[1]
    hp = h @ p
    gain = ca.solve(hp @ h.T + 0.01 * ca.SX.eye(3), hp).T
    return [predicted + gain @ (measured - distances(predicted)), p - gain @ hp]


def riccati(a, b):
    p = ca.SX.eye(6)
    for _ in range(30):
        pa, pb = p @ a, p @ b
        p = ca.SX.eye(6) + a.T @ pa - a.T @ pb @ ca.solve(ca.SX.eye(2) + b.T @ pb, b.T @ pa)
    return p


def symbols(*shapes):
    return [ca.SX.sym(f"x{k}", *shape) for k, shape in enumerate(shapes)]


def programs():
    """Each row's function and its inputs."""
    q, qd, last = symbols((JOINTS,), (JOINTS,), (JOINTS,))
    own = [wave(k, JOINTS) for k in (1, 2, 3)]
    torque, acceleration = inverse_dynamics(q, qd, last), forward_dynamics(q, qd, last)
    jacobian = [ca.jacobian(torque, q), ca.jacobian(torque, qd)]
    many = [wave(k, BATCH, JOINTS) for k in (1, 2, 3)]
    yield "inverse_dynamics", [q, qd, last], [torque], own, 1
    yield "inverse_dynamics_jacobian", [q, qd, last], jacobian, own, 1
    yield "forward_dynamics", [q, qd, last], [acceleration], own, 1
    yield "forward_dynamics_jacobian", [q, qd, last], [ca.jacobian(acceleration, v) for v in (q, qd, last)], own, 1
    yield "mass_matrix", [q], [mass_matrix(q)], own[:1], 1
    yield "inverse_dynamics_x4096", [q, qd, last], [torque], many, BATCH
    yield "inverse_dynamics_jacobian_x4096", [q, qd, last], jacobian, many, BATCH
    yield "forward_dynamics_x4096", [q, qd, last], [acceleration], many, BATCH
    mean, covariance, measured = symbols((9,), (9, 9), (3,))
    yield ("kalman_filter", [mean, covariance, measured], kalman_filter(mean, covariance, measured),
           [wave(4, 9), np.eye(9), wave(5, 3) + 10], 1)
    a, b = symbols((6, 6), (6, 2))
    yield "riccati", [a, b], [riccati(a, b)], [0.5 * wave(6, 6, 6).T, wave(7, 6, 2).T], 1
    a, b = symbols((2, 2), (2,))
    yield "solve_2", [a, b], [ca.solve(a, b)], [wave(1, 2, 2).T, wave(2, 2)], 1


MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return 1e6 * t.tv_sec + 1e-3 * t.tv_nsec; }
static int ascending(const void* a, const void* b) { return (*(double*)a > *(double*)b) - (*(double*)a < *(double*)b); }
"""
ROW = """
static void run_{name}(void) {{
{inputs}
  static double out[{results}][{batch} * {largest}], w[{work} + 1];
  static long long iw[{iwork} + 1];
  double samples[{rounds}], sum = 0;
  for (int s = 0; s < {rounds}; ++s) {{
    const double start = now();
    for (int r = 0; r < {repeat}; ++r) for (int k = 0; k < {batch}; ++k) {{
      const double* arg[{arguments} + 8] = {{{argument}}};
      double* res[{results} + 8] = {{{result}}};
      {name}(arg, res, iw, w, 0);
      __asm__ volatile("" ::: "memory");
    }}
    samples[s] = (now() - start) / {repeat};
  }}
  qsort(samples, {rounds}, sizeof(double), ascending);
  {sum}
  printf("{name}\\t%.4f\\t%.12g\\n", samples[{rounds} / 2], sum);
}}
"""


def row(name, function, inputs, batch):
    arguments, results = range(function.n_in()), range(function.n_out())
    sizes = [function.nnz_out(k) for k in results]
    values = [f"  static const double in{k}[] = {{{', '.join(map(repr, map(float, inputs[k].ravel())))}}};" for k in arguments]
    return ROW.format(
        name=name, inputs="\n".join(values), batch=batch, results=len(sizes), largest=max(sizes), work=function.sz_w(),
        iwork=function.sz_iw(), arguments=len(inputs), repeat=1 if batch > 1 else 100, rounds=101 if batch > 1 else 501,
        argument=", ".join(f"in{k} + k * {function.nnz_in(k)}" for k in arguments),
        result=", ".join(f"out[{k}] + k * {sizes[k]}" for k in results),
        sum=" ".join(f"for (int e = 0; e < {batch * sizes[k]}; ++e) sum += out[{k}][e];" for k in results))


def main():
    folder = pathlib.Path(sys.argv[1])
    generator, rows, calls = ca.CodeGenerator("programs.c", {"with_header": True}), [], []
    for name, inputs, outputs, numbers, batch in programs():
        function = ca.Function(name, inputs, outputs)
        generator.add(function)
        rows.append(row(name, function, numbers, batch))
        calls.append(f"run_{name}();")
    generator.generate(str(folder) + "/")
    source = folder / "main.c"  # apart, so that a program isn't compiled for these inputs
    source.write_text('#include "programs.h"\n' + MAIN + "".join(rows) + f"int main(void) {{ {' '.join(calls)} return 0; }}\n")
    program = folder / "casadi_programs"
    subprocess.run(["cc", *FLAGS, "-w", source, folder / "programs.c", "-o", program, "-lm"], check=True)
    subprocess.run([program], check=True)


if __name__ == "__main__":
    main()
