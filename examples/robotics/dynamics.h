// SPDX-License-Identifier: Apache-2.0
// examples/robotics/dynamics.h -- torques, accelerations and the mass matrix of a robot, in the spatial algebra of
// Featherstone, "Rigid Body Dynamics Algorithms" (2008). One robot; vmap makes a batch.
#pragma once

#include "examples/robotics/walk.h"

namespace robotics {

/// Options of the algorithms.
struct Dynamics {
  Form form = Form::kScan;
  hilo::Array external = {};  ///< [n, 6], forces on the bodies from outside, in the joints' frames; empty: none
};

/// Joints at some q: the axes and the origin of each in its parent's frame, and the transform of motions from there.
struct Joints {
  hilo::Array rotation;  ///< [n, 3, 3], from the parent's axes to the joint's
  hilo::Array position;  ///< [n, 3]
  hilo::Array motion;    ///< [n, 6, 6]
  HILO_TREE(rotation, position, motion)
};

/// Shapes    v f[3] -> f[3, 3]
inline hilo::Array cross_matrix(const hilo::Array& v) {
  return hilo::numpy::array({{0.0, -v[2], v[1]}, {v[2], 0.0, -v[0]}, {-v[1], v[0], 0.0}});
}

/// The matrix by which a moving frame changes a motion: cross(v) m is v x m. Its negative transpose is that of forces.
/// Shapes    v f[6] -> f[6, 6]
inline hilo::Array motion_cross(const hilo::Array& v) {
  const hilo::Array w = robotics::cross_matrix(v[hilo::range(0, 3)]);
  return hilo::numpy::block(
      {{w, hilo::numpy::zeros({3, 3}, v.dtype())}, {robotics::cross_matrix(v[hilo::range(3, 6)]), w}});
}

/// Shapes    q f[n]
inline Joints joints_at(const Model& model, const hilo::Array& q) {
  using namespace hilo;
  const auto one = [](const Array& axis, const Array& at_zero, const Array& offset, const Array& q_of) {
    const Array k = robotics::cross_matrix(axis[range(0, 3)]), along = axis[range(3, 6)];
    const Array turned = numpy::eye(3) - numpy::sin(q_of) * k + (1 - numpy::cos(q_of)) * numpy::matmul(k, k);
    const Array rotation = numpy::matmul(turned, at_zero);
    const Array position = offset + numpy::matmul(along * q_of, at_zero);
    const Array low = -numpy::matmul(rotation, robotics::cross_matrix(position));
    return Joints{rotation, position, numpy::block({{rotation, numpy::zeros({3, 3})}, {low, rotation}})};
  };
  return vmap(one)(model.axis, model.rotation, model.offset, q);
}

namespace detail {
inline hilo::Array forces_from_outside(const Model& model, const Dynamics& options) {
  return options.external.ndim() == 2 ? options.external : hilo::numpy::zeros({model.size(), 6});
}
}  // namespace detail

/// Returns the torques of accelerations: the recursive Newton-Euler algorithm (RNEA).
/// Shapes    q, speed, acceleration f[n] -> f[n]
inline hilo::Array inverse_dynamics(const Model& model, const hilo::Array& q, const hilo::Array& speed,
                                    const hilo::Array& acceleration, const Dynamics& options = {}) {
  using namespace hilo;
  const Array motion = robotics::joints_at(model, q).motion;
  const auto force_on = [](const std::pair<Array, Array>& parent, const auto& joint) {
    const auto& [x, s, inertia, qd, qdd, external] = joint;
    const Array v = numpy::matmul(x, parent.first) + s * qd, cross = robotics::motion_cross(v);
    const Array a = numpy::matmul(x, parent.second) + s * qdd + numpy::matmul(cross, s * qd);
    const Array force = numpy::matmul(inertia, a) - numpy::matmul(cross.T(), numpy::matmul(inertia, v)) - external;
    return std::pair(std::pair(v, a), force);
  };
  const Array forces = robotics::outward(
      model, options.form, force_on, std::pair(numpy::zeros({6}), model.gravity),
      std::tuple(motion, model.axis, model.inertia, speed, acceleration, detail::forces_from_outside(model, options)));
  const auto torque_of = [](const Array& children, const auto& joint) {
    const auto& [x, s, force] = joint;
    const Array total = force + children;
    return std::pair(numpy::matmul(total, x), numpy::dot(s, total));
  };
  return robotics::inward(model, options.form, torque_of, numpy::zeros({6}), std::tuple(motion, model.axis, forces));
}

/// Returns the accelerations of torques: the articulated body algorithm (ABA).
/// Shapes    q, speed, torque f[n] -> f[n]
inline hilo::Array forward_dynamics(const Model& model, const hilo::Array& q, const hilo::Array& speed,
                                    const hilo::Array& torque, const Dynamics& options = {}) {
  using namespace hilo;
  const Array motion = robotics::joints_at(model, q).motion;
  const auto velocity_of = [](const Array& parent, const auto& joint) {
    const auto& [x, s, inertia, qd, external] = joint;
    const Array v = numpy::matmul(x, parent) + s * qd, cross = robotics::motion_cross(v);
    const Array bias = -numpy::matmul(cross.T(), numpy::matmul(inertia, v)) - external;
    return std::pair(v, std::pair(numpy::matmul(cross, s * qd), bias));
  };
  const auto [coriolis, bias] = robotics::outward(
      model, options.form, velocity_of, numpy::zeros({6}),
      std::tuple(motion, model.axis, model.inertia, speed, detail::forces_from_outside(model, options)));
  // What a joint's body and all that it carries resist: force = inertia acceleration + bias.
  const auto articulate = [](const std::pair<Array, Array>& children, const auto& joint) {
    const auto& [x, s, inertia, change, own_bias, tau] = joint;
    const Array articulated = inertia + children.first, force = own_bias + children.second;
    const Array u = numpy::matmul(articulated, s), d = numpy::dot(s, u), rest = tau - numpy::dot(s, force);
    const Array passed = articulated - numpy::outer(u, u) / d;
    const Array passed_force = force + numpy::matmul(passed, change) + u * (rest / d);
    return std::pair(std::pair(numpy::matmul(x.T(), numpy::matmul(passed, x)), numpy::matmul(passed_force, x)),
                     std::tuple(u, d, rest));
  };
  const auto [u, d, rest] =
      robotics::inward(model, options.form, articulate, std::pair(numpy::zeros({6, 6}), numpy::zeros({6})),
                       std::tuple(motion, model.axis, model.inertia, coriolis, bias, torque));
  const auto accelerate = [](const Array& parent, const auto& joint) {
    const auto& [x, s, change, along, inertia, tau] = joint;
    const Array carried = numpy::matmul(x, parent) + change, qdd = (tau - numpy::dot(along, carried)) / inertia;
    return std::pair(carried + s * qdd, qdd);
  };
  return robotics::outward(model, options.form, accelerate, model.gravity,
                           std::tuple(motion, model.axis, coriolis, u, d, rest));
}

namespace detail {

/// Returns the upper triangle of the mass matrix, [n, n], by a loop over the joints of the second index.
inline hilo::Array upper_triangle(const Model& model, const Joints& joints, const hilo::Array& composites) {
  using namespace hilo;
  std::vector<Array> zero(static_cast<size_t>(model.size()), 0.0);
  std::vector<std::vector<Array>> entries(zero.size(), zero);
  for (int64_t i = 0; i < model.size(); ++i) {
    Array force = numpy::matmul(composites[i], model.axis[i]);
    for (int64_t k = i; k >= 0; k = model.joints[static_cast<size_t>(k)].parent) {
      entries[static_cast<size_t>(k)][static_cast<size_t>(i)] = numpy::dot(force, model.axis[k]);
      force = numpy::matmul(force, joints.motion[k]);
    }
  }
  std::vector<Array> rows;
  for (const std::vector<Array>& row : entries) rows.push_back(numpy::stack(row));
  return numpy::stack(rows);
}

/// Returns the same by a scan that moves the forces of all joints together, each as far as its own ancestors.
inline hilo::Array scanned_triangle(const Model& model, const Joints& joints, const hilo::Array& composites) {
  using namespace hilo;
  std::vector<double> carries;  // whether the joint of the row carries that of the column
  for (int64_t k = 0; k < model.size(); ++k) {
    for (int64_t i = 0; i < model.size(); ++i) carries.push_back(model.carries(k, i) ? 1 : 0);
  }
  const Array carried = detail::constant(carries, {model.size(), model.size()}) > 0.5;
  const auto row = [](const Array& below, const auto& joint) {
    const auto& [x, s, composite, own, moves] = joint;
    const Array forces = below + numpy::outer(own, numpy::matmul(composite, s));
    const Array further = numpy::where(moves(all, newaxis), numpy::matmul(forces, x), forces);
    return std::pair(further, numpy::where(moves, numpy::matmul(forces, s), 0));
  };
  const Array none = numpy::zeros({model.size(), 6});
  return lax::scan(row, none, std::tuple(joints.motion, model.axis, composites, numpy::eye(model.size()), carried),
                   {.reverse = true})
      .second;
}

}  // namespace detail

/// Returns the mass matrix: the composite rigid body algorithm (CRBA).
/// Shapes    q f[n] -> f[n, n]
inline hilo::Array mass_matrix(const Model& model, const hilo::Array& q, const Dynamics& options = {}) {
  using namespace hilo;
  const Joints joints = robotics::joints_at(model, q);
  const auto compose = [](const Array& children, const auto& joint) {
    const auto& [x, inertia] = joint;
    const Array composite = inertia + children;
    return std::pair(numpy::matmul(x.T(), numpy::matmul(composite, x)), composite);
  };
  const Array composites =
      robotics::inward(model, options.form, compose, numpy::zeros({6, 6}), std::tuple(joints.motion, model.inertia));
  const Array upper = options.form == Form::kScan ? detail::scanned_triangle(model, joints, composites)
                                                  : detail::upper_triangle(model, joints, composites);
  return upper + numpy::triu(upper, 1).T();
}

}  // namespace robotics
