// SPDX-License-Identifier: Apache-2.0
// nn/attention_layer.h -- multi-head attention with its projections, and rotary position embedding.
#pragma once

#include <optional>

#include "hilo/nn/attention.h"
#include "hilo/nn/linear.h"

namespace hilo::nn {

/// The projections to queries, keys and values, and back. If there are fewer key heads than heads, several heads share
/// a key head (Ainslie et al., 2023).
struct MultiHeadAttention {
  Array query;       ///< [features, heads, head size]
  Array key, value;  ///< [features, key heads, head size]
  Array out;         ///< [heads, head size, features]
  std::optional<Array> query_bias, key_bias, value_bias, out_bias;
  HILO_TREE(query, key, value, out, query_bias, key_bias, value_bias, out_bias)
};
struct MultiHeadAttentionInitOptions {
  std::optional<int64_t> num_key_value_heads = std::nullopt;  ///< default num_heads
  std::optional<int64_t> head_dim = std::nullopt;             ///< default features / num_heads
  bool use_bias = true;
  initializers::Initializer kernel_init = initializers::lecun_normal();
  numpy::Dtype dtype = std::nullopt;
};
/// Creates the parameters of multi-head attention.
/// Errors    INVALID_ARGUMENT if features are not a multiple of heads, or heads not a multiple of key heads
/// Example   multi_head_attention_init(random::key(0), 16, 4).query.shape()  // (16, 4, 4)
MultiHeadAttention multi_head_attention_init(const random::Key& key, int64_t features, int64_t num_heads,
                                             const MultiHeadAttentionInitOptions& options = {},
                                             numpy::Line line = numpy::Line::current());
struct MultiHeadAttentionOptions {
  std::optional<Array> mask = std::nullopt;  ///< pred; broadcasts to [batch, heads, queries, keys]
  bool is_causal = false;
  std::optional<Array> positions = std::nullopt;  ///< s32[queries]: positions for rotary embedding; default none
  double rotary_base = 10000;
};
/// Applies attention of `x` to itself, or to `context`.
/// Shapes    x[batch, queries, features], context[batch, keys, features] -> [batch, queries, features]; or all without
///           batch
/// Errors    INVALID_ARGUMENT for shapes that don't match, and for positions with a context
/// Example   const auto params = multi_head_attention_init(random::key(0), 16, 4);
///           multi_head_attention(params, numpy::ones({3, 16})).shape()  // (3, 16)
Array multi_head_attention(const MultiHeadAttention& params, const Operand& x,
                           const MultiHeadAttentionOptions& options = {});
Array multi_head_attention(const MultiHeadAttention& params, const Operand& x, const Operand& context,
                           const MultiHeadAttentionOptions& options = {});

/// Rotates each pair (i, i + size / 2) of a head by position / base^(2 i / size). Products of queries and keys then
/// depend on the difference of their positions.
/// Shapes    x[..., positions, heads, size], positions[positions]; size is even
/// Errors    INVALID_ARGUMENT for other shapes
/// Source    Su et al. (2021), pairing halves instead of neighbors, as GPT-NeoX and LLaMA do
Array rotary_embedding(const Operand& x, const Operand& positions, double base = 10000);

}  // namespace hilo::nn
