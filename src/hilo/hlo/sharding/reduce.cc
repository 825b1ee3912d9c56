// SPDX-License-Identifier: Apache-2.0
// Reductions: over whole dimensions, windows, and running ones.
#include "hilo/hlo/ops/reduce.h"

#include <algorithm>

#include "hilo/hlo/ops/ext/cumulative.h"
#include "hilo/hlo/ops/ext/select_and_gather_add.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/hlo/ops/select_and_scatter.h"
#include "hilo/hlo/sharding/rule_builder.h"

namespace hilo::hlo {

ShardingRule reduce_rule(const Instruction& instruction, RuleBuilder builder) {
  const Int64List& reduced = attributes_of<ReduceAttributes>(instruction).dimensions;
  const size_t arrays = builder.operands.size() / 2;  // then their initial values
  int64_t place = 0;
  for (int64_t d = 0; d < builder.operands[0].rank(); ++d) {
    const bool away = std::ranges::find(reduced, d) != reduced.end();
    const int factor =
        builder.factor(builder.operands[0].dimension(d), away ? FactorKind::kReduction : FactorKind::kPass);
    for (size_t i = 0; i < arrays; ++i) {
      builder.operand(i, d, factor);
      if (!away) builder.result(i, place, factor);
    }
    place += away ? 0 : 1;
  }
  return std::move(builder.rule);
}

namespace {

/// The first `arrays` operands and all results share their dimensions; windows of more than an element move elements.
ShardingRule windows_rule(const Window& window, size_t arrays, RuleBuilder builder) {
  for (size_t d = 0; d < window.size(); ++d) {
    const auto place = static_cast<int64_t>(d);
    const int factor = builder.factor(builder.operands[0].dimension(place),
                                      window[d] == WindowDimension{} ? FactorKind::kPass : FactorKind::kPermute);
    for (size_t i = 0; i < arrays; ++i) builder.operand(i, place, factor);
    for (size_t i = 0; i < builder.results.size(); ++i) builder.result(i, place, factor);
  }
  return std::move(builder.rule);
}

}  // namespace

ShardingRule reduce_window_rule(const Instruction& instruction, RuleBuilder builder) {
  const size_t arrays = builder.operands.size() / 2;  // then their initial values
  return windows_rule(attributes_of<ReduceWindowAttributes>(instruction).window, arrays, std::move(builder));
}

/// The operand, what is scattered (an element a window), an initial value.
ShardingRule select_and_scatter_rule(const Instruction& instruction, RuleBuilder builder) {
  return windows_rule(attributes_of<SelectAndScatterAttributes>(instruction).window, 2, std::move(builder));
}

ShardingRule select_and_gather_add_rule(const Instruction& instruction, RuleBuilder builder) {
  return windows_rule(attributes_of<SelectAndGatherAddAttributes>(instruction).window, 2, std::move(builder));
}

ShardingRule cumulative_rule(const Instruction& instruction, RuleBuilder builder) {
  const int64_t axis = attributes_of<CumulativeAttributes>(instruction).axis;
  for (int64_t d = 0; d < builder.results[0].rank(); ++d)
    builder.pair(0, d, 0, d, d == axis ? FactorKind::kReplicate : FactorKind::kPass);
  return std::move(builder.rule);
}

}  // namespace hilo::hlo
