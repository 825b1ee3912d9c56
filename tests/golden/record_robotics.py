#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computes with Pinocchio (PyPI's pin) the numbers with which the examples in examples/robotics are compared.

Prints a line for each example; the numbers are constants in the examples. Writes tests/golden/robotics.txt: lines of
"robot quantity numbers...", which tests/robotics/robotics_test.cc reads."""

import pathlib

import numpy as np
import pinocchio as pin

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
AXES_OF_BASE = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
ROBOTS, TESTS = ROOT / "examples" / "data", ROOT / "tests" / "robotics"


def wave(seed, count, joints):
    return np.sin(seed + 1.7 * np.arange(count * joints)).reshape(count, joints)


def load(name, folder=ROBOTS):
    model = pin.buildModelFromUrdf(str(folder / f"{name}.urdf"))
    return model, model.createData()


def configuration(model, q):
    """Pinocchio's numbers of joints at q: of those that turn without a limit, cosine and sine."""
    full = pin.neutral(model)
    for joint in range(1, model.njoints):
        at, row = model.joints[joint].idx_q, model.joints[joint].idx_v
        count, angle = model.joints[joint].nq, q[row]
        full[at:at + count] = [angle] if count == 1 else [np.cos(angle), np.sin(angle)]
    return full


def angular_first(jacobian):
    return np.vstack([jacobian[3:], jacobian[:3]])


def table(name, folder):
    """Lines of all quantities of a robot in two states."""
    model, data = load(name, folder)
    n, lines = model.nv, []
    for state in range(2):
        q, speed, last = (wave(3 * state + seed, 1, n)[0] for seed in (1, 2, 3))
        full, external = configuration(model, q), wave(3 * state + 4, n, 6)
        forces = [pin.Force.Zero(), *(pin.Force(force[3:], force[:3]) for force in external)]
        results = {"names": [*model.names][1:], "torques": pin.rnea(model, data, full, speed, last),
                   "torques_with_forces": pin.rnea(model, data, full, speed, last, forces),
                   "accelerations": pin.aba(model, data, full, speed, last),
                   "accelerations_with_forces": pin.aba(model, data, full, speed, last, forces)}
        mass = pin.crba(model, data, full)
        results["mass_matrix"] = np.triu(mass) + np.triu(mass, 1).T
        pin.computeJointJacobians(model, data, full)
        results["rotations"] = np.stack([data.oMi[i].rotation for i in range(1, model.njoints)])
        results["positions"] = np.stack([data.oMi[i].translation for i in range(1, model.njoints)])
        results["jacobians"] = np.stack([angular_first(pin.getJointJacobian(model, data, i, AXES_OF_BASE))
                                         for i in range(1, model.njoints)])
        for quantity, values in results.items():
            if quantity != "names":
                lines.append(f"{name} {state} {quantity} " + " ".join(f"{x:.15g}" for x in np.ravel(values)))
            elif state == 0:
                lines.append(f"{name} {state} names " + " ".join(values))
    return lines


def hand_of(model, data, q, offset):
    """The position of a point of the last body, and its Jacobian: angular rows first, along the base's axes."""
    last = model.njoints - 1
    pin.computeJointJacobians(model, data, q)
    jacobian = pin.getJointJacobian(model, data, last, AXES_OF_BASE)
    apart = data.oMi[last].rotation @ offset
    linear, angular = jacobian[:3], jacobian[3:]
    return data.oMi[last].translation + apart, np.vstack([angular, linear + np.cross(angular, apart, axis=0)])


def arm():
    model, data = load("arm")
    q, speed, acceleration = (wave(seed, 1, model.nv)[0] for seed in (1, 2, 3))
    torque = pin.rnea(model, data, q, speed, acceleration).copy()
    by_q, by_speed, _ = (m.copy() for m in pin.computeRNEADerivatives(model, data, q, speed, acceleration))
    mass = pin.crba(model, data, q).copy()
    point, jacobian = hand_of(model, data, q, np.array([0, 0, 0.12]))
    many = (pin.rnea(model, data, *row).sum() for row in zip(*(wave(seed, 4096, model.nv) for seed in (1, 2, 3))))
    dynamics = [torque[1], torque[5], by_q[1, 3], by_speed[1, 3], mass[0, 0], mass[1, 3]]
    return [*dynamics, point[0], point[2], jacobian[3, 1], sum(many)]


def reach():
    model, data = load("arm")
    point, _ = hand_of(model, data, wave(1, 1, model.nv)[0], np.array([0, 0, 0.12]))
    return [*point, *data.oMi[model.njoints - 1].rotation.ravel()]


def main():
    for example in (arm, reach):
        print(example.__name__, " ".join(f"{x:.10g}" for x in example()))
    robots = (("arm", ROBOTS), ("walker", ROBOTS), ("tree", TESTS))
    lines = [line for name, folder in robots for line in table(name, folder)]
    (ROOT / "tests" / "golden" / "robotics.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
