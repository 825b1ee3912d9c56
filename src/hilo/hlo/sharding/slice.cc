// SPDX-License-Identifier: Apache-2.0
// Pieces of arrays: slice, pad, concatenate, and the dynamic ones.
#include "hilo/hlo/ops/slice.h"

#include "hilo/hlo/sharding/rule_builder.h"

namespace hilo::hlo {

ShardingRule resize_rule(RuleBuilder builder) {
  for (int64_t d = 0; d < builder.results[0].rank(); ++d) {
    const bool same = builder.operands[0].dimension(d) == builder.results[0].dimension(d);
    builder.pair(0, d, 0, d, same ? FactorKind::kPass : FactorKind::kPermute);
  }
  return std::move(builder.rule);
}

ShardingRule concatenate_rule(const Instruction& instruction, RuleBuilder builder) {
  const int64_t along = attributes_of<ConcatenateAttributes>(instruction).dimension;
  for (int64_t d = 0; d < builder.results[0].rank(); ++d) {
    const int factor =
        builder.factor(builder.results[0].dimension(d), d == along ? FactorKind::kReplicate : FactorKind::kPass);
    for (size_t i = 0; i < builder.operands.size(); ++i) builder.operand(i, d, factor);
    builder.result(0, d, factor);
  }
  return std::move(builder.rule);
}

ShardingRule dynamic_slice_rule(RuleBuilder builder) {
  for (int64_t d = 0; d < builder.results[0].rank(); ++d) {
    const int64_t size = builder.operands[0].dimension(d);
    const bool same = size == builder.results[0].dimension(d);
    const int factor = same ? builder.factor(size) : builder.factor(size, FactorKind::kReplicate, true);
    builder.operand(0, d, factor);
    builder.result(0, d, factor);
  }
  return std::move(builder.rule);
}

ShardingRule dynamic_update_slice_rule(RuleBuilder builder) {
  for (int64_t d = 0; d < builder.results[0].rank(); ++d) {
    const int64_t size = builder.results[0].dimension(d), updated = builder.operands[1].dimension(d);
    const int factor = builder.factor(size);
    builder.operand(0, d, factor);
    builder.result(0, d, factor);
    builder.operand(1, d, size == updated ? factor : builder.factor(updated, FactorKind::kReplicate));
  }
  return std::move(builder.rule);
}

}  // namespace hilo::hlo
