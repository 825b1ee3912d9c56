// SPDX-License-Identifier: Apache-2.0
// nn/attention.h -- scaled dot-product attention.
#pragma once

#include "hilo/lax/dot.h"
#include "hilo/numpy/numpy.h"

namespace hilo::nn {

/// The number of keys that a query attends to before its position, and after it.
class AttentionWindow {
 public:
  AttentionWindow(std::nullopt_t = std::nullopt) {}        // no limit
  AttentionWindow(int64_t both) : sides_({both, both}) {}  // one number for both sides, or a pair
  AttentionWindow(int64_t left, int64_t right) : sides_({left, right}) {}
  const std::optional<std::pair<int64_t, int64_t>>& sides() const { return sides_; }

 private:
  std::optional<std::pair<int64_t, int64_t>> sides_;
};
struct AttentionOptions {
  numpy::Named named = numpy::Named();
  std::optional<Array> bias = std::nullopt;    ///< added to the scores; broadcasts to [batch, heads, queries, keys]
  std::optional<Array> mask = std::nullopt;    ///< pred; false where a query must not attend to a key
  std::optional<double> scale = std::nullopt;  ///< factor of the scores; default 1 / sqrt(head size)
  bool is_causal = false;                      ///< whether query i attends only to keys 0, ..., i
  /// s32[batch]: number of valid positions
  std::optional<Array> query_seq_lengths = std::nullopt, key_value_seq_lengths = std::nullopt;
  AttentionWindow local_window_size = {};
  const char* implementation = nullptr;  ///< "xla", JAX's name of the only implementation
};
/// Computes softmax(scale * query key^T + bias) value, with masked scores.
/// Shapes     query[batch, queries, heads, size], key and value[batch, keys, groups, size] -> [batch, queries, heads,
///            size]; or all without batch. The number of heads is a multiple of the number of groups; the heads of a
///            group share keys and values.
/// Types      one type for all three; scores are f32 or wider
/// Errors     INVALID_ARGUMENT for shapes or types that don't match; UNIMPLEMENTED for implementation "cudnn"
/// Cost       all scores are in memory at once
/// Example    const Array q = numpy::ones({4, 2, 8});
///            dot_product_attention(q, q, q, {.is_causal = true}).shape()  // (4, 2, 8)
Array dot_product_attention(const Operand& query, const Operand& key, const Operand& value,
                            const AttentionOptions& options = {});
struct AttentionAndResidual {
  Array out, residual;
};
/// Computes dot_product_attention and the logsumexp of each query's scores. JAX's return_residual=True.
/// Shapes     residual: [batch, queries, heads]
/// Gradient   the residual has none, as in JAX
AttentionAndResidual dot_product_attention_with_residual(const Operand& query, const Operand& key, const Operand& value,
                                                         const AttentionOptions& options = {});
template <int = 0>
Array dot_product_attention(const Operand& query, const Operand& key, const Operand& value,
                            const std::optional<Array>& bias, const std::optional<Array>& mask = std::nullopt) {
  return dot_product_attention(query, key, value, AttentionOptions{.bias = bias, .mask = mask});
}

/// Same as lax::dot_general; JAX's block-scaled formats, which need cuDNN, are not supported.
Array scaled_dot_general(const Operand& lhs, const Operand& rhs, const lax::DotDimensionNumbers& dimension_numbers,
                         ElementType preferred_element_type = ElementType::kF32);
/// Multiplies matrices with scales for blocks along the last axis: (lhs * lhs_scales) (rhs * rhs_scales)^T. In JAX this
/// needs cuDNN.
/// Shapes    lhs[b, m, k], rhs[b, n, k], lhs_scales[b, m, k / block], rhs_scales[b, n, k / block] -> [b, m, n]
Array scaled_matmul(const Operand& lhs, const Operand& rhs, const Operand& lhs_scales, const Operand& rhs_scales,
                    ElementType preferred_element_type = ElementType::kF32);

}  // namespace hilo::nn
