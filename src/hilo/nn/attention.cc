// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hilo/array/refuse.h"
#include "hilo/nn/normalization.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/grad.h"

namespace hilo::nn {
namespace {

constexpr char kName[] = "dot_product_attention";

/// Adds leading axes of extent 1 up to rank 4.
Array of_rank_4(const Array& x) {
  if (x.ndim() > 4) refuse(kName, "wanted at most 4 dimensions; got " + x.aval_shape().to_string());
  return numpy::reshape(x, numpy::with_rank(x.shape(), 4));
}

/// [batch, heads or 1, queries, keys] -> [batch, groups or 1, heads per group or 1, queries, keys]
Array by_group(const Array& x, int64_t heads, int64_t groups) {
  const Array wide = of_rank_4(x);
  const int64_t own = wide.shape(1);
  if (own != 1 && own != heads)
    refuse(kName, fmt::format("mask and bias have 1 or {} heads; got {}", heads, x.aval_shape().to_string()));
  const int64_t outer = own == 1 ? 1 : groups, inner = own == 1 ? 1 : heads / groups;
  return numpy::reshape(wide, {wide.shape(0), outer, inner, wide.shape(2), wide.shape(3)});
}

Array positions(int64_t count) { return numpy::arange(count); }

/// Returns which [queries, keys] attend to each other by their positions; nullopt if all do.
std::optional<Array> seen_by_position(int64_t queries, int64_t keys, const AttentionOptions& options) {
  const Array query = numpy::expand_dims(positions(queries), 1), key = numpy::expand_dims(positions(keys), 0);
  std::optional<Array> seen;
  if (options.is_causal) seen = query >= key;
  if (const auto& sides = options.local_window_size.sides()) {
    const auto [left, right] = *sides;
    const Array near = numpy::logical_and(query >= key - right, query <= key + left);
    seen = seen ? numpy::logical_and(*seen, near) : near;
  }
  return seen;
}

/// Returns a mask of the valid positions of each batch: pred[batch, count].
Array within(const Array& lengths, int64_t count) {
  return numpy::expand_dims(positions(count), 0) < numpy::expand_dims(lengths, 1);
}

Array masked(Array scores, const std::optional<Array>& mask, int64_t groups, const AttentionOptions& options) {
  const int64_t queries = scores.shape(3), keys = scores.shape(4), heads = groups * scores.shape(2);
  const Array nothing = numpy::array(-0.7 * numpy::finfo(ElementType::kF32).max, scores.dtype());
  const auto keep = [&](const Array& seen) { scores = numpy::where(seen, scores, nothing); };
  if (mask) keep(by_group(*mask, heads, groups));
  if (const auto seen = seen_by_position(queries, keys, options)) keep(*seen);
  if (options.query_seq_lengths) keep(numpy::expand_dims(within(*options.query_seq_lengths, queries), {1, 2, 4}));
  if (options.key_value_seq_lengths) keep(numpy::expand_dims(within(*options.key_value_seq_lengths, keys), {1, 2, 3}));
  return scores;
}

void check(const Array& query, const Array& key, const Array& value, const AttentionOptions& options) {
  const bool types = query.dtype() == key.dtype() && value.dtype() == key.dtype();
  const bool shapes = query.shape(0) == key.shape(0) && query.shape(3) == key.shape(3) &&
                      std::ranges::equal(key.shape(), value.shape()) && key.shape(2) > 0 &&
                      query.shape(2) % key.shape(2) == 0;
  if (!types || !shapes)
    refuse(kName,
           fmt::format(
               "wanted query[b, t, n, h], key and value[b, s, k, h] of one type, n a multiple of k; got {}, {}, {}",
               query.aval_shape().to_string(), key.aval_shape().to_string(), value.aval_shape().to_string()));
  if (options.mask && options.mask->dtype() != ElementType::kPred)
    refuse(kName, "mask must be pred; got " + options.mask->aval_shape().to_string());
  const std::string_view implementation = options.implementation == nullptr ? "xla" : options.implementation;
  if (implementation == "cudnn") or_throw(unimplemented(at_user_line("dot_product_attention") + ": there is no cuDNN"));
  if (implementation != "xla") refuse(kName, fmt::format("got implementation '{}', wanted xla", implementation));
}

}  // namespace

AttentionAndResidual dot_product_attention_with_residual(const Operand& query, const Operand& key, const Operand& value,
                                                         const AttentionOptions& options) {
  const UserLocation here(query.location());
  const Array q = of_rank_4(query), k = of_rank_4(key), v = of_rank_4(value);
  check(q, k, v, options);
  const int64_t batch = q.shape(0), queries = q.shape(1), heads = q.shape(2), size = q.shape(3), groups = k.shape(2);
  const Array grouped = numpy::reshape(q, {batch, queries, groups, heads / groups, size});
  const ElementType wide = element_size_bytes(q.dtype()) < 4 ? ElementType::kF32 : q.dtype();
  Array scores = numpy::einsum("btkgh,bskh->bkgts", std::vector<Array>{grouped, k}, {.preferred_element_type = wide});
  scores = scores * numpy::array(options.scale.value_or(1 / std::sqrt(static_cast<double>(size))), wide);
  if (options.bias) scores = numpy::astype(scores + by_group(*options.bias, heads, groups), wide);
  scores = numpy::astype(masked(scores, options.mask, groups, options), ElementType::kF32);
  const Array weights = numpy::astype(softmax(scores), k.dtype());
  Array out = numpy::einsum("bkgts,bskh->btkgh", weights, v);
  if (options.query_seq_lengths) {
    const Array valid = numpy::expand_dims(within(*options.query_seq_lengths, queries), {2, 3, 4});
    out = out * numpy::astype(valid, out.dtype());
  }
  // [batch, groups, heads per group, queries] -> [batch, queries, heads]
  const Array sums = numpy::astype(logsumexp(scores, -1), k.dtype());
  const Array residual = stop_gradient(numpy::transpose(sums, {0, 3, 1, 2}));
  const std::span<const int64_t> shape = query.array().shape();
  return {numpy::reshape(out, shape), numpy::reshape(residual, shape.first(shape.size() - 1))};
}

Array dot_product_attention(const Operand& query, const Operand& key, const Operand& value,
                            const AttentionOptions& options) {
  return dot_product_attention_with_residual(query, key, value, options).out;
}

Array scaled_dot_general(const Operand& lhs, const Operand& rhs, const lax::DotDimensionNumbers& dimension_numbers,
                         ElementType preferred_element_type) {
  return lax::dot_general(lhs, rhs, dimension_numbers, {.preferred_element_type = preferred_element_type});
}

Array scaled_matmul(const Operand& lhs, const Operand& rhs, const Operand& lhs_scales, const Operand& rhs_scales,
                    ElementType preferred_element_type) {
  const UserLocation here(lhs.location());
  return lax::scaled_dot(lhs, rhs,
                         {.lhs_scale = lhs_scales.array(),
                          .rhs_scale = rhs_scales.array(),
                          .dimension_numbers = lax::DotDimensionNumbers{{{2}, {2}}, {{0}, {0}}},
                          .preferred_element_type = preferred_element_type});
}

}  // namespace hilo::nn
