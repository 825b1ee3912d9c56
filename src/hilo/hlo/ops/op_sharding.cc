// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/op_sharding.h"

#include <algorithm>

#include "hilo/hlo/ir/reducer_kind.h"

namespace hilo::hlo {

void append_leaves(const Shape& shape, std::vector<Shape>& leaves) {
  std::vector<Shape> pending = {shape};
  while (!pending.empty()) {
    const Shape next = std::move(pending.back());
    pending.pop_back();
    if (!next.is_tuple()) {
      leaves.push_back(next);
      continue;
    }
    const auto& elements = next.tuple_elements();
    for (size_t i = elements.size(); i-- > 0;) pending.push_back(elements[i]);
  }
}

namespace {

std::vector<ArrayFactors> no_factors(const std::vector<Shape>& leaves) {
  std::vector<ArrayFactors> result;
  for (const Shape& leaf : leaves) result.emplace_back(leaf.is_array() ? static_cast<size_t>(leaf.rank()) : 0);
  return result;
}

}  // namespace

RuleBuilder::RuleBuilder(const Instruction& of, const Computation& computation) : instruction(of) {
  for (const InstructionId id : instruction.operands) append_leaves(computation.instruction(id).shape, operands);
  append_leaves(instruction.shape, results);
  rule.operands = no_factors(operands);
  rule.results = no_factors(results);
}

int RuleBuilder::factor(int64_t size, FactorKind kind, bool blocked) {
  rule.factors.push_back({size, kind, blocked});
  return static_cast<int>(rule.factors.size()) - 1;
}

void RuleBuilder::operand(size_t leaf, int64_t dimension, int factor) {
  rule.operands[leaf][dimension].push_back(factor);
}

void RuleBuilder::result(size_t leaf, int64_t dimension, int factor) {
  rule.results[leaf][dimension].push_back(factor);
}

void RuleBuilder::pair(size_t operand_leaf, int64_t from, size_t result_leaf, int64_t to, FactorKind kind) {
  const int computed = factor(operands[operand_leaf].dimension(from), kind);
  operand(operand_leaf, from, computed);
  result(result_leaf, to, computed);
}

void RuleBuilder::pointwise(std::span<const int64_t> sizes) {
  const auto fits = [&](const Shape& leaf) { return leaf.is_array() && std::ranges::equal(leaf.dimensions(), sizes); };
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int computed = factor(sizes[d]);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (fits(operands[i])) operand(i, d, computed);
    }
    for (size_t i = 0; i < results.size(); ++i) {
      if (fits(results[i])) result(i, d, computed);
    }
  }
}

void no_rule(RuleBuilder&) {}

/// Scalar operands of an op on arrays (a bound of clamp, a predicate of select) aren't sharded.
void pointwise_rule(RuleBuilder& builder) {
  if (builder.results.size() > 1) {  // variadic: result i depends on operand i
    for (size_t i = 0; i < std::min(builder.results.size(), builder.operands.size()); ++i) {
      if (!builder.results[i].is_array() ||
          builder.operands[i].dimensions().size() != builder.results[i].dimensions().size())
        continue;
      for (int64_t d = 0; d < builder.results[i].rank(); ++d) builder.pair(i, d, i, d);
    }
    return;
  }
  if (!builder.results.empty() && builder.results[0].is_array()) {
    const Shape result = builder.results[0];
    builder.pointwise(result.dimensions());
  }
}

void batched_rule(int64_t count, RuleBuilder& builder) {
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
}

void matrix_rule(RuleBuilder& builder) {
  const int64_t batch = std::max<int64_t>(0, builder.operands[0].rank() - 2);
  batched_rule(batch, builder);
}

namespace {

bool any_has(const std::vector<ArrayFactors>& arrays, size_t factor) {
  return std::ranges::any_of(arrays, [&](const ArrayFactors& array) { return has_factor(array, factor); });
}

}  // namespace

bool has_factor(const ArrayFactors& array, size_t factor) {
  return std::ranges::any_of(array, [&](const std::vector<int>& factors) {
    return std::ranges::find(factors, static_cast<int>(factor)) != factors.end();
  });
}

void whole_factors(LocalBuilder&) {}

void passing_factors(LocalBuilder& builder) {
  const ShardingRule& rule = builder.op.rule;
  for (size_t f = 0; f < rule.factors.size(); ++f) {
    if (rule.factors[f].kind == FactorKind::kPass && any_has(rule.operands, f) && any_has(rule.results, f))
      builder.op.strategies[f] = LocalStrategy::kPart;
  }
}

void summing_factors(LocalBuilder& builder, bool adds_up) {
  passing_factors(builder);
  for (size_t f = 0; f < builder.op.strategies.size(); ++f) {
    if (adds_up && builder.op.rule.factors[f].kind == FactorKind::kReduction)
      builder.op.strategies[f] = LocalStrategy::kPartial;
  }
}

std::optional<ReducerKind> joining_kind(ElementType type) {
  const ReducerKind kind = type == ElementType::kPred ? ReducerKind::kOr : ReducerKind::kAdd;
  return neutral_value(kind, type) ? std::optional(kind) : std::nullopt;
}

}  // namespace hilo::hlo
