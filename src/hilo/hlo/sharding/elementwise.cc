// SPDX-License-Identifier: Apache-2.0
// Ops whose dimensions stay what they are, and those that have none to move: random numbers, batch norms, collectives.
#include <algorithm>

#include "hilo/hlo/ops/ext/batch_norm.h"
#include "hilo/hlo/sharding/rule_builder.h"

namespace hilo::hlo {

/// Scalars beside arrays (a bound of clamp, a predicate of select) stay out of it.
ShardingRule pointwise_rule(RuleBuilder builder) {
  if (builder.results.size() > 1) {  // variadic: result i is of operand i
    for (size_t i = 0; i < std::min(builder.results.size(), builder.operands.size()); ++i) {
      if (!builder.results[i].is_array() ||
          builder.operands[i].dimensions().size() != builder.results[i].dimensions().size())
        continue;
      for (int64_t d = 0; d < builder.results[i].rank(); ++d) builder.pair(i, d, i, d);
    }
    return std::move(builder.rule);
  }
  if (!builder.results.empty() && builder.results[0].is_array()) {
    const Shape result = builder.results[0];
    builder.pointwise(result.dimensions());
  }
  return std::move(builder.rule);
}

/// A feature is an index of one dimension of the array, and of vectors beside it.
ShardingRule batch_norm_rule(const Instruction& instruction, RuleBuilder builder) {
  const int64_t feature = attributes_of<BatchNormAttributes>(instruction).feature_index;
  const Shape array = builder.operands[0];
  const bool sums = instruction.opcode != Opcode::kBatchNormInference;
  for (int64_t d = 0; d < array.rank(); ++d) {
    const int factor =
        builder.factor(array.dimension(d), sums && d != feature ? FactorKind::kReduction : FactorKind::kPass);
    for (size_t i = 0; i < builder.operands.size(); ++i) {
      if (builder.operands[i].rank() == array.rank()) builder.operand(i, d, factor);
      else if (d == feature) builder.operand(i, 0, factor);
    }
    for (size_t i = 0; i < builder.results.size(); ++i) {
      if (builder.results[i].rank() == array.rank()) builder.result(i, d, factor);
      else if (d == feature) builder.result(i, 0, factor);
    }
  }
  return std::move(builder.rule);
}

/// The bits may be shared; the state is whole.
ShardingRule rng_bit_generator_rule(RuleBuilder builder) {
  const Shape bits = builder.results.back();
  for (int64_t d = 0; d < bits.rank(); ++d)
    builder.result(builder.results.size() - 1, d, builder.factor(bits.dimension(d)));
  const int state = builder.factor(builder.operands[0].dimensions().empty() ? 1 : builder.operands[0].dimension(0),
                                   FactorKind::kReplicate, true);
  for (int64_t d = 0; d < std::min<int64_t>(builder.operands[0].rank(), 1); ++d) {
    builder.operand(0, d, state);
    if (builder.results.size() > 1) builder.result(0, d, state);
  }
  return std::move(builder.rule);
}

ShardingRule moving_rule(std::span<const int64_t> dimensions, RuleBuilder builder) {
  for (size_t i = 0; i < std::min(builder.operands.size(), builder.results.size()); ++i) {
    for (int64_t d = 0; d < builder.results[i].rank(); ++d) {
      const bool moves = std::ranges::find(dimensions, d) != dimensions.end();
      if (moves && builder.operands[i].dimension(d) != builder.results[i].dimension(d)) continue;
      builder.pair(i, d, i, d, moves ? FactorKind::kReplicate : FactorKind::kPass);
    }
  }
  return std::move(builder.rule);
}

}  // namespace hilo::hlo
