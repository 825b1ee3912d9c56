// SPDX-License-Identifier: Apache-2.0
// examples/robotics/kinematics.h -- where bodies are, how they move with the joints, and joints for a requested pose.
#pragma once

#include "examples/robotics/dynamics.h"

namespace robotics {

/// Frames of bodies in that of the base.
struct Pose {
  hilo::Array rotation;  ///< [..., 3, 3]; its columns are the body's axes
  hilo::Array position;  ///< [..., 3]
  HILO_TREE(rotation, position)
};

/// Returns the frames of all joints: forward kinematics.
/// Shapes    q f[n] -> rotation f[n, 3, 3], position f[n, 3]
inline Pose forward_kinematics(const Model& model, const hilo::Array& q, Form form = Form::kScan) {
  using namespace hilo;
  const Joints joints = robotics::joints_at(model, q);
  const auto place = [](const Pose& parent, const std::pair<Array, Array>& joint) {
    const Pose pose{numpy::matmul(parent.rotation, joint.first.T()),
                    parent.position + numpy::matmul(parent.rotation, joint.second)};
    return std::pair(pose, pose);
  };
  return robotics::outward(model, form, place, Pose{numpy::eye(3), numpy::zeros({3})},
                           std::pair(joints.rotation, joints.position));
}

/// Returns the pose of a point of the body of `row`: `offset` from the joint's origin, along the joint's axes.
inline Pose pose_of(const Model& model, const hilo::Array& q, int64_t row, const Vec3& offset = {},
                    Form form = Form::kScan) {
  using namespace hilo;
  const Pose all = robotics::forward_kinematics(model, q, form);
  const Array rotation = all.rotation[row];
  return {rotation, all.position[row] + numpy::matmul(rotation, numpy::array({offset[0], offset[1], offset[2]}))};
}

/// Returns the Jacobian of a body's velocity at a point of the base's frame, from the joints' speeds: three angular
/// rows, three linear ones, along the base's axes.
/// Shapes    poses of all joints, point f[3] -> f[6, n]
inline hilo::Array jacobian_at(const Model& model, const Pose& poses, int64_t row, const hilo::Array& point) {
  using namespace hilo;
  std::vector<double> carries;
  for (int64_t i = 0; i < model.size(); ++i) carries.push_back(model.carries(i, row) ? 1 : 0);
  const auto column = [&](const Array& rotation, const Array& position, const Array& axis) {
    const Array angular = numpy::matmul(rotation, axis[range(0, 3)]);
    return numpy::concatenate(
        {angular, numpy::matmul(rotation, axis[range(3, 6)]) + numpy::cross(angular, point - position)});
  };
  return (vmap(column)(poses.rotation, poses.position, model.axis) * detail::constant(carries, {model.size(), 1})).T();
}

/// Returns the rotation vector of a rotation: axis times angle. Near a half turn the axis is inaccurate.
/// Shapes    f[3, 3] -> f[3]
inline hilo::Array rotation_vector(const hilo::Array& r) {
  using namespace hilo;
  const Array twice = numpy::stack({r(2, 1) - r(1, 2), r(0, 2) - r(2, 0), r(1, 0) - r(0, 1)});
  const Array sine = 0.5 * numpy::sqrt(numpy::sum(twice * twice)), cosine = 0.5 * (numpy::trace(r) - 1);
  const Array angle = numpy::arctan2(sine, cosine);
  return 0.5 * numpy::where(sine > 1e-9, angle / numpy::where(sine > 1e-9, sine, 1), 1) * twice;
}

/// How inverse_kinematics() searches.
struct Reach {
  int64_t row = -1;     ///< joint whose body is placed; -1: the last
  Vec3 offset = {};     ///< point of the body, along the joint's axes
  bool turn = true;     ///< whether the rotation counts
  int64_t steps = 100;  ///< limit
  double damping = 1e-2, tolerance = 1e-8;
  Form form = Form::kScan;
};

/// The joints, how many steps were needed, and the error that is left.
struct Reached {
  hilo::Array q, steps, error;
  HILO_TREE(q, steps, error)
};

/// Searches joints at which a body is at a pose, within the limits of the joints: damped least squares. The damping
/// decreases with the error.
/// Shapes    target of one pose, start f[n]
inline Reached inverse_kinematics(const Model& model, const Pose& target, const hilo::Array& start,
                                  const Reach& options = {}) {
  using namespace hilo;
  const int64_t row = options.row < 0 ? model.size() - 1 : options.row;
  const Array offset = numpy::array({options.offset[0], options.offset[1], options.offset[2]});
  // The error, and its Jacobian.
  const auto look = [&](const Array& q) {
    const Pose poses = robotics::forward_kinematics(model, q, options.form);
    const Array rotation = poses.rotation[row], point = poses.position[row] + numpy::matmul(rotation, offset);
    const Array jacobian = robotics::jacobian_at(model, poses, row, point), away = target.position - point;
    if (!options.turn) return std::pair(away, jacobian[range(3, 6)]);
    const Array turn = robotics::rotation_vector(numpy::matmul(target.rotation, rotation.T()));
    return std::pair(numpy::concatenate({turn, away}), jacobian);
  };
  using State = std::tuple<Array, Array, Array, Array>;  // q, steps, error, Jacobian
  const auto step = [&](const State& state) {
    const auto& [q, steps, error, j] = state;
    const Array damping = options.damping * numpy::sum(error * error) + 1e-12;
    const Array square = numpy::matmul(j, j.T()) + damping * numpy::eye(j.shape(0));
    const Array next = numpy::clip(q + numpy::matmul(j.T(), linalg::solve(square, error)), model.lower, model.upper);
    const auto [next_error, next_jacobian] = look(next);
    return State(next, steps + 1, next_error, next_jacobian);
  };
  const auto far = [&](const State& state) {
    const auto& [q, steps, error, j] = state;
    return numpy::logical_and(numpy::sum(error * error) > options.tolerance * options.tolerance, steps < options.steps);
  };
  const auto [error, jacobian] = look(start);
  const auto [q, steps, left, j] = lax::while_loop(far, step, State(start, numpy::zeros({}, int32), error, jacobian));
  return {q, steps, numpy::sqrt(numpy::sum(left * left))};
}

}  // namespace robotics
