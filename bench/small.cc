// SPDX-License-Identifier: Apache-2.0
// bench/small.cc -- small programs of control, robotics and estimation, in f64: "row<TAB>microseconds<TAB>sum of the
// results". bench/small/ has the same programs for CasADi, Pinocchio and Eigen; their sums must be equal.
#include <cstdio>
#include <functional>
#include <tuple>

#include "bench/timing.h"
#include "hilo/hilo.h"

using namespace hilo;
namespace np = hilo::numpy;

namespace {

constexpr int64_t kJoints = 7;
constexpr int64_t kBatch = 1024;

/// Numbers that all programs compute: sin(seed + 1.7 k) for element k.
Array wave(double seed, const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return np::sin(seed + 1.7 * np::arange(0.0, static_cast<double>(count))).reshape(shape);
}

// A chain of seven revolute joints, in the spatial algebra of Featherstone, "Rigid Body Dynamics Algorithms" (2008).

struct Arm {
  Array axis, origin, inertia;
  HILO_TREE(axis, origin, inertia)
};

Array skew(const Array& v) { return np::array({{0.0, -v[2], v[1]}, {v[2], 0.0, -v[0]}, {-v[1], v[0], 0.0}}); }

Array spatial_inertia(const Array& mass, const Array& center, const Array& diagonal) {
  const Array c = skew(center);
  return np::block({{np::diag(diagonal) - mass * np::matmul(c, c), mass * c}, {-mass * c, mass * np::eye(3)}});
}

Arm make_arm() {
  const Array z = np::array({0.0, 0.0, 1.0}), y = np::array({0.0, 1.0, 0.0});
  const Array mass = np::array({4.0, 3.5, 3.0, 2.5, 1.7, 1.2, 0.4});
  const Array center = np::tile(np::array({0.01, -0.02, 0.11}), {kJoints, 1});
  const Array diagonal = 0.01 * np::outer(mass, np::array({1.0, 0.9, 0.4}));
  return {np::stack({z, y, z, y, z, y, z}), np::tile(np::array({0.0, 0.0, 0.2}), {kJoints, 1}),
          vmap(spatial_inertia)(mass, center, diagonal)};
}

Array motion_cross(const Array& v) {
  const Array w = skew(v[range(0, 3)]);
  return np::block({{w, np::zeros({3, 3})}, {skew(v[range(3, 6)]), w}});
}

/// The transform of motions from a joint's parent to the joint.
Array transform(const Array& axis, const Array& origin, const Array& q) {
  const Array k = skew(axis);
  const Array e = np::eye(3) - np::sin(q) * k + (1.0 - np::cos(q)) * np::matmul(k, k);
  return np::block({{e, np::zeros({3, 3})}, {-np::matmul(e, skew(origin)), e}});
}

struct Joints {
  Array x, s;  ///< transforms [7,6,6] and axes of motion [7,6]
  HILO_TREE(x, s)
};

Joints joints_at(const Arm& arm, const Array& q) {
  return {vmap(transform)(arm.axis, arm.origin, q), np::concatenate({arm.axis, np::zeros_like(arm.axis)}, 1)};
}

const Array& gravity() {
  static const Array up = np::array({0.0, 0.0, 0.0, 0.0, 0.0, 9.81});
  return up;
}

/// The torques of accelerations qdd.
Array inverse_dynamics(const Arm& arm, const Array& q, const Array& qd, const Array& qdd) {
  const Joints joints = joints_at(arm, q);
  const auto outward = [](const auto& carry, const auto& joint) {
    const auto& [v, a] = carry;
    const auto& [x, s, inertia, qd, qdd] = joint;
    const Array velocity = np::matmul(x, v) + s * qd, cross = motion_cross(velocity);
    const Array acceleration = np::matmul(x, a) + s * qdd + np::matmul(cross, s * qd);
    const Array force = np::matmul(inertia, acceleration) - np::matmul(cross.T(), np::matmul(inertia, velocity));
    return std::pair(std::pair(velocity, acceleration), force);
  };
  const auto forces =
      lax::scan(outward, std::pair(np::zeros({6}), gravity()), std::tuple(joints.x, joints.s, arm.inertia, qd, qdd))
          .second;
  const auto inward = [](const Array& child, const auto& joint) {
    const auto& [x, s, force] = joint;
    const Array total = force + child;
    return std::pair(np::matmul(x.T(), total), np::dot(s, total));
  };
  return lax::scan(inward, np::zeros({6}), std::tuple(joints.x, joints.s, forces), {.reverse = true}).second;
}

/// The accelerations of torques: the articulated body algorithm.
Array forward_dynamics(const Arm& arm, const Array& q, const Array& qd, const Array& torque) {
  const Joints joints = joints_at(arm, q);
  const auto velocities = [](const Array& v, const auto& joint) {
    const auto& [x, s, inertia, qd] = joint;
    const Array velocity = np::matmul(x, v) + s * qd, cross = motion_cross(velocity);
    return std::pair(velocity,
                     std::pair(np::matmul(cross, s * qd), -np::matmul(cross.T(), np::matmul(inertia, velocity))));
  };
  const auto [coriolis, bias] =
      lax::scan(velocities, np::zeros({6}), std::tuple(joints.x, joints.s, arm.inertia, qd)).second;
  const auto inertias = [](const auto& child, const auto& joint) {
    const auto& [x, s, inertia, coriolis, bias, torque] = joint;
    const Array articulated = inertia + child.first, force = bias + child.second;
    const Array u = np::matmul(articulated, s), d = np::dot(s, u), rest = torque - np::dot(s, force);
    const Array passed = articulated - np::outer(u, u) / d;
    const Array passed_force = force + np::matmul(passed, coriolis) + u * (rest / d);
    return std::pair(std::pair(np::matmul(x.T(), np::matmul(passed, x)), np::matmul(x.T(), passed_force)),
                     std::tuple(u, d, rest));
  };
  const auto [u, d, rest] =
      lax::scan(inertias, std::pair(np::zeros({6, 6}), np::zeros({6})),
                std::tuple(joints.x, joints.s, arm.inertia, coriolis, bias, torque), {.reverse = true})
          .second;
  const auto accelerations = [](const Array& a, const auto& joint) {
    const auto& [x, s, coriolis, u, d, rest] = joint;
    const Array along = np::matmul(x, a) + coriolis, qdd = (rest - np::dot(u, along)) / d;
    return std::pair(along + s * qdd, qdd);
  };
  return lax::scan(accelerations, gravity(), std::tuple(joints.x, joints.s, coriolis, u, d, rest)).second;
}

/// The composite rigid body algorithm.
Array mass_matrix(const Arm& arm, const Array& q) {
  const Joints joints = joints_at(arm, q);
  const auto composites = [](const Array& child, const auto& joint) {
    const auto& [x, inertia] = joint;
    const Array composite = inertia + child;
    return std::pair(np::matmul(x.T(), np::matmul(composite, x)), composite);
  };
  const Array composite =
      lax::scan(composites, np::zeros({6, 6}), std::tuple(joints.x, arm.inertia), {.reverse = true}).second;
  Array matrix = np::zeros({kJoints, kJoints});
  for (int64_t i = 0; i < kJoints; ++i) {
    Array force = np::matmul(composite[i], joints.s[i]);
    for (int64_t j = i; j >= 0; --j) {
      const Array entry = np::dot(force, joints.s[j]);
      matrix = matrix.at(i, j).set(entry);
      matrix = matrix.at(j, i).set(entry);
      force = np::matmul(joints.x[j].T(), force);
    }
  }
  return matrix;
}

// Estimation and control.

struct Belief {
  Array mean, covariance;
  HILO_TREE(mean, covariance)
};

/// Position, velocity and wind in three dimensions, with a drag that is quadratic.
Array flight(const Array& x) {
  const Array position = x[range(0, 3)], velocity = x[range(3, 6)], wind = x[range(6, 9)];
  const Array through = velocity - wind;
  const Array drag = -0.1 * np::sqrt(np::sum(through * through)) * through;
  return np::concatenate({position + 0.01 * velocity, velocity + 0.01 * drag, 0.999 * wind});
}

/// Distances to three stations.
Array distances(const Array& x) {
  const Array stations = np::array({{10.0, 0.0, 0.0}, {0.0, 10.0, 0.0}, {0.0, 0.0, 10.0}});
  const Array apart = x[range(0, 3)] - stations;
  return np::sqrt(np::sum(apart * apart, 1));
}

/// A step of an extended Kalman filter.
Belief filter(const Belief& belief, const Array& measured) {
  const Array f = jacfwd(flight)(belief.mean), predicted = flight(belief.mean);
  const Array p = np::matmul(np::matmul(f, belief.covariance), f.T()) + 0.001 * np::eye(9);
  const Array h = jacfwd(distances)(predicted), hp = np::matmul(h, p);
  const Array s = np::matmul(hp, h.T()) + 0.01 * np::eye(3);
  const Array gain = np::linalg::solve(s, hp).T();
  return {predicted + np::matmul(gain, measured - distances(predicted)), p - np::matmul(gain, hp)};
}

/// Thirty steps of the Riccati recursion, of six states and two inputs.
Array riccati(const Array& a, const Array& b) {
  return lax::fori_loop(
      0, 30,
      [&](const Array&, const Array& p) {
        const Array pa = np::matmul(p, a), pb = np::matmul(p, b);
        const Array gain = np::linalg::solve(np::eye(2) + np::matmul(b.T(), pb), np::matmul(b.T(), pa));
        return np::eye(6) + np::matmul(a.T(), pa) - np::matmul(np::matmul(a.T(), pb), gain);
      },
      np::eye(6));
}

// Bundle adjustment: cameras are rotations, axis times angle, and translations.

Array turned(const Array& axis, const Array& point) {
  const Array square = np::sum(axis * axis) + 1e-12, angle = np::sqrt(square), along = np::cross(axis, point);
  return point + np::sin(angle) / angle * along + (1.0 - np::cos(angle)) / square * np::cross(axis, along);
}

Array picture(const Array& camera, const Array& point) {
  const Array seen = turned(camera[range(0, 3)], point) + camera[range(3, 6)];
  return seen[range(0, 2)] / seen[2];
}

/// A scene in which each point is seen by the same number of cameras.
struct Scene {
  std::vector<Array> x;  ///< cameras and points
  std::vector<scipy::optimize::ResidualBlocks> residuals;
};

Scene scene(int64_t cameras, int64_t points, int64_t pictures_of_point) {
  std::vector<int64_t> of_camera, of_point;
  for (int64_t p = 0; p < points; ++p) {
    for (int64_t k = 0; k < pictures_of_point; ++k) {
      of_camera.push_back((7 * p + k * (cameras / pictures_of_point)) % cameras);
      of_point.push_back(p);
    }
  }
  const Array camera = np::array(of_camera), point = np::array(of_point);
  const std::vector<Array> x = {0.1 * wave(1, {cameras, 6}) + np::array({0.0, 0.0, 0.0, 0.0, 0.0, 5.0}),
                                wave(2, {points, 3})};
  const Array seen = vmap(picture)(x[0][camera], x[1][point]) + 0.01 * wave(3, {camera.size(), 2});
  const auto off = [](const Array& c, const Array& p, const Array& s) { return picture(c, p) - s; };
  return {x, {scipy::optimize::residual_blocks(off, {{0, camera}, {1, point}}, seen)}};
}

// Rows.

template <typename Results>
double sum_of(const Results& results) {
  double sum = 0;
  for (const Array& leaf : tree_leaves(results)) sum += np::sum(leaf).template item<double>();
  return sum;
}

template <typename Function, typename... Args>
void row(const char* name, const Function& function, const Args&... args) {
  const auto compiled = jit(function);
  const double sum = sum_of(compiled(args...));
  std::printf("%s\t%.4f\t%.12g\n", name, bench::median_microseconds([&] { compiled(args...); }), sum);
  std::fflush(stdout);
}

void robot_rows(const Arm& arm) {
  const auto rnea = [arm](const Array& q, const Array& qd, const Array& qdd) {
    return inverse_dynamics(arm, q, qd, qdd);
  };
  const auto aba = [arm](const Array& q, const Array& qd, const Array& torque) {
    return forward_dynamics(arm, q, qd, torque);
  };
  const auto crba = [arm](const Array& q) { return mass_matrix(arm, q); };
  const Array q = wave(1, {kJoints}), qd = wave(2, {kJoints}), last = wave(3, {kJoints});
  row("inverse_dynamics", rnea, q, qd, last);
  row("inverse_dynamics_jacobian", jacfwd<0, 1>(rnea), q, qd, last);
  row("forward_dynamics", aba, q, qd, last);
  row("forward_dynamics_jacobian", jacfwd<0, 1, 2>(aba), q, qd, last);
  row("mass_matrix", crba, q);
  const Array many = wave(1, {kBatch, kJoints}), speeds = wave(2, {kBatch, kJoints}),
              lasts = wave(3, {kBatch, kJoints});
  row("inverse_dynamics_x1024", vmap(rnea), many, speeds, lasts);
  row("inverse_dynamics_jacobian_x1024", vmap(jacfwd<0, 1>(rnea)), many, speeds, lasts);
  row("forward_dynamics_x1024", vmap(aba), many, speeds, lasts);
}

void control_rows() {
  row("kalman_filter", filter, Belief{wave(4, {9}), np::eye(9)}, wave(5, {3}) + 10.0);
  row("riccati", riccati, 0.5 * wave(6, {6, 6}), wave(7, {6, 2}));
  row("solve_2", [](const Array& a, const Array& b) { return np::linalg::solve(a, b); }, wave(1, {2, 2}), wave(2, {2}));
  const Array w = 0.1 * wave(8, {64, 64}), v = 0.1 * wave(9, {64, 64});
  row("mlp_64", [w, v](const Array& x) { return np::matmul(v, np::tanh(np::matmul(w, x))); }, wave(1, {64}));
}

void bundle_rows() {
  for (const auto& [name, cameras, points, pictures_of_point] :
       {std::tuple("bundle_5_30_150", 5, 30, 5), std::tuple("bundle_20_300_1500", 20, 300, 5)}) {
    const Scene of = scene(cameras, points, pictures_of_point);
    const auto step = [of](const Array& c, const Array& p) {
      return scipy::optimize::block_gauss_newton_step(of.residuals, {c, p}, 1.0);
    };
    row(name, step, of.x[0], of.x[1]);
  }
}

}  // namespace

int main() {
  config().update("jax_enable_x64", true);
  robot_rows(make_arm());
  control_rows();
  bundle_rows();
}
