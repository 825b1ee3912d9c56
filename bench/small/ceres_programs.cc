// SPDX-License-Identifier: Apache-2.0
// bench/small/ceres_programs.cc -- the bundle adjustments of bench/small.cc with Ceres: "row<TAB>microseconds<TAB>sum".
// A step is one iteration of its solver, on one thread: Jacobian, Schur complement, and residuals after the step.
#include <ceres/ceres.h>
#include <ceres/rotation.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

namespace {

double wave(double seed, size_t k) { return std::sin(seed + 1.7 * static_cast<double>(k)); }

struct Off {
  double seen[2];
  template <typename T>
  bool operator()(const T* camera, const T* point, T* off) const {
    T turned[3];
    ceres::AngleAxisRotatePoint(camera, point, turned);
    for (int k = 0; k < 3; ++k) turned[k] += camera[3 + k];
    for (int k = 0; k < 2; ++k) off[k] = turned[k] / turned[2] - seen[k];
    return true;
  }
};

struct Scene {
  std::vector<double> cameras, points;
  std::vector<size_t> camera_of, point_of;
};

Scene scene(size_t cameras, size_t points, size_t pictures_of_point) {
  Scene s{std::vector<double>(6 * cameras), std::vector<double>(3 * points), {}, {}};
  for (size_t k = 0; k < s.cameras.size(); ++k) s.cameras[k] = 0.1 * wave(1, k) + (k % 6 == 5 ? 5 : 0);
  for (size_t k = 0; k < s.points.size(); ++k) s.points[k] = wave(2, k);
  for (size_t p = 0; p < points; ++p) {
    for (size_t k = 0; k < pictures_of_point; ++k) {
      s.camera_of.push_back((7 * p + k * (cameras / pictures_of_point)) % cameras);
      s.point_of.push_back(p);
    }
  }
  return s;
}

void add_pictures(Scene& s, ceres::Problem& problem) {
  for (size_t k = 0; k < s.camera_of.size(); ++k) {
    double *camera = &s.cameras[6 * s.camera_of[k]], *point = &s.points[3 * s.point_of[k]];
    auto* off = new Off{{0, 0}};
    double seen[2];
    (*off)(camera, point, seen);
    for (size_t i = 0; i < 2; ++i) off->seen[i] = seen[i] + 0.01 * wave(3, 2 * k + i);
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<Off, 2, 6, 3>(off), nullptr, camera, point);
  }
}

/// Returns the summary of one iteration from the scene's start.
ceres::Solver::Summary one_step(ceres::Problem& problem, ceres::LinearSolverType solver) {
  ceres::Solver::Options options;
  options.linear_solver_type = solver;
  options.num_threads = 1;
  options.max_num_iterations = 1;
  options.initial_trust_region_radius = 1;  // damping 1
  options.jacobi_scaling = false;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  return summary;
}

void row(const char* name, size_t cameras, size_t points, size_t pictures_of_point) {
  const Scene start = scene(cameras, points, pictures_of_point);
  Scene s = start;
  ceres::Problem problem;
  add_pictures(s, problem);
  double best = 1e300, sum = 0;
  for (ceres::LinearSolverType solver : {ceres::DENSE_SCHUR, ceres::SPARSE_SCHUR}) {
    std::vector<double> samples;
    for (int k = 0; k < 100; ++k) {
      std::ranges::copy(start.cameras, s.cameras.begin());
      std::ranges::copy(start.points, s.points.begin());
      const ceres::Solver::Summary summary = one_step(problem, solver);
      samples.push_back(1e6 * summary.iterations.back().iteration_time_in_seconds);
      sum = summary.initial_cost + std::accumulate(s.cameras.begin(), s.cameras.end(), 0.0) +
            std::accumulate(s.points.begin(), s.points.end(), 0.0);
    }
    std::ranges::nth_element(samples, samples.begin() + 50);
    best = std::min(best, samples[50]);
  }
  std::printf("%s\t%.4f\t%.12g\n", name, best, sum);
}

}  // namespace

int main() {
  row("bundle_5_30_150", 5, 30, 5);
  row("bundle_20_300_1500", 20, 300, 5);
}
