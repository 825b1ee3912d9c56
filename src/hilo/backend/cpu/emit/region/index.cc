// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/index.h"

#include <algorithm>

#include "hilo/backend/cpu/emit/region/facts.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

/// Returns per lane what its position in the turn adds to the expression.
std::vector<int64_t> place_offsets(const RegionState& s, uint32_t expression) {
  const size_t k = s.facts.shape.vector_dimension;
  const IndexExpr& e = *s.expressions[expression];
  const int64_t columns = s.facts.shape.folded;  // 1 if it isn't folded
  std::vector<int64_t> offsets;
  for (int64_t at = s.first_lane; at < s.first_lane + s.facts.shape.lanes; ++at)
    offsets.push_back(at / columns * e.coefficient(k) + at % columns * e.coefficient(k + 1));
  return offsets;
}

}  // namespace

void enter(RegionState& s, size_t k, Value* index) {
  s.position.indices[k] = index;
  for (size_t e = 0; e < s.expressions.size(); ++e) {
    const int64_t c = s.expressions[e]->coefficient(k);
    if (c == 0) continue;
    Value* step = c == 1 ? index : s.ir.CreateMul(index, s.scalar.index(c));
    s.position.partial[e] = s.ir.CreateAdd(s.position.partial[e], step);
  }
}

bool has_varying_terms(const RegionState& s, uint32_t expression) {
  return std::ranges::any_of(s.expressions[expression]->terms,
                             [&](const IndexTerm& t) { return s.facts.nodes[t.node].varies; });
}

Value* scalar_index(RegionState& s, uint32_t expression) {
  Value* sum = s.position.partial[expression];
  if (s.is_folded()) sum = s.ir.CreateAdd(sum, s.scalar.index(place_offsets(s, expression)[0]));
  if (s.block.row > 0) {
    const int64_t rows = s.block.row * s.expressions[expression]->coefficient(block_dimension(s.region));
    if (rows != 0) sum = s.ir.CreateAdd(sum, s.scalar.index(rows));
  }
  for (const IndexTerm& t : s.expressions[expression]->terms) {
    if (s.facts.nodes[t.node].varies) continue;
    Value* const number = s.ir.CreateZExt(value_of(s, t.node, false), s.ir.getInt64Ty());
    sum = s.ir.CreateAdd(sum, s.ir.CreateMul(number, s.scalar.index(t.coefficient)));
  }
  return sum;
}

Value* lane_indices(RegionState& s, uint32_t expression, llvm::Type* number) {
  Value* sum = s.wide.splat(s.ir.CreateTrunc(scalar_index(s, expression), number));
  if (lane_step(s, expression) != 0 && s.facts.shape.lanes > 1)
    sum = s.ir.CreateAdd(sum, lane_constants(lane_offsets(s, expression), number));
  for (const IndexTerm& t : s.expressions[expression]->terms) {
    if (!s.facts.nodes[t.node].varies) continue;
    Value* const term = s.ir.CreateZExtOrTrunc(value_of(s, t.node, true), sum->getType());
    sum = s.ir.CreateAdd(sum, s.ir.CreateMul(term, s.wide.int_like(sum, static_cast<uint64_t>(t.coefficient))));
  }
  return sum;
}

Value* index_in(RegionState& s, uint32_t expression, bool wide) {
  const bool every = wide || has_varying_terms(s, expression);
  return every ? lane_indices(s, expression, s.ir.getInt64Ty()) : scalar_index(s, expression);
}

int64_t lane_step(const RegionState& s, uint32_t expression) {
  if (!s.is_folded()) return s.expressions[expression]->coefficient(s.facts.shape.vector_dimension);
  const std::vector<int64_t> offsets = place_offsets(s, expression);
  const int64_t step = offsets[1] - offsets[0];
  for (size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] - offsets[i - 1] != step) return kIrregular;
  }
  return step;
}

std::vector<int64_t> lane_offsets(const RegionState& s, uint32_t expression) {
  std::vector<int64_t> offsets = place_offsets(s, expression);
  const int64_t first = offsets[0];
  for (int64_t& offset : offsets) offset -= first;
  return offsets;
}

llvm::Constant* lane_constants(const std::vector<int64_t>& offsets, llvm::Type* number) {
  std::vector<llvm::Constant*> constants;
  for (int64_t offset : offsets)
    constants.push_back(llvm::ConstantInt::get(number, static_cast<uint64_t>(offset), true));
  return llvm::ConstantVector::get(constants);
}

Value* column_of(RegionState& s, const IndexExpr& index) {
  Value* at = s.scalar.index(0);
  for (size_t k = s.region.row_begin; k < s.region.extents.size(); ++k) {
    if (index.coefficient(k) == 0) continue;
    at = s.ir.CreateAdd(
        at, s.ir.CreateMul(s.position.indices[k], s.scalar.index(index.coefficient(k) * s.facts.shape.lanes)));
  }
  return at;
}

}  // namespace hilo::cpu
