// SPDX-License-Identifier: Apache-2.0
// nn/norm_layers.h -- normalization layers as in flax.linen: layer, group, RMS and batch norm. Mean and variance are
// computed in f32 at least. Epsilons are fields next to the parameters, and part of the structure of the pytree.
#pragma once

#include <optional>
#include <utility>

#include "hilo/nn/initializers.h"

namespace hilo::nn {

struct NormOptions {
  double epsilon = 1e-6;
  bool use_bias = true, use_scale = true;
  numpy::Dtype dtype = std::nullopt;
};

/// The parameters of layer_norm.
/// Source    Ba et al. (2016)
struct LayerNorm {
  std::optional<Array> scale, bias;
  double epsilon = 1e-6;
  HILO_TREE(scale, bias, epsilon)
};
/// Creates the parameters of layer_norm.
LayerNorm layer_norm_init(int64_t features, const NormOptions& options = {}, numpy::Line line = numpy::Line::current());
/// Normalizes over the last axis: (x - mean) / sqrt(variance + epsilon) * scale + bias.
/// Shapes    x[..., features]
/// Example   layer_norm(layer_norm_init(2), numpy::array({1.0, 3.0}))  // [-1. 1.]
Array layer_norm(const LayerNorm& params, const Operand& x);

/// The parameters of rms_norm.
/// Source    Zhang and Sennrich (2019)
struct RMSNorm {
  std::optional<Array> scale;
  double epsilon = 1e-6;
  HILO_TREE(scale, epsilon)
};
/// Creates the parameters of rms_norm.
/// Example    *rms_norm_init(3).scale  // [1. 1. 1.]
RMSNorm rms_norm_init(int64_t features, const NormOptions& options = {}, numpy::Line line = numpy::Line::current());
/// Normalizes over the last axis: x / sqrt(mean(x^2) + epsilon) * scale.
/// Shapes     x[..., features]
/// Example    rms_norm(rms_norm_init(2), numpy::array({3.0, 4.0}))  // [0.8485281 1.1313708]
Array rms_norm(const RMSNorm& params, const Operand& x);

/// The parameters of group_norm.
/// Source    Wu and He (2018)
struct GroupNorm {
  std::optional<Array> scale, bias;
  int64_t num_groups = 32;
  double epsilon = 1e-6;
  HILO_TREE(scale, bias, num_groups, epsilon)
};
/// Creates the parameters of group_norm.
/// Errors    INVALID_ARGUMENT if features are not a multiple of groups
GroupNorm group_norm_init(int64_t features, int64_t num_groups = 32, const NormOptions& options = {},
                          numpy::Line line = numpy::Line::current());
/// Normalizes each example over its positions and the features of a group.
/// Shapes    x[batch, ..., features]
Array group_norm(const GroupNorm& params, const Operand& x);

/// The parameters of batch_norm.
/// Source    Ioffe and Szegedy (2015)
struct BatchNorm {
  std::optional<Array> scale, bias;
  double epsilon = 1e-5, momentum = 0.99;
  HILO_TREE(scale, bias, epsilon, momentum)
};
/// The running mean and variance, which are not trained; each training step returns new ones.
struct BatchStats {
  Array mean, var;
  HILO_TREE(mean, var)
};
struct BatchNormOptions {
  double epsilon = 1e-5, momentum = 0.99;
  bool use_bias = true, use_scale = true;
  numpy::Dtype dtype = std::nullopt;
};
/// Creates the parameters and the initial running statistics of batch_norm.
/// Example    const auto [params, stats] = batch_norm_init(2);
///            stats.mean  // [0. 0.]
std::pair<BatchNorm, BatchStats> batch_norm_init(int64_t features, const BatchNormOptions& options = {},
                                                 numpy::Line line = numpy::Line::current());
/// Normalizes x by the mean and variance of the batch, and returns new running statistics: momentum * old + (1 -
/// momentum) * batch. With `axis_name`, uses the statistics of all replicas.
/// Shapes     x[..., features]
/// Example    const auto [params, stats] = batch_norm_init(1);
///            batch_norm_train(params, stats, numpy::array({{1.0}, {3.0}})).first  // [[-1.] [ 1.]]
std::pair<Array, BatchStats> batch_norm_train(const BatchNorm& params, const BatchStats& stats, const Operand& x,
                                              std::optional<std::string> axis_name = std::nullopt);
/// Normalizes x by the running mean and variance, for inference.
/// Example    const auto [params, stats] = batch_norm_init(2);
///            batch_norm(params, stats, numpy::ones({1, 2}))  // [[1. 1.]]
Array batch_norm(const BatchNorm& params, const BatchStats& stats, const Operand& x);

}  // namespace hilo::nn
