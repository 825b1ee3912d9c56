// SPDX-License-Identifier: Apache-2.0
// Maps whose last dimension is narrower than a vector. Vectors run along the last two dimensions as if they were one, some vectors a
// turn, which begin at a whole row; so which element of which row a lane holds is known here. Of s32[n,63,2], each element of
// s32[n,63] twice, 16 lanes hold 8 rows: elements 0 0 1 1 2 2 ... of what 8 lanes load.
#include <algorithm>

#include "hilo/backend/cpu/emit/region_emitter.h"

namespace hilo::cpu {

using llvm::Value;

void RegionEmitter::emit_folded(Value* from, Value* to) {
  const size_t k = facts_.shape.vector_dimension;
  loop_over(k, from, to, facts_.shape.step, [&] {
    const int64_t count = facts_.shape.step * facts_.shape.folded;
    for (int64_t at = 0; at < count; at += facts_.shape.lanes) {
      first_lane_ = std::min(at, count - facts_.shape.lanes);
      emit_level(static_cast<int>(k));
      emit_level(static_cast<int>(k) + 1);
      emit_outer(k + 2);
    }
  });
}

/// Per lane: what its place in the turn adds to the expression.
std::vector<int64_t> RegionEmitter::fold_offsets(uint32_t expression) const {
  const size_t k = facts_.shape.vector_dimension;
  const IndexExpr& e = *expressions_[expression];
  std::vector<int64_t> offsets;
  for (int64_t at = first_lane_; at < first_lane_ + facts_.shape.lanes; ++at) {
    const int64_t row = at / facts_.shape.folded, column = at % facts_.shape.folded;
    offsets.push_back(row * e.coefficient(k) + column * e.coefficient(k + 1));
  }
  return offsets;
}

int64_t RegionEmitter::lane_step(uint32_t expression) const {
  if (!is_folded()) return expressions_[expression]->coefficient(facts_.shape.vector_dimension);
  const std::vector<int64_t> offsets = fold_offsets(expression);
  const int64_t step = offsets[1] - offsets[0];
  for (size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] - offsets[i - 1] != step) return kIrregular;
  }
  return step;
}

/// Per lane: how much more the expression is than in lane 0, but for terms.
std::vector<int64_t> RegionEmitter::lane_offsets(uint32_t expression) const {
  std::vector<int64_t> offsets;
  if (is_folded()) offsets = fold_offsets(expression);
  for (int64_t i = 0; !is_folded() && i < facts_.shape.lanes; ++i) offsets.push_back(i * lane_step(expression));
  const int64_t first = offsets[0];
  for (int64_t& offset : offsets) offset -= first;
  return offsets;
}

llvm::Constant* RegionEmitter::lane_constants(uint32_t expression, llvm::Type* number) {
  std::vector<llvm::Constant*> constants;
  for (int64_t offset : lane_offsets(expression))
    constants.push_back(llvm::ConstantInt::get(number, static_cast<uint64_t>(offset), true));
  return llvm::ConstantVector::get(constants);
}

/// `mask` may be null. Masks of narrow dimensions are constants; others are all true but at the ends of the array.
Value* RegionEmitter::emit_irregular_load(uint32_t n, Value* mask, bool wide_mask) {
  const RegionNode& node = region_.nodes[n];
  const uint32_t e = node_expression_[n];
  const std::vector<int64_t> offsets = lane_offsets(e);
  const auto shuffled = [&](llvm::Constant* of) {
    return Values{wide_.load_shuffled(node.type, buffers_[node.input], scalar_index(e), offsets, of)};
  };
  if (mask == nullptr) return shuffled(nullptr)[0];
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(mask); constant != nullptr && wide_mask)
    return shuffled(constant)[0];
  const auto nothing = [&] { return Values{llvm::Constant::getNullValue(wide_.register_type(node.type))}; };
  const auto whole = [&] { return shuffled(nullptr); };
  if (!wide_mask) return scalar_.if_else(mask, whole, nothing)[0];
  const auto some = [&] {
    return Values{wide_.gather(node.type, buffers_[node.input], lane_indices(e, ir_.getInt64Ty()), mask)};
  };
  return scalar_.if_else(ir_.CreateAndReduce(mask), whole, some)[0];
}

}  // namespace hilo::cpu
