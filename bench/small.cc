// SPDX-License-Identifier: Apache-2.0
// bench/small.cc -- small programs of control, robotics and estimation, in f64: "row<TAB>microseconds<TAB>sum of the
// results". bench/small/ has the same programs for CasADi, Pinocchio, jaxlib and Eigen; their sums must be equal.
#include <cstdio>
#include <functional>
#include <tuple>

#include "bench/small/arm.h"
#include "bench/timing.h"
#include "examples/robotics/dynamics.h"
#include "hilo/hilo.h"

using namespace hilo;
namespace np = hilo::numpy;

namespace {

constexpr int64_t kJoints = 7;
constexpr int64_t kBatch = 4096;

/// Numbers that all programs compute: sin(seed + 1.7 k) for element k.
Array wave(double seed, const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return np::sin(seed + 1.7 * np::arange(0.0, static_cast<double>(count))).reshape(shape);
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

void robot_rows(const robotics::Model& arm) {
  const auto rnea = [arm](const Array& q, const Array& qd, const Array& qdd) {
    return robotics::inverse_dynamics(arm, q, qd, qdd);
  };
  const auto aba = [arm](const Array& q, const Array& qd, const Array& torque) {
    return robotics::forward_dynamics(arm, q, qd, torque);
  };
  const auto crba = [arm](const Array& q) { return robotics::mass_matrix(arm, q); };
  const Array q = wave(1, {kJoints}), qd = wave(2, {kJoints}), last = wave(3, {kJoints});
  row("inverse_dynamics", rnea, q, qd, last);
  row("inverse_dynamics_jacobian", jacfwd<0, 1>(rnea), q, qd, last);
  row("forward_dynamics", aba, q, qd, last);
  row("forward_dynamics_jacobian", jacfwd<0, 1, 2>(aba), q, qd, last);
  row("mass_matrix", crba, q);
  const Array many = wave(1, {kBatch, kJoints}), speeds = wave(2, {kBatch, kJoints}),
              lasts = wave(3, {kBatch, kJoints});
  row("inverse_dynamics_x4096", vmap(rnea), many, speeds, lasts);
  row("inverse_dynamics_jacobian_x4096", vmap(jacfwd<0, 1>(rnea)), many, speeds, lasts);
  row("forward_dynamics_x4096", vmap(aba), many, speeds, lasts);
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
  robot_rows(bench::make_arm());
  control_rows();
  bundle_rows();
}
