// SPDX-License-Identifier: Apache-2.0
// examples/bundle_adjustment.cc -- where cameras stood and where points are, from pictures of the points:
// `bundle_adjustment [report.html]`. Source    Triggs et al., "Bundle Adjustment: A Modern Synthesis" (2000); Levenberg
// (1944), Marquardt (1963); Rodrigues (1840)
#include "examples/support/page.h"

using namespace hilo;
using namespace hilo::scipy::optimize;

constexpr int64_t kCameras = 5, kPoints = 30;
constexpr float kNoise = 5e-4f;  // of a measurement; a picture is about 1 wide

Array cross(const Array& a, const Array& b) { return numpy::cross(a, b); }

// The point turned around the axis by its length.
Array rotate(const Array& axis, const Array& point) {
  const Array square = numpy::sum(numpy::square(axis)) + 1e-12f, angle = numpy::sqrt(square);
  const Array along = cross(axis, point);
  return point + numpy::sin(angle) / angle * along + (1 - numpy::cos(angle)) / square * cross(axis, along);
}

// Where a camera sees a point. A camera is its rotation, axis times angle, and where the origin is.
Array project(const Array& camera, const Array& point) {
  const Array seen = rotate(camera[range(0, 3)], point) + camera[range(3, 6)];
  return seen[range(0, 2)] / seen[2];
}

Array off(const Array& camera, const Array& point, const Array& seen) { return project(camera, point) - seen; }

int main(int argc, char** argv) {
  const std::vector<random::Key> keys = random::split(random::key(0), 5);
  // Cameras on an arc around a cloud of points. Each sees all points.
  const Array angles = numpy::linspace(-0.6, 0.6, kCameras), zero = numpy::zeros({kCameras});
  const Array cameras = numpy::stack({0.3f * angles, angles, zero, 0.2f * angles, zero, zero + 5.0f}, {.axis = 1});
  const Array points = random::normal(keys[0], {kPoints, 3});
  const Array camera_of = numpy::repeat(numpy::arange(kCameras), kPoints);
  const Array point_of = numpy::tile(numpy::arange(kPoints), {kCameras});
  const auto pictures = [&](const Array& cameras, const Array& points) {
    return vmap(project)(cameras[camera_of], points[point_of]);
  };
  const Array seen = pictures(cameras, points) + kNoise * random::normal(keys[1], {kCameras * kPoints, 2});
  const auto shaken = [&](const Array& x, size_t key, float size) {
    return x + size * random::normal(keys[key], x.shape());
  };
  const std::vector<Array> start = {shaken(cameras, 2, 0.05f), shaken(points, 3, 0.2f)};

  const auto residuals = residual_blocks(off, {{0, camera_of}, {1, point_of}}, seen);
  const auto try_step = jit([&](const std::vector<Array>& x, const Array& damping) {
    return block_gauss_newton_step({residuals}, x, damping);
  });

  // Damping goes down while steps help, and up where one doesn't. A step returns the cost before it.
  std::vector<Array> x = start, next = start;
  float damping = 1e-2f;
  double best = 1e30;
  std::vector<double> errors;
  const auto rms = [](double cost) { return std::sqrt(2 * cost / (kCameras * kPoints * 2)); };
  for (int i = 0; i < 30; ++i) {
    const BlockStep step = try_step(next, numpy::array(damping));
    const double cost = step.cost.item<double>();
    const bool helps = cost < best;
    damping = std::clamp(damping * (helps ? 0.3f : 4.0f), 1e-6f, 1e3f);
    if (helps) x = next, best = cost, next = step.x;
    else next = try_step(x, numpy::array(damping)).x;
    errors.push_back(std::log10(rms(best)));
  }

  // The scene is known but for where it is as a whole and how large: distances between points, by their mean, tell.
  const auto distances = [](const Array& points) {
    const Array apart = numpy::expand_dims(points, 1) - numpy::expand_dims(points, 0);
    const Array lengths = numpy::sqrt(numpy::sum(numpy::square(apart), 2));
    return lengths / numpy::mean(lengths);
  };
  const double shape = numpy::max(numpy::abs(distances(x[1]) - distances(points))).item<double>();
  const auto axis = [](const Array& picture, int64_t i) { return examples::numbers(picture(range(0, kPoints), i)); };
  examples::Page page("Bundle adjustment");
  page.chart("log10 of what pictures are off by", {examples::curve("error", errors)});
  const Array before = pictures(start[0], start[1]), after = pictures(x[0], x[1]);
  page.chart("the first camera's picture", {{"seen", axis(seen, 0), axis(seen, 1), true},
                                            {"as it began", axis(before, 0), axis(before, 1), true},
                                            {"as it ended", axis(after, 0), axis(after, 1), true}});
  std::printf("pictures are off by %.2g (%.2g at first, noise %.2g), distances of points by %.2g of their mean\n",
              rms(best), std::pow(10, errors.front()), static_cast<double>(kNoise), shape);
  return examples::finish(page, argc, argv, "bundle adjustment",
                          rms(best) < 1.2 * static_cast<double>(kNoise) && shape < 0.02);
}
