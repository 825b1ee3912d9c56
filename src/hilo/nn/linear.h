// SPDX-License-Identifier: Apache-2.0
// nn/linear.h -- layers that are linear in their input: dense, conv, embedding; and dropout. A layer is a struct of its
// parameters, a function that makes one, and a function that applies it.
#pragma once

#include <optional>

#include "hilo/lax/padding.h"
#include "hilo/nn/initializers.h"

namespace hilo::nn {

/// x kernel + bias. The parameters' names are flax's.
struct Dense {
  Array kernel;  ///< [in, out]
  std::optional<Array> bias;
  HILO_TREE(kernel, bias)
};
struct LayerOptions {
  bool use_bias = true;
  initializers::Initializer kernel_init = initializers::lecun_normal();
  initializers::Initializer bias_init = initializers::constant(0.0);
  numpy::Dtype dtype = std::nullopt;
};
/// Errors    INVALID_ARGUMENT for sizes below 1
Dense dense_init(const random::Key& key, int64_t in_features, int64_t out_features, const LayerOptions& options = {},
                 numpy::Line line = numpy::Line::current());
/// Shapes    x[..., in] -> [..., out]
/// Errors    INVALID_ARGUMENT if the last axis of x isn't the kernel's first
Array dense(const Dense& params, const Operand& x);

struct Conv {
  Array kernel;  ///< [spatial..., in / groups, out]
  std::optional<Array> bias;
  HILO_TREE(kernel, bias)
};
struct ConvInitOptions {
  int64_t feature_group_count = 1;
  bool use_bias = true;
  initializers::Initializer kernel_init = initializers::lecun_normal();
  initializers::Initializer bias_init = initializers::constant(0.0);
  numpy::Dtype dtype = std::nullopt;
};
/// A convolution's parameters: a window of `kernel_size`, from so many features to so many.
/// Errors    INVALID_ARGUMENT for sizes below 1, or groups that don't divide the features
Conv conv_init(const random::Key& key, const std::vector<int64_t>& kernel_size, int64_t in_features,
               int64_t out_features, const ConvInitOptions& options = {}, numpy::Line line = numpy::Line::current());
struct ConvLayerOptions {
  std::vector<int64_t> strides = {};  ///< by default 1 each
  lax::Padding padding = "SAME";
  std::vector<int64_t> kernel_dilation = {};  ///< by default 1 each
  int64_t feature_group_count = 1;
};
/// Shapes    x[batch, spatial..., in] -> [batch, spatial..., out], in one to three spatial dimensions
/// Errors    as lax::conv_general_dilated
Array conv(const Conv& params, const Operand& x, const ConvLayerOptions& options = {});

/// Rows of a table by number.
struct Embedding {
  Array embedding;  ///< [entries, features]
  HILO_TREE(embedding)
};
/// Normal values of variance 1 / features.
/// Errors    INVALID_ARGUMENT for sizes below 1
Embedding embedding_init(const random::Key& key, int64_t num_embeddings, int64_t features,
                         numpy::Dtype dtype = std::nullopt, numpy::Line line = numpy::Line::current());
/// Shapes    ids[...] of integers -> [..., features]; NaN for a number that has no row
Array embed(const Embedding& params, const Operand& ids);
/// The product with every row, for a model whose last layer is its first one.
/// Shapes    x[..., features] -> [..., entries]
Array embed_attend(const Embedding& params, const Operand& x);

/// x where a coin falls so, divided by how often it does; 0 elsewhere: the mean stays. With rate 0 it is x, with 1 zeros.
/// Errors    INVALID_ARGUMENT for a rate outside [0, 1]
/// Example   h = training ? nn::dropout(key, h, 0.1) : h;
/// Source    Srivastava et al. (2014)
Array dropout(const random::Key& key, const Operand& x, double rate);

}  // namespace hilo::nn
