// SPDX-License-Identifier: Apache-2.0
// nn/initializers.h -- jax.nn.initializers: functions that create initial values of parameters.
#pragma once

#include <functional>

#include "hilo/random/random.h"

namespace hilo::nn::initializers {

using numpy::Dtype;

/// A function init(key, shape, dtype) that returns an array of initial values.
class Initializer {
 public:
  using Function = std::function<Array(const random::Key&, const numpy::Shape&, ElementType)>;
  Initializer(Function function, Dtype dtype) : function_(std::move(function)), dtype_(dtype) {}
  /// Returns initial values. The default type is that of the initializer, else f32 (f64 with x64).
  Array operator()(const random::Key& key, const numpy::Shape& shape, Dtype dtype = std::nullopt,
                   numpy::Line line = numpy::Line::current()) const;

 private:
  Function function_;
  Dtype dtype_;
};

/// Returns zeros; ignores the key.
Array zeros(const random::Key& key, const numpy::Shape& shape, Dtype dtype = std::nullopt,
            numpy::Line line = numpy::Line::current());
/// Returns ones; ignores the key.
Array ones(const random::Key& key, const numpy::Shape& shape, Dtype dtype = std::nullopt,
           numpy::Line line = numpy::Line::current());
/// Returns an initializer that fills an array with one value.
Initializer constant(const Operand& value, Dtype dtype = std::nullopt);

struct UniformOptions {
  Array scale = 0.01;
  Dtype dtype = std::nullopt;
};
/// Returns an initializer that samples uniformly from [0, scale).
/// Example    uniform(0.1)(random::key(0), {2, 3}).shape()  // (2, 3)
Initializer uniform(const UniformOptions& options = {});
template <int = 0>
Initializer uniform(const Operand& scale, Dtype dtype = std::nullopt) {
  return uniform(UniformOptions{.scale = scale, .dtype = dtype});
}
struct NormalOptions {
  Array stddev = 0.01;
  Dtype dtype = std::nullopt;
};
/// Returns an initializer that samples the normal distribution with mean 0.
/// Example    normal(0.02)(random::key(0), {2, 3}).shape()  // (2, 3)
Initializer normal(const NormalOptions& options = {});
template <int = 0>
Initializer normal(const Operand& stddev, Dtype dtype = std::nullopt) {
  return normal(NormalOptions{.stddev = stddev, .dtype = dtype});
}
struct TruncatedNormalOptions {
  Array stddev = 0.01;
  Dtype dtype = std::nullopt;
  Array lower = -2.0, upper = 2.0;  ///< bounds in standard deviations
};
/// Returns an initializer that samples the normal distribution truncated to [lower, upper] standard deviations.
Initializer truncated_normal(const TruncatedNormalOptions& options = {});
template <int = 0>
Initializer truncated_normal(const Operand& stddev, Dtype dtype = std::nullopt, const Operand& lower = -2.0,
                             const Operand& upper = 2.0) {
  return truncated_normal(TruncatedNormalOptions{.stddev = stddev, .dtype = dtype, .lower = lower, .upper = upper});
}
/// The bounds of truncated_normal if the standard deviation is passed by position.
struct NormalBounds {
  Dtype dtype = std::nullopt;
  Array lower = -2.0, upper = 2.0;
};
template <int = 0>
Initializer truncated_normal(const Operand& stddev, const NormalBounds& bounds) {
  return truncated_normal(stddev, bounds.dtype, bounds.lower, bounds.upper);
}

/// The axes of a weight: input axes, output axes, and axes of independent weights. Other axes count for inputs and
/// outputs.
struct ScalingOptions {
  Axes in_axis = -2, out_axis = -1, batch_axis = Axes(std::vector<int64_t>());
  Dtype dtype = std::nullopt;
};
/// Returns an initializer for random values of variance scale / n. n is the number of inputs ("fan_in"), outputs
/// ("fan_out"), their mean ("fan_avg") or their geometric mean ("fan_geo_avg"). The distribution is "truncated_normal",
/// "normal" or "uniform".
/// Types      floats and complex numbers
/// Errors     INVALID_ARGUMENT for unknown names, or a weight with fewer axes than are named
Initializer variance_scaling(const Operand& scale, std::string mode, std::string distribution,
                             const ScalingOptions& options = {});
// Returns the initializer of Glorot (Xavier), LeCun or He (Kaiming): variance_scaling with the scale and mode of the
// paper.
// Source     Glorot and Bengio (2010); LeCun et al. (1998); He et al. (2015)
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
/// Returns an initializer for matrices with orthonormal rows or columns, whichever are fewer. Columns are along
/// column_axis.
Initializer orthogonal(const OrthogonalOptions& options = {});
template <int = 0>
Initializer orthogonal(const Operand& scale, int64_t column_axis = -1, Dtype dtype = std::nullopt) {
  return orthogonal(OrthogonalOptions{.scale = scale, .column_axis = column_axis, .dtype = dtype});
}
/// Returns an initializer for convolution kernels that are orthogonal at the center and 0 elsewhere.
/// Errors    INVALID_ARGUMENT unless the shape has 3 to 5 axes, and the last is at least as long as the one before
/// Source    Xiao et al. (2018)
Initializer delta_orthogonal(const OrthogonalOptions& options = {});
template <int = 0>
Initializer delta_orthogonal(const Operand& scale, int64_t column_axis = -1, Dtype dtype = std::nullopt) {
  return delta_orthogonal(OrthogonalOptions{.scale = scale, .column_axis = column_axis, .dtype = dtype});
}

}  // namespace hilo::nn::initializers
