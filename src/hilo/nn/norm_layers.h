// SPDX-License-Identifier: Apache-2.0
// nn/norm_layers.h -- layers that normalise: layer, group, RMS and batch norm, as flax.linen has them. Mean and variance are
// taken in f32 at least; epsilons stand beside the parameters and are part of a tree's structure.
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

/// (x - mean) / sqrt(variance + epsilon) * scale + bias over the last axis.
/// Source    Ba et al. (2016)
struct LayerNorm {
  std::optional<Array> scale, bias;
  double epsilon = 1e-6;
  HILO_TREE(scale, bias, epsilon)
};
LayerNorm layer_norm_init(int64_t features, const NormOptions& options = {}, numpy::Line line = numpy::Line::current());
/// Shapes    x[..., features]
Array layer_norm(const LayerNorm& params, const Operand& x);

/// x / sqrt(mean(x^2) + epsilon) * scale over the last axis.
/// Source    Zhang and Sennrich (2019)
struct RMSNorm {
  std::optional<Array> scale;
  double epsilon = 1e-6;
  HILO_TREE(scale, epsilon)
};
RMSNorm rms_norm_init(int64_t features, const NormOptions& options = {}, numpy::Line line = numpy::Line::current());
Array rms_norm(const RMSNorm& params, const Operand& x);

/// layer_norm of each example over its positions and the features of a group.
/// Source    Wu and He (2018)
struct GroupNorm {
  std::optional<Array> scale, bias;
  int64_t num_groups = 32;
  double epsilon = 1e-6;
  HILO_TREE(scale, bias, num_groups, epsilon)
};
/// Errors    INVALID_ARGUMENT if the groups don't divide the features
GroupNorm group_norm_init(int64_t features, int64_t num_groups = 32, const NormOptions& options = {},
                          numpy::Line line = numpy::Line::current());
/// Shapes    x[batch, ..., features]
Array group_norm(const GroupNorm& params, const Operand& x);

/// layer_norm of each feature over batch and positions. Running means of mean and variance are kept for when there is no
/// batch.
/// Source    Ioffe and Szegedy (2015)
struct BatchNorm {
  std::optional<Array> scale, bias;
  double epsilon = 1e-5, momentum = 0.99;
  HILO_TREE(scale, bias, epsilon, momentum)
};
/// What isn't trained: it goes through a step beside the parameters.
struct BatchStats {
  Array mean, var;
  HILO_TREE(mean, var)
};
struct BatchNormOptions {
  double epsilon = 1e-5, momentum = 0.99;
  bool use_bias = true, use_scale = true;
  numpy::Dtype dtype = std::nullopt;
};
std::pair<BatchNorm, BatchStats> batch_norm_init(int64_t features, const BatchNormOptions& options = {},
                                                 numpy::Line line = numpy::Line::current());
/// In training: x normalised by the batch's own mean and variance, and the new running ones, momentum * old + (1 - momentum)
/// * batch's. With `axis_name` those of the batches of all replicas.
/// Shapes    x[..., features]
std::pair<Array, BatchStats> batch_norm_train(const BatchNorm& params, const BatchStats& stats, const Operand& x,
                                              std::optional<std::string> axis_name = std::nullopt);
/// Otherwise: x normalised by the running mean and variance.
Array batch_norm(const BatchNorm& params, const BatchStats& stats, const Operand& x);

}  // namespace hilo::nn
