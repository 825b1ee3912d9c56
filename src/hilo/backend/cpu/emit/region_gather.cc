// SPDX-License-Identifier: Apache-2.0
// Loads whose places are known at run time alone. Where indices are made so that they follow one another, though each is wrapped and
// clamped by itself, the vector asks whether they do: of windows x[start + 0..8] all but those at the ends of x are one load.
#include <algorithm>

#include "hilo/backend/cpu/emit/numbers.h"
#include "hilo/backend/cpu/emit/region_emitter.h"

namespace hilo::cpu {

using hlo::Opcode;
using llvm::Value;

namespace {

/// Can one or two loads fetch elements so far apart?
bool are_near(const std::vector<int64_t>& offsets) {
  const auto [least, greatest] = std::ranges::minmax(offsets);
  return greatest - least < 2 * static_cast<int64_t>(offsets.size());
}

std::vector<int64_t> sum(std::vector<int64_t> a, const std::vector<int64_t>& b, int64_t factor) {
  for (size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
  return a;
}

bool is_same_everywhere(const std::vector<int64_t>& offsets) {
  return std::ranges::all_of(offsets, [](int64_t offset) { return offset == 0; });
}

}  // namespace

Value* RegionEmitter::emit_scattered_load(uint32_t n, Value* mask) {
  const RegionNode& node = region_.nodes[n];
  const uint32_t e = node_expression_[n];
  Value* const pointer = buffers_[node.input];
  llvm::Type* const number = type_of_places(node.index);
  Value* const indices = lane_indices(e, number);
  const std::vector<int64_t> rows = rows_of_lanes(node.index);
  const auto one_by_one = [&] { return Values{wide_.gather(node.type, pointer, indices, mask, rows)}; };
  const LaneOffsets offsets = mask == nullptr ? likely_offsets_of(e, likely_offsets(n)) : std::nullopt;
  if (!offsets || !are_near(*offsets)) return one_by_one()[0];
  std::vector<llvm::Constant*> constants;
  for (int64_t offset : *offsets)
    constants.push_back(llvm::ConstantInt::get(number, static_cast<uint64_t>(offset), true));
  Value* const first = ir_.CreateExtractElement(indices, uint64_t{0});
  Value* const likely = ir_.CreateAdd(wide_.splat(first), llvm::ConstantVector::get(constants));
  Value* const as_likely = ir_.CreateAndReduce(ir_.CreateICmpEQ(indices, likely));
  const auto together = [&] {
    return Values{wide_.load_shuffled(node.type, pointer, ir_.CreateZExt(first, ir_.getInt64Ty()), *offsets, nullptr)};
  };
  return scalar_.if_else(as_likely, together, one_by_one)[0];
}

/// In folded dimensions: per lane its row, if the elements of a row lie one after the other. Else nothing.
std::vector<int64_t> RegionEmitter::rows_of_lanes(const IndexExpr& index) const {
  const size_t column = facts_.shape.vector_dimension + 1;
  if (!is_folded() || index.coefficient(column) != 1) return {};
  for (const IndexTerm& t : index.terms) {
    if ((facts_.nodes[t.node].dimensions >> column & 1) != 0) return {};
  }
  std::vector<int64_t> rows;
  for (int64_t at = first_lane_; at < first_lane_ + facts_.shape.lanes; ++at) rows.push_back(at / facts_.shape.folded);
  return rows;
}

/// i32, or i64 where places don't fit.
llvm::IntegerType* RegionEmitter::type_of_places(const IndexExpr& index) {
  int64_t least = index.constant, greatest = index.constant;
  const auto add = [&](int64_t coefficient, int64_t most) {
    (coefficient < 0 ? least : greatest) += coefficient * most;
  };
  for (size_t k = 0; k < index.coefficients.size(); ++k) add(index.coefficients[k], region_.extents[k] - 1);
  for (const IndexTerm& t : index.terms) add(t.coefficient, region_.nodes[t.node].limit);
  return number_type(ir_.getContext(), std::max(greatest, -(least + 1)), 32);
}

std::vector<RegionEmitter::LaneOffsets> RegionEmitter::likely_offsets(uint32_t end) const {
  std::vector<LaneOffsets> known;
  for (uint32_t n = 0; n < end; ++n) known.push_back(likely_offsets_of_node(n, known));
  return known;
}

RegionEmitter::LaneOffsets RegionEmitter::likely_offsets_of(uint32_t expression,
                                                            const std::vector<LaneOffsets>& known) const {
  std::vector<int64_t> offsets = lane_offsets(expression);
  for (const IndexTerm& t : expressions_[expression]->terms) {
    if (!known[t.node]) return std::nullopt;
    offsets = sum(std::move(offsets), *known[t.node], t.coefficient);
  }
  return offsets;
}

RegionEmitter::LaneOffsets RegionEmitter::likely_offsets_of_node(uint32_t n,
                                                                 const std::vector<LaneOffsets>& known) const {
  const RegionNode& node = region_.nodes[n];
  if (!facts_.nodes[n].varies) return std::vector<int64_t>(static_cast<size_t>(facts_.shape.lanes), 0);
  if (!is_integer(node.type)) return std::nullopt;
  if (node.kind == NodeKind::kIndex) return likely_offsets_of(node_expression_[n], known);
  if (node.kind == NodeKind::kClampedIndex) return known[node.operands[0]];
  return node.kind == NodeKind::kOp ? likely_offsets_of_op(node, known) : std::nullopt;
}

/// If nothing wraps around, and limits and signs change nothing or the same in every lane.
RegionEmitter::LaneOffsets RegionEmitter::likely_offsets_of_op(const RegionNode& n,
                                                               const std::vector<LaneOffsets>& known) const {
  const auto of = [&](size_t operand) -> const LaneOffsets& { return known[n.operands[operand]]; };
  switch (n.instruction->opcode) {  // NOLINT: what indices are made with
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

}  // namespace hilo::cpu
