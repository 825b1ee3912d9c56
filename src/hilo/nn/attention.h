// SPDX-License-Identifier: Apache-2.0
// nn/attention.h -- scaled dot product attention.
#pragma once

#include "hilo/lax/dot.h"
#include "hilo/numpy/numpy.h"

namespace hilo::nn {

/// How far a query sees: so many keys before it, and so many after.
class AttentionWindow {
 public:
  AttentionWindow(std::nullopt_t = std::nullopt) {}        // none, a number for
  AttentionWindow(int64_t both) : sides_({both, both}) {}  // both, or a pair
  AttentionWindow(int64_t left, int64_t right) : sides_({left, right}) {}
  const std::optional<std::pair<int64_t, int64_t>>& sides() const { return sides_; }

 private:
  std::optional<std::pair<int64_t, int64_t>> sides_;
};
struct AttentionOptions {
  numpy::Named named = numpy::Named();
  std::optional<Array> bias = std::nullopt;    ///< added to the scores: broadcasts to [batch, heads, queries, keys]
  std::optional<Array> mask = std::nullopt;    ///< pred: false where a query doesn't see a key
  std::optional<double> scale = std::nullopt;  ///< of the scores, by default 1 / sqrt(head size)
  bool is_causal = false;                      ///< query i sees keys up to i
  std::optional<Array> query_seq_lengths = std::nullopt, key_value_seq_lengths = std::nullopt;  ///< s32[batch]
  AttentionWindow local_window_size = {};
  const char* implementation = nullptr;  ///< "xla", JAX's other name of the only one there is
};
/// softmax(scale * query key^T + bias) value, over masked scores.
///   Shapes     query[batch, queries, heads, size], key and value[batch, keys, groups, size]; or all without batch. Heads
///              are a multiple of groups: so many of them share a key
///   Types      one type of all three; scores are f32 or wider
///   Errors     INVALID_ARGUMENT for shapes or types that don't fit; UNIMPLEMENTED for implementation "cudnn"
///   Cost       all scores are in memory at once
Array dot_product_attention(const Operand& query, const Operand& key, const Operand& value,
                            const AttentionOptions& options = {});
struct AttentionAndResidual {
  Array out, residual;
};
/// dot_product_attention(..., return_residual=True): also the logsumexp of each query's scores, [batch, queries, heads].
/// Gradient   none of the residual, as in JAX
AttentionAndResidual dot_product_attention_with_residual(const Operand& query, const Operand& key, const Operand& value,
                                                         const AttentionOptions& options = {});
template <int = 0>
Array dot_product_attention(const Operand& query, const Operand& key, const Operand& value,
                            const std::optional<Array>& bias, const std::optional<Array>& mask = std::nullopt) {
  return dot_product_attention(query, key, value, AttentionOptions{.bias = bias, .mask = mask});
}

/// lax::dot_general; JAX's block scaled formats are cuDNN's.
Array scaled_dot_general(const Operand& lhs, const Operand& rhs, const lax::DotDimensionNumbers& dimension_numbers,
                         ElementType preferred_element_type = ElementType::kF32);
/// (lhs * lhs_scales) (rhs * rhs_scales)^T in blocks along the last axis, as JAX has it on cuDNN.
/// Shapes    lhs[b, m, k], rhs[b, n, k], lhs_scales[b, m, k / block], rhs_scales[b, n, k / block] -> [b, m, n]
Array scaled_matmul(const Operand& lhs, const Operand& rhs, const Operand& lhs_scales, const Operand& rhs_scales,
                    ElementType preferred_element_type = ElementType::kF32);

}  // namespace hilo::nn
