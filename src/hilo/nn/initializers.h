// SPDX-License-Identifier: Apache-2.0
// nn/initializers.h -- jax.nn.initializers: functions that make the first values of parameters.
#pragma once

#include <functional>

#include "hilo/random/random.h"

namespace hilo::nn::initializers {

using numpy::Dtype;

/// init(key, shape), init(key, shape, dtype): an array of first values.
class Initializer {
 public:
  using Function = std::function<Array(const random::Key&, const numpy::Shape&, ElementType)>;
  Initializer(Function function, Dtype dtype) : function_(std::move(function)), dtype_(dtype) {}
  /// Of `dtype`, else of the type that the initializer was made with, else f32 (f64 with x64).
  Array operator()(const random::Key& key, const numpy::Shape& shape, Dtype dtype = std::nullopt,
                   numpy::Line line = numpy::Line::current()) const;

 private:
  Function function_;
  Dtype dtype_;
};

/// Zeros, ones; the key says nothing.
Array zeros(const random::Key& key, const numpy::Shape& shape, Dtype dtype = std::nullopt,
            numpy::Line line = numpy::Line::current());
Array ones(const random::Key& key, const numpy::Shape& shape, Dtype dtype = std::nullopt,
           numpy::Line line = numpy::Line::current());
/// One value everywhere.
Initializer constant(const Operand& value, Dtype dtype = std::nullopt);

struct UniformOptions {
  Array scale = 0.01;
  Dtype dtype = std::nullopt;
};
/// Uniform in [0, scale).
Initializer uniform(const UniformOptions& options = {});
template <int = 0>
Initializer uniform(const Operand& scale, Dtype dtype = std::nullopt) {
  return uniform(UniformOptions{.scale = scale, .dtype = dtype});
}
struct NormalOptions {
  Array stddev = 0.01;
  Dtype dtype = std::nullopt;
};
Initializer normal(const NormalOptions& options = {});
template <int = 0>
Initializer normal(const Operand& stddev, Dtype dtype = std::nullopt) {
  return normal(NormalOptions{.stddev = stddev, .dtype = dtype});
}
struct TruncatedNormalOptions {
  Array stddev = 0.01;
  Dtype dtype = std::nullopt;
  Array lower = -2.0, upper = 2.0;  ///< in standard deviations
};
Initializer truncated_normal(const TruncatedNormalOptions& options = {});
template <int = 0>
Initializer truncated_normal(const Operand& stddev, Dtype dtype = std::nullopt, const Operand& lower = -2.0,
                             const Operand& upper = 2.0) {
  return truncated_normal(TruncatedNormalOptions{.stddev = stddev, .dtype = dtype, .lower = lower, .upper = upper});
}
/// The same beside a deviation by position.
struct NormalBounds {
  Dtype dtype = std::nullopt;
  Array lower = -2.0, upper = 2.0;
};
template <int = 0>
Initializer truncated_normal(const Operand& stddev, const NormalBounds& bounds) {
  return truncated_normal(stddev, bounds.dtype, bounds.lower, bounds.upper);
}

/// Axes of a weight: those that it sums over, those of its results, and those of independent weights. Others are counted
/// with both.
struct ScalingOptions {
  Axes in_axis = -2, out_axis = -1, batch_axis = Axes(std::vector<int64_t>());
  Dtype dtype = std::nullopt;
};
/// Random values of variance scale / n, where n is the number of inputs ("fan_in"), of outputs ("fan_out"), their mean
/// ("fan_avg") or geometric mean ("fan_geo_avg"), from distribution "truncated_normal", "normal" or "uniform".
///   Types      floats and complex numbers
///   Errors     INVALID_ARGUMENT for other words, or a weight of fewer axes than are named
Initializer variance_scaling(const Operand& scale, std::string mode, std::string distribution,
                             const ScalingOptions& options = {});
// Glorot and Bengio (2010), also under Glorot's first name; LeCun et al. (1998); He et al. (2015), also under his first name.
Initializer glorot_uniform(const ScalingOptions& options = {});
Initializer glorot_normal(const ScalingOptions& options = {});
Initializer xavier_uniform(const ScalingOptions& options = {});
Initializer xavier_normal(const ScalingOptions& options = {});
Initializer lecun_uniform(const ScalingOptions& options = {});
Initializer lecun_normal(const ScalingOptions& options = {});
Initializer he_uniform(const ScalingOptions& options = {});
Initializer he_normal(const ScalingOptions& options = {});
Initializer kaiming_uniform(const ScalingOptions& options = {});
Initializer kaiming_normal(const ScalingOptions& options = {});

struct OrthogonalOptions {
  Array scale = 1.0;
  int64_t column_axis = -1;
  Dtype dtype = std::nullopt;
};
/// A matrix with orthonormal rows or columns, the fewer, whose columns lie along column_axis.
Initializer orthogonal(const OrthogonalOptions& options = {});
template <int = 0>
Initializer orthogonal(const Operand& scale, int64_t column_axis = -1, Dtype dtype = std::nullopt) {
  return orthogonal(OrthogonalOptions{.scale = scale, .column_axis = column_axis, .dtype = dtype});
}
/// A convolution's kernel that is orthogonal in its middle and 0 elsewhere (Xiao et al., 2018).
/// Errors    INVALID_ARGUMENT unless the shape has 3 to 5 axes, the last no shorter than the one before
Initializer delta_orthogonal(const OrthogonalOptions& options = {});
template <int = 0>
Initializer delta_orthogonal(const Operand& scale, int64_t column_axis = -1, Dtype dtype = std::nullopt) {
  return delta_orthogonal(OrthogonalOptions{.scale = scale, .column_axis = column_axis, .dtype = dtype});
}

}  // namespace hilo::nn::initializers
