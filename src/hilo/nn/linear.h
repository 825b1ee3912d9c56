// SPDX-License-Identifier: Apache-2.0
// nn/linear.h -- linear layers: dense, conv, embedding; and dropout. A layer is a struct of parameters, a function that
// creates it (name_init), and a function that applies it.
#pragma once

#include <optional>

#include "hilo/lax/padding.h"
#include "hilo/nn/initializers.h"

namespace hilo::nn {

/// The parameters of a dense layer, with flax's names.
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
/// Creates the parameters of a dense layer.
/// Errors    INVALID_ARGUMENT for sizes below 1
/// Example   dense_init(random::key(0), 4, 3).kernel.shape()  // (4, 3)
Dense dense_init(const random::Key& key, int64_t in_features, int64_t out_features, const LayerOptions& options = {},
                 numpy::Line line = numpy::Line::current());
/// Applies a dense layer: x kernel + bias.
/// Shapes    x[..., in] -> [..., out]
/// Errors    INVALID_ARGUMENT if the last extent of x is not the first of the kernel
/// Example   const Dense layer = dense_init(random::key(0), 4, 3);
///           dense(layer, numpy::ones({2, 4})).shape()  // (2, 3)
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
/// Creates the parameters of a convolution with a window of `kernel_size`.
/// Errors    INVALID_ARGUMENT for sizes below 1, or features that are not a multiple of the groups
/// Example   conv_init(random::key(0), {3, 3}, 1, 8).kernel.shape()  // (3, 3, 1, 8)
Conv conv_init(const random::Key& key, const std::vector<int64_t>& kernel_size, int64_t in_features,
               int64_t out_features, const ConvInitOptions& options = {}, numpy::Line line = numpy::Line::current());
struct ConvLayerOptions {
  std::vector<int64_t> strides = {};  ///< default 1 each
  lax::Padding padding = "SAME";
  std::vector<int64_t> kernel_dilation = {};  ///< default 1 each
  int64_t feature_group_count = 1;
};
/// Applies a convolution in one to three spatial dimensions.
/// Shapes    x[batch, spatial..., in] -> [batch, spatial..., out]
/// Errors    those of lax::conv_general_dilated
/// Example   const Conv layer = conv_init(random::key(0), {3, 3}, 1, 8);
///           conv(layer, numpy::ones({2, 28, 28, 1})).shape()  // (2, 28, 28, 8)
Array conv(const Conv& params, const Operand& x, const ConvLayerOptions& options = {});

/// A table of vectors, indexed by id.
struct Embedding {
  Array embedding;  ///< [entries, features]
  HILO_TREE(embedding)
};
/// Creates an embedding table of normal values with variance 1 / features.
/// Errors    INVALID_ARGUMENT for sizes below 1
/// Example   embedding_init(random::key(0), 100, 16).embedding.shape()  // (100, 16)
Embedding embedding_init(const random::Key& key, int64_t num_embeddings, int64_t features,
                         numpy::Dtype dtype = std::nullopt, numpy::Line line = numpy::Line::current());
/// Returns the rows of the table for ids; NaN for an id out of range.
/// Shapes    integer ids[...] -> [..., features]
/// Example   embed(Embedding{numpy::eye(3)}, numpy::array({2, 0}))  // [[0. 0. 1.] [1. 0. 0.]]
Array embed(const Embedding& params, const Operand& ids);
/// Multiplies x by every row of the table, for a model whose output layer shares the weights of its embedding.
/// Shapes    x[..., features] -> [..., entries]
/// Example   embed_attend(Embedding{numpy::eye(3)}, numpy::array({1.0, 2.0, 3.0}))  // [1. 2. 3.]
Array embed_attend(const Embedding& params, const Operand& x);

/// Sets elements to 0 with probability `rate`, and divides the others by 1 - rate, so that the mean is preserved. Rate
/// 0 returns x, rate 1 zeros.
/// Errors    INVALID_ARGUMENT for a rate outside [0, 1]
/// Example   dropout(random::key(0), numpy::ones({4}), 0.5)  // [0. 0. 2. 2.]
/// Source    Srivastava et al. (2014)
Array dropout(const random::Key& key, const Operand& x, double rate);

}  // namespace hilo::nn
