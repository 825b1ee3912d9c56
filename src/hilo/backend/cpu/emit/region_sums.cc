// SPDX-License-Identifier: Apache-2.0
// Long sums. A row's loops are cut into stretches; each stretch begins anew, and the sums of stretches are joined in pairs.
// What isn't a sum of floats goes through the row as ever.
#include <algorithm>

#include "hilo/backend/cpu/emit/region_emitter.h"

namespace hilo::cpu {

using llvm::Value;

namespace {

bool is_rounded_sum(const RegionNode& reduce) {
  return reducer_of(reduce) == hlo::ReducerKind::kAdd && (is_floating(reduce.type) || is_complex(reduce.type));
}

}  // namespace

/// What `loops` gives, the loops over a row; `reductions`: of each accumulator, which all begin as `neutral`.
Values RegionEmitter::in_stretches(const Values& neutral, const std::vector<const RegionNode*>& reductions,
                                   const std::function<Values()>& loops) {
  summed_.clear();
  std::vector<llvm::Type*> types;
  std::vector<const RegionNode*> sums;
  for (size_t k = 0; k < neutral.size(); ++k) {
    summed_.push_back(is_rounded_sum(*reductions[k]) ? reductions[k] : nullptr);
    if (summed_[k] == nullptr) continue;
    types.push_back(neutral[k]->getType());
    sums.push_back(reductions[k]);
  }
  if (!facts_.stretches || sums.empty()) return loops();
  const auto join = [&](const Values& earlier, const Values& later) {
    Values joined;
    for (size_t k = 0; k < sums.size(); ++k) joined.push_back(combine(*sums[k], {earlier[k]}, {later[k]}, true)[0]);
    return joined;
  };
  PartialSums partial(scalar_, types, facts_.stretches->count, join);
  partial_ = &partial;
  Values last = loops();
  partial_ = nullptr;
  const Values total = partial.total();
  size_t next = 0;
  for (size_t k = 0; k < last.size(); ++k) {
    if (summed_[k] != nullptr) last[k] = total[next++];
  }
  return last;
}

/// The loop over row dimension k. Where the row is cut, `carried` holds neutral values for the sums, before and after.
Values RegionEmitter::row_loop(size_t k, int64_t step, const Values& carried,
                               const std::function<Values(Value* i, const Values& now)>& turn) {
  Value* extent = scalar_.index(region_.extents[k]);
  if (!is_cut(k)) return counted_loop(k, scalar_.index(0), extent, step, carried, turn);
  const int64_t length = facts_.stretches->turns * step;
  return counted_loop(k, scalar_.index(0), extent, length, carried, [&](Value* begin, const Values& now) {
    Value* next = ir_.CreateAdd(begin, scalar_.index(length));
    Value* end = ir_.CreateSelect(ir_.CreateICmpSLT(next, extent), next, extent);
    return end_stretch(carried, scalar_.counted_loop(begin, end, scalar_.index(step), now, turn));
  });
}

/// Hands the sums of a stretch over; what the next one begins with.
Values RegionEmitter::end_stretch(const Values& neutral, const Values& sums) {
  Values pushed, next = sums;
  for (size_t k = 0; k < sums.size(); ++k) {
    if (summed_[k] == nullptr) continue;
    pushed.push_back(sums[k]);
    next[k] = neutral[k];
  }
  partial_->push(pushed);
  return next;
}

}  // namespace hilo::cpu
