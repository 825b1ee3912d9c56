// SPDX-License-Identifier: Apache-2.0
// nn/attention_layer.h -- attention of several heads with its projections, and rotary positions.
#pragma once

#include <optional>

#include "hilo/nn/attention.h"
#include "hilo/nn/linear.h"

namespace hilo::nn {

/// Projections to queries, keys, values, and back. Where there are fewer key heads than heads, so many heads share one
/// (Ainslie et al., 2023).
struct MultiHeadAttention {
  Array query;       ///< [features, heads, head size]
  Array key, value;  ///< [features, key heads, head size]
  Array out;         ///< [heads, head size, features]
  std::optional<Array> query_bias, key_bias, value_bias, out_bias;
  HILO_TREE(query, key, value, out, query_bias, key_bias, value_bias, out_bias)
};
struct MultiHeadAttentionInitOptions {
  std::optional<int64_t> num_key_value_heads = std::nullopt;  ///< by default num_heads
  std::optional<int64_t> head_dim = std::nullopt;             ///< by default features / num_heads
  bool use_bias = true;
  initializers::Initializer kernel_init = initializers::lecun_normal();
  numpy::Dtype dtype = std::nullopt;
};
/// Errors    INVALID_ARGUMENT where heads don't divide features, or key heads don't divide heads
MultiHeadAttention multi_head_attention_init(const random::Key& key, int64_t features, int64_t num_heads,
                                             const MultiHeadAttentionInitOptions& options = {},
                                             numpy::Line line = numpy::Line::current());
struct MultiHeadAttentionOptions {
  std::optional<Array> mask = std::nullopt;  ///< pred, broadcasts to [batch, heads, queries, keys]
  bool is_causal = false;
  std::optional<Array> positions = std::nullopt;  ///< s32[queries], of rotary embedding; by default none
  double rotary_base = 10000;
};
/// Attention of `x` to itself, or to `context`.
/// Shapes    x[batch, queries, features], context[batch, keys, features] -> [batch, queries, features]; or all without batch
/// Errors    INVALID_ARGUMENT for shapes that don't fit, and for positions with a context
Array multi_head_attention(const MultiHeadAttention& params, const Operand& x,
                           const MultiHeadAttentionOptions& options = {});
Array multi_head_attention(const MultiHeadAttention& params, const Operand& x, const Operand& context,
                           const MultiHeadAttentionOptions& options = {});

/// Turns each pair (i, i + size / 2) of a head by position / base^(2 i / size), so that products of queries and keys depend
/// on how far they are from each other.
/// Shapes    x[..., positions, heads, size], positions[positions]; size even
/// Errors    INVALID_ARGUMENT for other shapes
/// Source    Su et al. (2021), with halves in place of neighbours, as GPT-NeoX and LLaMA have them
Array rotary_embedding(const Operand& x, const Operand& positions, double base = 10000);

}  // namespace hilo::nn
