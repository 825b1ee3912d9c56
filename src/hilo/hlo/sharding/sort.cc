// SPDX-License-Identifier: Apache-2.0
// Ops that want some dimensions whole and take the others one by one: sort, top-k, Fourier transforms, matrices.
#include "hilo/hlo/ops/sort.h"

#include <algorithm>

#include "hilo/hlo/ir/frontend_attribute.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/fft.h"
#include "hilo/hlo/sharding/rule_builder.h"

namespace hilo::hlo {

/// All operands and results have one shape. The factor is blocked where no other dimension could take the axes instead.
ShardingRule sort_rule(const Instruction& instruction, RuleBuilder builder) {
  const int64_t along = attributes_of<SortAttributes>(instruction).dimension();
  const Shape shape = builder.results[0];
  const bool alone = shape.element_count() == shape.dimension(along);
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const int factor = d == along ? builder.factor(shape.dimension(d), FactorKind::kReplicate, alone)
                                  : builder.factor(shape.dimension(d));
    for (size_t i = 0; i < builder.operands.size(); ++i) builder.operand(i, d, factor);
    for (size_t i = 0; i < builder.results.size(); ++i) builder.result(i, d, factor);
  }
  return std::move(builder.rule);
}

ShardingRule top_k_rule(RuleBuilder builder) {
  const Shape shape = builder.operands[0];
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const bool last = d + 1 == shape.rank();
    const int factor = builder.factor(shape.dimension(d), last ? FactorKind::kReplicate : FactorKind::kPass, last);
    builder.operand(0, d, factor);
    for (size_t i = 0; i < builder.results.size(); ++i) builder.result(i, d, factor);
  }
  return std::move(builder.rule);
}

ShardingRule fft_rule(const Instruction& instruction, RuleBuilder builder) {
  const auto whole = static_cast<int64_t>(attributes_of<FftAttributes>(instruction).fft_length.size());
  const int64_t rank = builder.results[0].rank();
  for (int64_t d = 0; d < rank; ++d)
    builder.pair(0, d, 0, d, d < rank - whole ? FactorKind::kPass : FactorKind::kReplicate);
  return std::move(builder.rule);
}

namespace {

/// The first `count` dimensions of all that have them are a batch.
ShardingRule batched(int64_t count, RuleBuilder builder) {
  const Shape array = builder.operands[0];
  const auto fits = [&](const Shape& leaf, int64_t d) {
    return leaf.is_array() && leaf.rank() > d && leaf.dimension(d) == array.dimension(d);
  };
  for (int64_t d = 0; d < count; ++d) {
    const int factor = builder.factor(array.dimension(d));
    for (size_t i = 0; i < builder.operands.size(); ++i) {
      if (fits(builder.operands[i], d)) builder.operand(i, d, factor);
    }
    for (size_t i = 0; i < builder.results.size(); ++i) {
      if (fits(builder.results[i], d)) builder.result(i, d, factor);
    }
  }
  return std::move(builder.rule);
}

}  // namespace

ShardingRule matrix_rule(RuleBuilder builder) {
  const int64_t batch = std::max<int64_t>(0, builder.operands[0].rank() - 2);
  return batched(batch, std::move(builder));
}

std::optional<int64_t> stated_batch(const Instruction& call) {
  const std::optional<int64_t> count = frontend_number(call, "hilo.batch_dims");
  return count && *count >= 0 ? count : std::nullopt;
}

/// LAPACK's calls, and one that is made as they are, are over batches of matrices, beside which vectors may stand; nobody knows
/// what others do that don't say of what their batch is.
ShardingRule custom_call_rule(const Instruction& instruction, RuleBuilder builder) {
  const std::string target = custom_call_target(attributes_of<CustomCallAttributes>(instruction));
  const bool known = target.starts_with("lapack_") || target == "tridiagonal_solve_perturbed_ffi";
  const std::optional<int64_t> stated = stated_batch(instruction);
  if ((!known && !stated) || builder.operands.empty() || !builder.operands[0].is_array())
    return std::move(builder.rule);
  int64_t rank = 2;
  for (const Shape& operand : builder.operands) rank = std::max(rank, operand.is_array() ? operand.rank() : 0);
  const int64_t count = std::min(stated.value_or(rank - 2), builder.operands[0].rank());
  return batched(count, std::move(builder));
}

}  // namespace hilo::hlo
