// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/sharding/rule_builder.h"

#include <algorithm>

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
  std::vector<ArrayFactors> made;
  for (const Shape& leaf : leaves) made.emplace_back(leaf.is_array() ? static_cast<size_t>(leaf.rank()) : 0);
  return made;
}

}  // namespace

RuleBuilder::RuleBuilder(const Instruction& instruction, const Computation& computation) {
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
  rule.operands[leaf][static_cast<size_t>(dimension)].push_back(factor);
}

void RuleBuilder::result(size_t leaf, int64_t dimension, int factor) {
  rule.results[leaf][static_cast<size_t>(dimension)].push_back(factor);
}

void RuleBuilder::pair(size_t operand_leaf, int64_t from, size_t result_leaf, int64_t to, FactorKind kind) {
  const int made = factor(operands[operand_leaf].dimension(from), kind);
  operand(operand_leaf, from, made);
  result(result_leaf, to, made);
}

void RuleBuilder::pointwise(std::span<const int64_t> sizes) {
  const auto fits = [&](const Shape& leaf) { return leaf.is_array() && std::ranges::equal(leaf.dimensions(), sizes); };
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int made = factor(sizes[d]);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (fits(operands[i])) operand(i, static_cast<int64_t>(d), made);
    }
    for (size_t i = 0; i < results.size(); ++i) {
      if (fits(results[i])) result(i, static_cast<int64_t>(d), made);
    }
  }
}

}  // namespace hilo::hlo
