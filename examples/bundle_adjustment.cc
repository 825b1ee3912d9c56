// SPDX-License-Identifier: Apache-2.0
// examples/bundle_adjustment.cc -- where cameras stood and where points are, from pictures of the points:
// `bundle_adjustment [report.html]`. Source    Triggs et al., "Bundle Adjustment: A Modern Synthesis" (2000); Levenberg
// (1944), Marquardt (1963); Rodrigues (1840)
#include "examples/support/page.h"

using namespace hilo;

constexpr int64_t kCameras = 5, kPoints = 30;
constexpr float kNoise = 5e-4f;  // of a measurement; a picture is about 1 wide

struct Scene {
  Array rotations, translations;  // [cameras, 3]: axis times angle, and where the origin is
  Array points;                   // [points, 3]
};

Array cross(const Array& a, const Array& b) { return numpy::cross(a, b); }

// The point turned around the axis by its length.
Array rotate(const Array& axis, const Array& point) {
  const Array square = numpy::sum(numpy::square(axis)) + 1e-12f, angle = numpy::sqrt(square);
  const Array along = cross(axis, point);
  return point + numpy::sin(angle) / angle * along + (1 - numpy::cos(angle)) / square * cross(axis, along);
}

// Where a camera sees a point.
Array project(const Array& rotation, const Array& translation, const Array& point) {
  const Array seen = rotate(rotation, point) + translation;
  return seen[range(0, 2)] / seen[2];
}

// [cameras, points, 2]
Array pictures(const Scene& s) {
  const auto of_camera = vmap(project, {kNoAxis, kNoAxis, 0});
  return vmap(of_camera, {0, 0, kNoAxis})(s.rotations, s.translations, s.points);
}

// One damped step: the normal equations of what the pictures are off by.
std::pair<Array, Array> step(const Array& flat, const Array& damping,
                             const std::function<Array(const Array&)>& residuals) {
  const Array r = residuals(flat), j = jacfwd(residuals)(flat);
  const Array normal = numpy::matmul(numpy::transpose(j), j), slope = numpy::matmul(numpy::transpose(j), r);
  const Array damped = normal + damping * numpy::diag(numpy::diagonal(normal) + 1e-6f);
  return {flat - linalg::solve(damped, slope), numpy::dot(r, r)};
}

int main(int argc, char** argv) {
  const std::vector<random::Key> keys = random::split(random::key(0), 5);
  // Cameras on an arc around a cloud of points.
  const Array angles = numpy::linspace(-0.6, 0.6, kCameras), zero = numpy::zeros({kCameras});
  const Scene truth = {numpy::stack({0.3f * angles, angles, zero}, {.axis = 1}),
                       numpy::stack({0.2f * angles, zero, zero + 5.0f}, {.axis = 1}),
                       random::normal(keys[0], {kPoints, 3})};
  const Array seen = pictures(truth) + kNoise * random::normal(keys[1], {kCameras, kPoints, 2});
  const auto shaken = [&](const Array& x, size_t key, float size) {
    return x + size * random::normal(keys[key], x.shape());
  };
  const Scene start = {shaken(truth.rotations, 2, 0.05f), shaken(truth.translations, 3, 0.1f),
                       shaken(truth.points, 4, 0.2f)};

  const auto [flat_start, unravel] = flatten_util::ravel_pytree(start);
  const auto residuals = [&, &unravel = unravel](const Array& flat) {
    return numpy::reshape(pictures(unravel(flat)) - seen, {-1});
  };
  const auto try_step = jit([&](const Array& flat, const Array& damping) { return step(flat, damping, residuals); });
  const auto cost = jit([&](const Array& flat) { return numpy::sum(numpy::square(residuals(flat))); });

  // Damping goes down while steps help, and up where one doesn't.
  Array flat = flat_start;
  double damping = 1e-2, best = cost(flat).item<double>();
  std::vector<double> errors;
  const auto rms = [](double sum) { return std::sqrt(sum / (kCameras * kPoints * 2)); };
  for (int i = 0; i < 30; ++i) {
    errors.push_back(std::log10(rms(best)));
    const Array next = try_step(flat, numpy::array(static_cast<float>(damping))).first;
    const double after = cost(next).item<double>();
    const bool helps = after < best;
    damping = std::clamp(damping * (helps ? 0.3 : 4.0), 1e-6, 1e3);
    if (helps) flat = next, best = after;
  }
  const Scene found = unravel(flat);

  // The scene is known but for where it is as a whole and how large: distances between points, by their mean, tell.
  const auto distances = [](const Array& points) {
    const Array apart = numpy::expand_dims(points, 1) - numpy::expand_dims(points, 0);
    const Array lengths = numpy::sqrt(numpy::sum(numpy::square(apart), 2));
    return lengths / numpy::mean(lengths);
  };
  const double shape = numpy::max(numpy::abs(distances(found.points) - distances(truth.points))).item<double>();
  const auto axis = [](const Array& picture, int64_t i) { return examples::numbers(picture(all, i)); };
  examples::Page page("Bundle adjustment");
  page.chart("log10 of what pictures are off by", {examples::curve("error", errors)});
  const Array before = pictures(start)[0], after = pictures(found)[0];
  page.chart("the first camera's picture", {{"seen", axis(seen[0], 0), axis(seen[0], 1), true},
                                            {"as it began", axis(before, 0), axis(before, 1), true},
                                            {"as it ended", axis(after, 0), axis(after, 1), true}});
  std::printf("pictures are off by %.2g (%.2g at first, noise %.2g), distances of points by %.2g of their mean\n",
              rms(best), std::pow(10, errors.front()), static_cast<double>(kNoise), shape);
  return examples::finish(page, argc, argv, "bundle adjustment",
                          rms(best) < 1.2 * static_cast<double>(kNoise) && shape < 0.02);
}
