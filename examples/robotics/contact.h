// SPDX-License-Identifier: Apache-2.0
// examples/robotics/contact.h -- steps of time with a flat ground, at height 0 of the base's frame: by springs and
// dampers, which differentiate smoothly, or by impulses that end each step without penetrating speed.
#pragma once

#include "examples/robotics/kinematics.h"

namespace robotics {

/// Angles and speeds of the joints.
struct State {
  hilo::Array q, speed;  ///< [n]
  HILO_TREE(q, speed)
};

/// Points of bodies that touch the ground.
struct Feet {
  std::vector<int64_t> rows;  ///< the joint of each point's body
  std::vector<Vec3> points;   ///< along the joint's axes
};

/// The ground of step_with_springs().
struct SoftGround {
  double stiffness = 2e4;  ///< N/m
  double damping = 1;      ///< s/m: the force is stiffness depth (1 - damping speed), at least 0
  double friction = 0.8;
  double slip = 0.01;  ///< m/s: friction is nearly full above it
};

/// The ground of step_with_impulses().
struct HardGround {
  double friction = 0.8;
  double correction = 0.2;  ///< part of the depth that a step takes back
  int64_t sweeps = 30;      ///< of projected Gauss-Seidel
};

namespace detail {

/// Positions of points in the base's frame, and the axes of their bodies: [k, 3] and [k, 3, 3].
inline std::pair<hilo::Array, hilo::Array> points_of(const Pose& poses, const Feet& feet) {
  std::vector<hilo::Array> positions, rotations;
  for (size_t k = 0; k < feet.rows.size(); ++k) {
    const Vec3& p = feet.points[k];
    rotations.push_back(poses.rotation[feet.rows[k]]);
    positions.push_back(poses.position[feet.rows[k]] +
                        hilo::numpy::matmul(rotations[k], hilo::numpy::array({p[0], p[1], p[2]})));
  }
  return {hilo::numpy::stack(positions), hilo::numpy::stack(rotations)};
}

/// Returns the Jacobian of the points' velocities: [k, 3, n].
inline hilo::Array point_jacobians(const Model& model, const Pose& poses, const Feet& feet, const hilo::Array& points) {
  std::vector<hilo::Array> jacobians;
  for (size_t k = 0; k < feet.rows.size(); ++k) {
    const auto i = static_cast<int64_t>(k);
    jacobians.push_back(robotics::jacobian_at(model, poses, feet.rows[k], points[i])[hilo::range(3, 6)]);
  }
  return hilo::numpy::stack(jacobians);
}

}  // namespace detail

/// Returns the forces of the ground on points: a spring that is damped along the normal, and smoothed Coulomb friction.
/// Shapes    positions, velocities f[k, 3] -> f[k, 3]
inline hilo::Array ground_forces(const SoftGround& ground, const hilo::Array& positions,
                                 const hilo::Array& velocities) {
  using namespace hilo;
  const Array depth = numpy::maximum(-positions(all, 2), 0);
  const Array normal = ground.stiffness * depth * numpy::maximum(1 - ground.damping * velocities(all, 2), 0);
  const Array along = velocities(all, range(0, 2));
  const Array speed = numpy::sqrt(numpy::sum(along * along, 1) + ground.slip * ground.slip);
  return numpy::concatenate({-along * (ground.friction * normal / speed)(all, newaxis), normal(all, newaxis)}, 1);
}

/// Returns the state after a step of semi-implicit Euler with the forces of a soft ground.
inline State step_with_springs(const Model& model, const SoftGround& ground, const Feet& feet, const State& state,
                               const hilo::Array& torque, double step, Form form = Form::kScan) {
  using namespace hilo;
  const Pose poses = robotics::forward_kinematics(model, state.q, form);
  const auto [points, rotations] = detail::points_of(poses, feet);
  const Array jacobians = detail::point_jacobians(model, poses, feet, points);
  const Array forces = robotics::ground_forces(ground, points, numpy::matmul(jacobians, state.speed));
  const Array of_ground = numpy::einsum("kin,ki->n", {jacobians, forces});
  const Array speed =
      state.speed + step * robotics::forward_dynamics(model, state.q, state.speed, torque + of_ground, {.form = form});
  return {state.q + step * speed, speed};
}

/// Returns impulses of contacts f >= 0 along normals, within the friction pyramid, that solve
/// matrix f + speeds >= 0 with f = 0 where this is positive: projected Gauss-Seidel. Points in the air have f = 0.
/// Shapes    matrix f[k, 3, k, 3], speeds f[k, 3], touches pred[k] -> f[k, 3]
inline hilo::Array contact_impulses(const HardGround& ground, const hilo::Array& matrix, const hilo::Array& speeds,
                                    const hilo::Array& touches) {
  using namespace hilo;
  const int64_t points = speeds.shape(0);
  const auto sweep = [&](const Array&, const Array& start) {
    Array f = start;
    for (int64_t k = 0; k < points; ++k) {
      for (const int64_t axis : {2, 0, 1}) {
        const Array diagonal = matrix(k, axis, k, axis), moves = diagonal > 1e-12;
        const Array left = numpy::sum(matrix(k, axis) * f) + speeds(k, axis);
        const Array free = f(k, axis) - numpy::where(moves, left / numpy::where(moves, diagonal, 1), 0);
        const Array most = ground.friction * f(k, 2);
        const Array within = axis == 2 ? numpy::maximum(free, 0) : numpy::clip(free, -most, most);
        f = f.at(k, axis).set(numpy::where(touches[k], within, 0));
      }
    }
    return f;
  };
  return lax::fori_loop(0, ground.sweeps, sweep, numpy::zeros_like(speeds));
}

/// Returns the state after a step whose impulses at the touching points leave no speed into the ground, and the
/// impulses, f[k, 3].
inline std::pair<State, hilo::Array> step_with_impulses(const Model& model, const HardGround& ground, const Feet& feet,
                                                        const State& state, const hilo::Array& torque, double step,
                                                        Form form = Form::kScan) {
  using namespace hilo;
  const int64_t k = static_cast<int64_t>(feet.rows.size()), n = model.size();
  const Pose poses = robotics::forward_kinematics(model, state.q, form);
  const Array points = detail::points_of(poses, feet).first;
  const Array jacobian = detail::point_jacobians(model, poses, feet, points).reshape({3 * k, n});
  const Array mass = robotics::mass_matrix(model, state.q, {.form = form});
  const Array bias = robotics::inverse_dynamics(model, state.q, state.speed, numpy::zeros_like(torque), {.form = form});
  // One system for the free acceleration and for what each impulse changes.
  const Array right = numpy::concatenate({(torque - bias)(all, newaxis), jacobian.T()}, 1);
  const Array solved = linalg::solve(mass, right);
  const Array free = state.speed + step * solved(all, 0), changes = solved(all, range(1, none));
  const Array matrix = numpy::matmul(jacobian, changes).reshape({k, 3, k, 3});
  const Array depth = -points(all, 2), touches = depth >= 0;
  const Array back = numpy::maximum(depth, 0) * (ground.correction / step);
  const Array speeds = numpy::matmul(jacobian, free).reshape({k, 3}) -
                       numpy::stack({numpy::zeros_like(back), numpy::zeros_like(back), back}, {.axis = 1});
  const Array impulses = robotics::contact_impulses(ground, matrix, speeds, touches);
  const Array speed = free + numpy::matmul(changes, impulses.reshape({3 * k}));
  return {State{state.q + step * speed, speed}, impulses};
}

}  // namespace robotics
