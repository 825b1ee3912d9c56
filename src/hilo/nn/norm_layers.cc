// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/norm_layers.h"

#include <fmt/format.h>

#include "hilo/array/refuse.h"
#include "hilo/lax/collective.h"
#include "hilo/lax/elementwise.h"
#include "hilo/numpy/numpy.h"

namespace hilo::nn {
namespace {

/// Returns ones or zeros for each feature, or nullopt.
std::optional<Array> parameter(const char* function, bool enabled, int64_t features, double value, numpy::Dtype dtype) {
  if (features < 1) refuse(function, fmt::format("{} features; wanted at least 1", features));
  if (!enabled) return std::nullopt;
  return numpy::full({features}, value, dtype.value_or(default_float()));
}

Array in_f32_at_least(const Array& x) {
  const bool narrow = is_floating(x.dtype()) && element_size_bytes(x.dtype()) < 4;
  return narrow ? numpy::astype(x, ElementType::kF32) : x;
}

void check_features(const char* function, const Array& x, const std::optional<Array>& parameter) {
  const bool fits = x.ndim() > 0 && (is_floating(x.dtype()) || is_complex(x.dtype())) &&
                    (!parameter || parameter->shape(0) == x.shape(-1));
  if (fits) return;
  refuse(function,
         fmt::format("wanted floats of {} features along the last axis; got {}",
                     parameter ? std::to_string(parameter->shape(0)) : "any number of", x.aval_shape().to_string()));
}

struct Stats {
  Array mean, var;
};
Stats stats_of(const Array& x, const Axes& axes) {
  const Array mean = numpy::mean(x, {.axis = axes, .keepdims = true});
  return {mean, numpy::mean(numpy::square(x - mean), {.axis = axes, .keepdims = true})};
}

/// Computes (x - mean) / sqrt(var + epsilon) * scale + bias, in the type of `like`.
Array normalised(const Array& x, const Stats& stats, double epsilon, const std::optional<Array>& scale,
                 const std::optional<Array>& bias, const Array& like) {
  Array factor = lax::rsqrt(stats.var + epsilon);
  if (scale) factor = factor * *scale;
  Array y = (x - stats.mean) * factor;
  if (bias) y = y + *bias;
  return numpy::astype(y, like.dtype());
}

Axes all_but_the_last(const Array& x) {
  std::vector<int64_t> axes;
  for (int64_t axis = 0; axis + 1 < x.ndim(); ++axis) axes.push_back(axis);
  return axes;
}

}  // namespace

LayerNorm layer_norm_init(int64_t features, const NormOptions& options, numpy::Line line) {
  const UserLocation here(line);
  return {parameter("layer_norm_init", options.use_scale, features, 1, options.dtype),
          parameter("layer_norm_init", options.use_bias, features, 0, options.dtype), options.epsilon};
}

Array layer_norm(const LayerNorm& params, const Operand& x) {
  const UserLocation here(x.location());
  check_features("layer_norm", x, params.scale ? params.scale : params.bias);
  const Array wide = in_f32_at_least(x);
  return normalised(wide, stats_of(wide, -1), params.epsilon, params.scale, params.bias, x);
}

RMSNorm rms_norm_init(int64_t features, const NormOptions& options, numpy::Line line) {
  const UserLocation here(line);
  return {parameter("rms_norm_init", options.use_scale, features, 1, options.dtype), options.epsilon};
}

Array rms_norm(const RMSNorm& params, const Operand& x) {
  const UserLocation here(x.location());
  check_features("rms_norm", x, params.scale);
  const Array wide = in_f32_at_least(x);
  const Array var = numpy::mean(numpy::square(wide), {.axis = -1, .keepdims = true});
  return normalised(wide, {numpy::zeros_like(var), var}, params.epsilon, params.scale, std::nullopt, x);
}

GroupNorm group_norm_init(int64_t features, int64_t num_groups, const NormOptions& options, numpy::Line line) {
  const UserLocation here(line);
  if (num_groups < 1 || features % num_groups != 0) {
    refuse("group_norm_init", fmt::format("{} groups don't divide {} features", num_groups, features));
  }
  return {parameter("group_norm_init", options.use_scale, features, 1, options.dtype),
          parameter("group_norm_init", options.use_bias, features, 0, options.dtype), num_groups, options.epsilon};
}

Array group_norm(const GroupNorm& params, const Operand& x) {
  const UserLocation here(x.location());
  const Array& all = x.array();
  check_features("group_norm", all, params.scale ? params.scale : params.bias);
  if (all.ndim() < 2 || params.num_groups < 1 || all.shape(-1) % params.num_groups != 0) {
    refuse("group_norm", fmt::format("wanted x[batch, ..., features] of {} groups; got {}", params.num_groups,
                                     all.aval_shape().to_string()));
  }
  // [batch, positions, groups, features per group]
  const std::vector<int64_t> split = {all.shape(0), -1, params.num_groups, all.shape(-1) / params.num_groups};
  const Array grouped = numpy::reshape(in_f32_at_least(all), split);
  const Stats stats = stats_of(grouped, {1, 3});
  const Array y = numpy::reshape((grouped - stats.mean) * lax::rsqrt(stats.var + params.epsilon), all.shape());
  const Array scaled = params.scale ? y * *params.scale : y;
  return numpy::astype(params.bias ? scaled + *params.bias : scaled, all.dtype());
}

std::pair<BatchNorm, BatchStats> batch_norm_init(int64_t features, const BatchNormOptions& options, numpy::Line line) {
  const UserLocation here(line);
  const ElementType type = default_float();
  return {
      {parameter("batch_norm_init", options.use_scale, features, 1, options.dtype),
       parameter("batch_norm_init", options.use_bias, features, 0, options.dtype), options.epsilon, options.momentum},
      {numpy::zeros({features}, type), numpy::ones({features}, type)}};
}

std::pair<Array, BatchStats> batch_norm_train(const BatchNorm& params, const BatchStats& stats, const Operand& x,
                                              std::optional<std::string> axis_name) {
  const UserLocation here(x.location());
  check_features("batch_norm_train", x, stats.mean);
  const Array wide = in_f32_at_least(x);
  const Axes axes = all_but_the_last(wide);
  const auto over_all = [&](const Array& value) { return axis_name ? lax::pmean(value, *axis_name) : value; };
  const Array mean = over_all(numpy::mean(wide, axes));
  const Array var = over_all(numpy::mean(numpy::square(wide - mean), axes));
  const double old = params.momentum;
  const BatchStats next = {old * stats.mean + (1 - old) * mean, old * stats.var + (1 - old) * var};
  return {normalised(wide, {mean, var}, params.epsilon, params.scale, params.bias, x), next};
}

Array batch_norm(const BatchNorm& params, const BatchStats& stats, const Operand& x) {
  const UserLocation here(x.location());
  check_features("batch_norm", x, stats.mean);
  return normalised(in_f32_at_least(x), {stats.mean, stats.var}, params.epsilon, params.scale, params.bias, x);
}

}  // namespace hilo::nn
