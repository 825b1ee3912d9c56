// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/initializers.h"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "hilo/array/refuse.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::nn::initializers {
namespace {

using numpy::Shape;
using random::Key;

Array in_type(const Array& x, ElementType type) { return ops::convert_element_type(x, type); }

/// Returns the product of the extents along axes; a negative axis counts from the end.
double extent(const Shape& shape, const Axes& axes) {
  double product = 1;
  if (!axes) return product;  // {} stands for no axes
  for (int64_t axis : *axes) {
    const int64_t at = axis < 0 ? axis + std::ssize(shape) : axis;
    if (at < 0 || at >= std::ssize(shape))
      refuse("variance_scaling", fmt::format("a weight of {} axes has no axis {}", shape.size(), axis));
    product *= static_cast<double>(shape[at]);
  }
  return product;
}

/// Returns the number of inputs, outputs or their mean, as `mode` specifies.
double count_of(const std::string& mode, const Shape& shape, const ScalingOptions& options) {
  double all = 1;
  for (int64_t size : shape) all *= static_cast<double>(size);
  const double in = extent(shape, options.in_axis), out = extent(shape, options.out_axis);
  const double receptive = all / in / out / extent(shape, options.batch_axis);
  const double fan_in = in * receptive, fan_out = out * receptive;
  if (mode == "fan_in") return fan_in;
  if (mode == "fan_out") return fan_out;
  if (mode == "fan_avg") return (fan_in + fan_out) / 2;
  if (mode == "fan_geo_avg") return std::sqrt(fan_in * fan_out);
  refuse("variance_scaling", fmt::format("got mode '{}', wanted fan_in, fan_out, fan_avg or fan_geo_avg", mode));
}

ElementType part_of(ElementType type) { return type == ElementType::kC128 ? ElementType::kF64 : ElementType::kF32; }

/// Samples complex numbers of random direction with radius(u) for uniform u.
template <typename Radius>
Array in_a_circle(const Key& key, const Shape& shape, ElementType type, Radius radius) {
  const std::vector<Key> keys = random::split(key);
  const Array r = in_type(radius(random::uniform(keys[0], shape, part_of(type))), type);
  const Array turn = 2 * std::numbers::pi * random::uniform(keys[1], shape, part_of(type));
  return r * numpy::exp(std::complex<double>(0, 1) * in_type(turn, type));
}

/// The standard deviations of normal distributions that are truncated at 2.
constexpr double kTruncated = .87962566103423978, kTruncatedComplex = .95311164380491208;

Array drawn(const Key& key, const Shape& shape, ElementType type, const Array& variance,
            const std::string& distribution) {
  const Array deviation = numpy::sqrt(variance);
  if (distribution == "normal") return random::normal(key, shape, type) * deviation;
  const bool complex = is_complex(type);
  if (distribution == "uniform") {
    if (!complex) return random::uniform(key, shape, type, -1.0) * numpy::sqrt(3 * variance);
    return in_a_circle(key, shape, type, [](const Array& u) { return numpy::sqrt(2 * u); }) * deviation;
  }
  if (distribution != "truncated_normal")
    refuse("variance_scaling",
           fmt::format("got distribution '{}', wanted truncated_normal, normal or uniform", distribution));
  if (!complex) return random::truncated_normal(key, -2, 2, shape, type) * (deviation / in_type(kTruncated, type));
  const auto radius = [](const Array& u) { return numpy::sqrt(-numpy::log(1 - (1 - std::exp(-4.0)) * u)); };
  return in_a_circle(key, shape, type, radius) * (deviation / in_type(kTruncatedComplex, type));
}

Initializer scaling(double scale, const char* mode, const char* distribution, const ScalingOptions& options) {
  return variance_scaling(scale, mode, distribution, options);
}

Array orthogonal_of(const Key& key, const Shape& shape, ElementType type, const OrthogonalOptions& options) {
  if (shape.size() < 2) refuse("orthogonal", fmt::format("wanted a shape of at least 2 axes; got {}", shape.size()));
  const int64_t rank = std::ssize(shape),
                at = options.column_axis < 0 ? options.column_axis + rank : options.column_axis;
  if (at < 0 || at >= rank) refuse("orthogonal", fmt::format("no column_axis {} of {}", options.column_axis, rank));
  int64_t size = 1;
  for (int64_t axis : shape) size *= axis;
  if (size == 0) return numpy::zeros(shape, type);
  const int64_t columns = shape[at];
  const Array q = random::orthogonal(key, size / columns, {}, type, columns);
  Shape apart = shape;
  apart.erase(apart.begin() + at);
  apart.push_back(columns);
  return in_type(options.scale, type) * numpy::moveaxis(numpy::reshape(q, apart), -1, at);
}

Array delta_orthogonal_of(const Key& key, const Shape& shape, ElementType type, const OrthogonalOptions& options) {
  const size_t rank = shape.size();
  if (rank < 3 || rank > 5) refuse("delta_orthogonal", fmt::format("wanted a shape of 3 to 5 axes; got {}", rank));
  if (shape[rank - 1] < shape[rank - 2])
    refuse("delta_orthogonal",
           fmt::format("wanted no more inputs than outputs; got {} and {}", shape[rank - 2], shape[rank - 1]));
  const Array matrix = orthogonal_of(key, {shape[rank - 2], shape[rank - 1]}, type, options);
  Shape ones(std::vector<int64_t>(rank - 2, 1));
  ones.insert(ones.end(), {shape[rank - 2], shape[rank - 1]});
  std::vector<hlo::PaddingDimension> padding(rank);
  for (size_t d = 0; d + 2 < rank; ++d) padding[d] = {(shape[d] - 1) / 2, shape[d] - 1 - (shape[d] - 1) / 2, 0};
  return ops::pad(numpy::reshape(matrix, ones), ops::scalar(0, type), std::move(padding));
}

}  // namespace

Array Initializer::operator()(const Key& key, const Shape& shape, Dtype dtype, numpy::Line line) const {
  const UserLocation here(line);
  const ElementType type = numpy::type_or("initializer", dtype ? dtype : dtype_, default_float());
  if (!is_floating(type) && !is_complex(type))
    refuse("initializer", fmt::format("dtype must be a float or complex type; got {}", element_type_name(type)));
  return function_(key, shape, type);
}

Array zeros(const Key&, const Shape& shape, Dtype dtype, numpy::Line line) {
  return numpy::zeros(shape, numpy::DtypeOptions{dtype}, line);
}
Array ones(const Key&, const Shape& shape, Dtype dtype, numpy::Line line) {
  return numpy::ones(shape, numpy::DtypeOptions{dtype}, line);
}

Initializer constant(const Operand& value, Dtype dtype) {
  const Array fill = value;
  return {[fill](const Key&, const Shape& shape, ElementType type) { return numpy::full(shape, fill, type); }, dtype};
}

Initializer uniform(const UniformOptions& options) {
  return {[options](const Key& key, const Shape& shape, ElementType type) {
            return random::uniform(key, shape, type) * in_type(options.scale, type);
          },
          options.dtype};
}

Initializer normal(const NormalOptions& options) {
  return {[options](const Key& key, const Shape& shape, ElementType type) {
            return random::normal(key, shape, type) * in_type(options.stddev, type);
          },
          options.dtype};
}

Initializer truncated_normal(const TruncatedNormalOptions& options) {
  return {[options](const Key& key, const Shape& shape, ElementType type) {
            return random::truncated_normal(key, options.lower, options.upper, shape, type) *
                   in_type(options.stddev, type);
          },
          options.dtype};
}

Initializer variance_scaling(const Operand& scale, std::string mode, std::string distribution,
                             const ScalingOptions& options) {
  const Array factor = scale;
  return {[=](const Key& key, const Shape& shape, ElementType type) {
            if (shape.size() < 2 && !options.in_axis.is_list() && options.in_axis && (*options.in_axis)[0] == -2)
              refuse("variance_scaling", "a weight of fewer than 2 axes has no in_axis -2. Hint: name the axis");
            const Array variance = in_type(factor / count_of(mode, shape, options), type);
            return drawn(key, shape, type, variance, distribution);
          },
          options.dtype};
}

Initializer glorot_uniform(const ScalingOptions& options) { return scaling(1, "fan_avg", "uniform", options); }
Initializer glorot_normal(const ScalingOptions& options) { return scaling(1, "fan_avg", "truncated_normal", options); }
Initializer xavier_uniform(const ScalingOptions& options) { return glorot_uniform(options); }
Initializer xavier_normal(const ScalingOptions& options) { return glorot_normal(options); }
Initializer lecun_uniform(const ScalingOptions& options) { return scaling(1, "fan_in", "uniform", options); }
Initializer lecun_normal(const ScalingOptions& options) { return scaling(1, "fan_in", "truncated_normal", options); }
Initializer he_uniform(const ScalingOptions& options) { return scaling(2, "fan_in", "uniform", options); }
Initializer he_normal(const ScalingOptions& options) { return scaling(2, "fan_in", "truncated_normal", options); }
Initializer kaiming_uniform(const ScalingOptions& options) { return he_uniform(options); }
Initializer kaiming_normal(const ScalingOptions& options) { return he_normal(options); }

Initializer orthogonal(const OrthogonalOptions& options) {
  return {[options](const Key& key, const Shape& shape, ElementType type) {
            return orthogonal_of(key, shape, type, options);
          },
          options.dtype};
}

Initializer delta_orthogonal(const OrthogonalOptions& options) {
  return {[options](const Key& key, const Shape& shape, ElementType type) {
            return delta_orthogonal_of(key, shape, type, options);
          },
          options.dtype};
}

}  // namespace hilo::nn::initializers
