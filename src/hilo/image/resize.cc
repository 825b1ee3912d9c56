// SPDX-License-Identifier: Apache-2.0
#include "hilo/image/resize.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "hilo/array/refuse.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::image {
namespace {

/// The Lanczos kernel: sinc(x) sinc(x / radius).
/// Source    Duchon, "Lanczos filtering in one and two dimensions" (1979)
Array lanczos(double radius, const Array& x) {
  constexpr double kPi = std::numbers::pi;
  const Array y = radius * numpy::sin(kPi * x) * numpy::sin(kPi * x / radius);
  const Array safe = numpy::where(x != 0, kPi * kPi * numpy::square(x), 1);
  return numpy::where(x > radius, 0.0, numpy::where(x > 1e-3, y / safe, 1));
}

/// The cubic kernel with parameter a.
/// Source    Keys, "Cubic convolution interpolation for digital image processing" (1981)
Array cubic(double a, const Array& x) {
  const Array near = ((a + 2) * x - (a + 3)) * x * x + 1.0;
  const Array far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return numpy::where(x >= 2.0, 0.0, numpy::where(x >= 1.0, far, near));
}

Array kernel(ResizeMethod method, const Array& x) {
  switch (method) {
    case ResizeMethod::LINEAR: return numpy::maximum(0, 1 - numpy::abs(x));
    case ResizeMethod::LANCZOS3: return lanczos(3, x);
    case ResizeMethod::LANCZOS5: return lanczos(5, x);
    case ResizeMethod::CUBIC: return cubic(-0.5, x);
    case ResizeMethod::CUBIC_PYTORCH: return cubic(-0.75, x);
    case ResizeMethod::NEAREST:
    case ResizeMethod::AREA: break;
  }
  refuse("resize", "this method has no kernel");
}

/// The sampling along one axis: output i is at input (i + 0.5 - translation) * inverse - 0.5.
struct Sampling {
  int64_t input, output;
  Array inverse, translation;
};

/// Returns the fraction of output i that input j covers: [inputs, outputs].
Array overlap(const Sampling& s, ElementType type) {
  const Array left = numpy::arange(s.output, type) * s.inverse - s.translation * s.inverse, right = left + s.inverse;
  const Array begin = numpy::expand_dims(numpy::arange(s.input, type), 1), end = begin + 1.0;
  return numpy::maximum(0.0, numpy::minimum(right, end) - numpy::maximum(left, begin));
}

/// Scales columns to sum to 1; columns with a sum near 0 become 0.
Array normalised(const Array& weights) {
  const Array total = numpy::sum(weights, {.axis = 0, .keepdims = true});
  const Array enough = numpy::abs(total) > 1000 * static_cast<double>(std::numeric_limits<float>::epsilon());
  return numpy::where(enough, weights / numpy::where(total != 0, total, 1), 0);
}

/// Returns the weight of each input in each output: [inputs, outputs]. With `repeat_edges`, the first and last inputs
/// extend beyond the ends.
Array weights_of(const Sampling& s, ResizeMethod method, bool antialias, bool repeat_edges, ElementType type) {
  if (method == ResizeMethod::AREA && !repeat_edges) {
    const Array sample = (numpy::arange(s.output, type) + 0.5) * s.inverse - s.translation * s.inverse - 0.5;
    const Array inside = numpy::logical_and(sample >= -0.5, sample <= static_cast<double>(s.input) - 0.5);
    return numpy::where(inside, normalised(overlap(s, type)), 0);
  }
  const Array sample = (numpy::arange(s.output, type) + 0.5) * s.inverse - s.translation * s.inverse - 0.5;
  const int64_t more = repeat_edges ? 2 : 0;
  const Array places = numpy::expand_dims(numpy::arange(-more, s.input + more, type), 1);
  Array x = numpy::abs(sample - places);
  if (antialias) x = x / numpy::maximum(s.inverse, 1.0);
  const Array raw = kernel(method, x);
  if (repeat_edges) {
    const Array place = numpy::astype(numpy::clip(numpy::ravel(places), 0, s.input - 1), ElementType::kS32);
    return normalised(numpy::zeros({s.input, s.output}, type).at(place).add(raw));
  }
  const Array inside = numpy::logical_and(sample >= -0.5, sample <= static_cast<double>(s.input) - 0.5);
  return numpy::where(inside, normalised(raw), 0);
}

Array nearest(Array x, const numpy::Shape& shape) {
  for (int64_t d = 0; d < x.ndim(); ++d) {
    const int64_t from = x.shape(d), to = shape[d];
    if (from == to) continue;
    const Array place =
        (numpy::arange(to, ElementType::kF32) + 0.5) * static_cast<double>(from) / static_cast<double>(to);
    x = numpy::take(x, numpy::astype(numpy::floor(place), ElementType::kS32), d);
  }
  return x;
}

void check_rank(const char* function, const Array& image, const numpy::Shape& shape) {
  if (std::ssize(shape) != image.ndim())
    refuse(function, fmt::format("the shape has {} extents; got {}", shape.size(), image.aval_shape().to_string()));
}

/// Resamples one axis after another.
Array resampled(Array image, const std::vector<std::pair<int64_t, Sampling>>& axes, ResizeMethod method, bool antialias,
                ElementType type) {
  const bool repeat_edges = method == ResizeMethod::CUBIC_PYTORCH && !antialias;
  const ResizeMethod used = method == ResizeMethod::CUBIC_PYTORCH && antialias ? ResizeMethod::CUBIC : method;
  for (const auto& [axis, sampling] : axes) {
    const Array weights = numpy::astype(weights_of(sampling, used, antialias, repeat_edges, type), image.dtype());
    image = numpy::moveaxis(numpy::tensordot(image, weights, {axis, 0}), -1, axis);
  }
  return image;
}

}  // namespace

Method::Method(const char* word, std::source_location location) {
  struct Row {
    std::string_view word;
    ResizeMethod method;
  };
  constexpr Row kWords[] = {{"nearest", ResizeMethod::NEAREST},
                            {"linear", ResizeMethod::LINEAR},
                            {"bilinear", ResizeMethod::LINEAR},
                            {"trilinear", ResizeMethod::LINEAR},
                            {"triangle", ResizeMethod::LINEAR},
                            {"lanczos3", ResizeMethod::LANCZOS3},
                            {"lanczos5", ResizeMethod::LANCZOS5},
                            {"cubic", ResizeMethod::CUBIC},
                            {"bicubic", ResizeMethod::CUBIC},
                            {"tricubic", ResizeMethod::CUBIC},
                            {"cubic-pytorch", ResizeMethod::CUBIC_PYTORCH},
                            {"bicubic-pytorch", ResizeMethod::CUBIC_PYTORCH},
                            {"area", ResizeMethod::AREA}};
  for (const Row& row : kWords) {
    if (row.word == word) {
      method_ = row.method;
      return;
    }
  }
  or_throw(invalid_argument("method (" + describe_location(location) + "): got '" + std::string(word) +
                            "', wanted nearest, linear, cubic, cubic-pytorch, lanczos3, lanczos5 or area"));
}

Array resize(const Operand& image, const numpy::Shape& shape, const Method& method, const ResizeOptions& options) {
  const UserLocation here(image.location());
  check_rank("resize", image, shape);
  if (method.method() == ResizeMethod::NEAREST) return nearest(image, shape);
  const Array x = numpy::promote_inexact(image);
  std::vector<std::pair<int64_t, Sampling>> axes;
  for (int64_t d = 0; d < x.ndim(); ++d) {
    const int64_t from = x.shape(d), to = shape[d];
    if (from == to) continue;
    const double inverse = to == 0 ? 1 : 1 / (static_cast<double>(to) / static_cast<double>(from));
    axes.emplace_back(d, Sampling{from, to, inverse, 0.0});
  }
  return resampled(x, axes, method.method(), options.antialias, default_float());
}

Array scale_and_translate(const Operand& image, const numpy::Shape& shape, const numpy::Shape& spatial_dims,
                          const Operand& scale, const Operand& translation, const Method& method,
                          const ResizeOptions& options) {
  const UserLocation here(image.location());
  check_rank("scale_and_translate", image, shape);
  if (method.method() == ResizeMethod::NEAREST) refuse("scale_and_translate", "method nearest is not supported");
  const Array x = numpy::promote_inexact(image);
  const auto [scales, shifts] = numpy::promote_inexact(scale, translation);
  const int64_t count = std::ssize(spatial_dims);
  if (scales.ndim() != 1 || scales.shape(0) != count)
    refuse("scale_and_translate",
           fmt::format("wanted scale and translation of {} numbers; got {} and {}", count,
                       scale.array().aval_shape().to_string(), translation.array().aval_shape().to_string()));
  std::vector<std::pair<int64_t, Sampling>> axes;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t d = numpy::normal_axis(x, spatial_dims[i]);
    axes.emplace_back(d, Sampling{x.shape(d), shape[d], 1.0 / scales[i], shifts[i]});
  }
  return resampled(x, axes, method.method(), options.antialias, scales.dtype());
}

}  // namespace hilo::image
