// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/nodes.h"

#include <algorithm>

#include "hilo/backend/cpu/emit/numbers.h"
#include "hilo/backend/cpu/emit/region/index.h"

namespace hilo::cpu {
namespace {

using hlo::Opcode;
using llvm::Value;

/// Per lane: the likely difference from lane 0; nullopt if it is unknown.
using LaneOffsets = std::optional<std::vector<int64_t>>;

/// Whether one or two loads can fetch elements so far apart.
bool are_near(const std::vector<int64_t>& offsets) {
  const auto [least, greatest] = std::ranges::minmax(offsets);
  return greatest - least < 2 * std::ssize(offsets);
}

std::vector<int64_t> sum(std::vector<int64_t> a, const std::vector<int64_t>& b, int64_t factor) {
  for (size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
  return a;
}

bool is_same_everywhere(const std::vector<int64_t>& offsets) {
  return std::ranges::all_of(offsets, [](int64_t offset) { return offset == 0; });
}

/// Returns per lane its row in folded dimensions, if the elements of a row are consecutive. Empty otherwise.
std::vector<int64_t> rows_of_lanes(const RegionState& s, const IndexExpr& index) {
  const size_t column = s.facts.shape.vector_dimension + 1;
  if (!s.is_folded() || index.coefficient(column) != 1) return {};
  for (const IndexTerm& t : index.terms) {
    if ((s.facts.nodes[t.node].dimensions >> column & 1) != 0) return {};
  }
  std::vector<int64_t> rows;
  for (int64_t at = s.first_lane; at < s.first_lane + s.facts.shape.lanes; ++at)
    rows.push_back(at / s.facts.shape.folded);
  return rows;
}

/// Returns i32, or i64 if the positions don't fit.
llvm::IntegerType* type_of_places(RegionState& s, const IndexExpr& index) {
  int64_t least = index.constant, greatest = index.constant;
  const auto add = [&](int64_t coefficient, int64_t most) {
    (coefficient < 0 ? least : greatest) += coefficient * most;
  };
  for (size_t k = 0; k < index.coefficients.size(); ++k) add(index.coefficients[k], s.region.extents[k] - 1);
  for (const IndexTerm& t : index.terms) add(t.coefficient, s.region.nodes[t.node].limit);
  return number_type(s.ir.getContext(), std::max(greatest, -(least + 1)), 32);
}

LaneOffsets likely_offsets_of(const RegionState& s, uint32_t expression, const std::vector<LaneOffsets>& known) {
  std::vector<int64_t> offsets = lane_offsets(s, expression);
  for (const IndexTerm& t : s.expressions[expression]->terms) {
    if (!known[t.node]) return std::nullopt;
    offsets = sum(std::move(offsets), *known[t.node], t.coefficient);
  }
  return offsets;
}

/// Assumes that nothing wraps around, and that limits and signs change nothing, or the same in every lane.
LaneOffsets likely_offsets_of_op(const RegionNode& n, const std::vector<LaneOffsets>& known) {
  const auto of = [&](size_t operand) -> const LaneOffsets& { return known[n.operands[operand]]; };
  switch (n.instruction->opcode) {  // NOLINT: only ops that compute indices
    case Opcode::kConvert: return of(0);
    case Opcode::kClamp: return of(1);
    case Opcode::kSelect: return of(1) == of(2) ? of(1) : std::nullopt;
    case Opcode::kAdd:
    case Opcode::kSubtract:
      if (!of(0) || !of(1)) return std::nullopt;
      return sum(*of(0), *of(1), n.instruction->opcode == Opcode::kAdd ? 1 : -1);
    case Opcode::kMinimum:
    case Opcode::kMaximum: return of(0) && is_same_everywhere(*of(0)) ? of(1) : of(0);
    default: return std::nullopt;
  }
}

LaneOffsets likely_offsets_of_node(const RegionState& s, uint32_t n, const std::vector<LaneOffsets>& known) {
  const RegionNode& node = s.region.nodes[n];
  if (!s.facts.nodes[n].varies) return std::vector<int64_t>(s.facts.shape.lanes, 0);
  if (!is_integer(node.type)) return std::nullopt;
  if (node.kind == NodeKind::kIndex) return likely_offsets_of(s, s.node_expression[n], known);
  if (node.kind == NodeKind::kClampedIndex) return known[node.operands[0]];
  return node.kind == NodeKind::kOp ? likely_offsets_of_op(node, known) : std::nullopt;
}

/// Returns the offsets of all nodes before `end`.
std::vector<LaneOffsets> likely_offsets(const RegionState& s, uint32_t end) {
  std::vector<LaneOffsets> known;
  for (uint32_t n = 0; n < end; ++n) known.push_back(likely_offsets_of_node(s, n, known));
  return known;
}

}  // namespace

Value* emit_gather(RegionState& s, uint32_t n, Value* mask) {
  const RegionNode& node = s.region.nodes[n];
  const uint32_t e = s.node_expression[n];
  Value* const pointer = s.buffers[node.input];
  llvm::Type* const number = type_of_places(s, node.index);
  Value* const indices = lane_indices(s, e, number);
  const std::vector<int64_t> rows = rows_of_lanes(s, node.index);
  const auto one_by_one = [&] { return Values{s.wide.gather(node.type, pointer, indices, mask, rows)}; };
  const LaneOffsets offsets = mask == nullptr ? likely_offsets_of(s, e, likely_offsets(s, n)) : std::nullopt;
  if (!offsets || !are_near(*offsets)) return one_by_one()[0];
  Value* const first = s.ir.CreateExtractElement(indices, uint64_t{0});
  Value* const likely = s.ir.CreateAdd(s.wide.splat(first), lane_constants(*offsets, number));
  Value* const as_likely = s.ir.CreateAndReduce(s.ir.CreateICmpEQ(indices, likely));
  const auto together = [&] {
    return Values{
        s.wide.load_shuffled(node.type, pointer, s.ir.CreateZExt(first, s.ir.getInt64Ty()), *offsets, nullptr)};
  };
  return s.scalar.if_else(as_likely, together, one_by_one)[0];
}

}  // namespace hilo::cpu
