// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/facts.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "hilo/backend/cpu/emit/region/node_traits.h"

namespace hilo::cpu {
namespace {

uint64_t looped_dimensions(const IndexExpr& e) {
  uint64_t mask = 0;
  for (size_t k = 0; k < e.coefficients.size(); ++k) {
    if (e.coefficients[k] != 0) mask |= uint64_t{1} << k;
  }
  return mask;
}

/// Returns the facts that a node inherits from its operands, indices and guards.
NodeFacts inherited_facts(const RegionNode& n, const std::vector<NodeFacts>& facts) {
  NodeFacts f;
  const auto inherit = [&](uint32_t from) {
    f.dimensions |= facts[from].dimensions;
    f.stage = std::max(f.stage, facts[from].stage);
  };
  for (uint32_t o : n.operands) inherit(o);
  for_each_term(n, inherit);
  f.dimensions |= looped_dimensions(n.index);
  for (const Guard& g : n.guards) f.dimensions |= looped_dimensions(g.index);
  return f;
}

/// Whether an operation computes in f32 and rounds to f16 or bf16 as its last step. Doubles are rounded to odd first.
bool rounds_last(const Region& region, const RegionNode& n) {
  if (n.kind != NodeKind::kOp || (n.type != ElementType::kF16 && n.type != ElementType::kBf16)) return false;
  if (n.instruction->opcode == hlo::Opcode::kBitcastConvert) return false;
  return std::ranges::none_of(n.operands, [&](uint32_t o) {
    const ElementType type = region.nodes[o].type;
    return type == ElementType::kF64 || is_complex(type);
  });
}

void find_late_roundings(const Region& region, std::vector<NodeFacts>& facts) {
  for (size_t n = 0; n < facts.size(); ++n) facts[n].rounds_late = rounds_last(region, region.nodes[n]);
  for (const RegionNode& user : region.nodes) {
    const bool skips_initial = user.kind == NodeKind::kReduce && !user.is_dot && is_extreme(user);
    // The operands before the initial values are elements.
    for (size_t k = skips_initial ? user.operands.size() - user.count : 0; k < user.operands.size(); ++k)
      facts[user.operands[k]].rounds_late = false;
  }
  for (const RegionOutput& o : region.outputs) facts[o.node].rounds_late = false;
}

/// A function takes about as long as four calls need to save and load the registers around them: kernels with a few
/// functions have each in its place, and long chains of them, as unrolled loops have, compile in half of the time.
void find_calls(const Region& region, std::vector<NodeFacts>& facts) {
  constexpr int kFew = 4;
  std::map<std::pair<hlo::Opcode, ElementType>, int> count;
  const auto function_of = [](const RegionNode& n) { return std::pair(n.instruction->opcode, n.type); };
  for (const RegionNode& n : region.nodes) {
    if (is_function(n)) ++count[function_of(n)];
  }
  for (size_t n = 0; n < facts.size(); ++n)
    facts[n].is_called = is_function(region.nodes[n]) && count[function_of(region.nodes[n])] > kFew;
}

}  // namespace

std::vector<NodeFacts> node_facts(const Region& region, const RegionShape& shape) {
  const uint64_t outer_mask = (uint64_t{1} << region.row_begin) - 1;
  const uint64_t vector_bits =
      region.extents.empty() ? 0 : uint64_t{shape.folded > 1 ? 3u : 1u} << shape.vector_dimension;
  std::vector<NodeFacts> facts;
  for (const RegionNode& n : region.nodes) {
    NodeFacts f = inherited_facts(n, facts);
    if (n.kind == NodeKind::kReduceResult) {
      f.dimensions = outer_mask;
      f.stage = facts[n.operands[0]].stage + 1;
      f.varies = is_column(region, shape);
    } else {
      f.varies = (f.dimensions & vector_bits) != 0;
      // A value that depends on reductions over columns is as wide as they are. After a reduction over rows it is a
      // single value.
      for (uint32_t o : n.operands) f.varies |= facts[o].varies && n.kind != NodeKind::kReduce;
    }
    f.in_row = n.kind == NodeKind::kReduce || ((f.dimensions & ~outer_mask) != 0 && n.kind != NodeKind::kReduceResult);
    f.level = f.dimensions == 0 ? -1 : static_cast<int>(std::bit_width(f.dimensions)) - 1;
    facts.push_back(f);
  }
  if (region.has_row()) find_late_roundings(region, facts);
  find_calls(region, facts);
  return facts;
}

}  // namespace hilo::cpu
