// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/loop_forms.h"

#include "hilo/backend/cpu/emit/region/reducer.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

bool is_rounded_sum(const RegionNode& reduce) {
  return reducer_of(reduce) == hlo::ReducerKind::kAdd && (is_floating(reduce.type) || is_complex(reduce.type));
}

/// Adds the sums of a chunk to the total. Returns the start values of the next chunk.
Values end_chunk(RegionState& s, const Values& neutral, const Values& sums) {
  Values pushed, next = sums;
  for (size_t k = 0; k < sums.size(); ++k) {
    if (s.sums.reductions[k] == nullptr) continue;
    pushed.push_back(sums[k]);
    next[k] = neutral[k];
  }
  s.sums.partial->push(pushed);
  return next;
}

}  // namespace

Values in_chunks(RegionState& s, const Values& neutral, const std::vector<const RegionNode*>& reductions,
                 const std::function<Values()>& loops) {
  s.sums.reductions.clear();
  std::vector<llvm::Type*> types;
  std::vector<const RegionNode*> sums;
  for (size_t k = 0; k < neutral.size(); ++k) {
    s.sums.reductions.push_back(is_rounded_sum(*reductions[k]) ? reductions[k] : nullptr);
    if (s.sums.reductions[k] == nullptr) continue;
    types.push_back(neutral[k]->getType());
    sums.push_back(reductions[k]);
  }
  if (!s.facts.chunks || sums.empty()) return loops();
  const auto join = [&](const Values& earlier, const Values& later) {
    Values joined;
    for (size_t k = 0; k < sums.size(); ++k) joined.push_back(combine(s, *sums[k], {earlier[k]}, {later[k]}, true)[0]);
    return joined;
  };
  PartialSums partial(s.scalar, types, s.facts.chunks->count, join);
  s.sums.partial = &partial;
  Values last = loops();
  s.sums.partial = nullptr;
  const Values total = partial.total();
  size_t next = 0;
  for (size_t k = 0; k < last.size(); ++k) {
    if (s.sums.reductions[k] != nullptr) last[k] = total[next++];
  }
  return last;
}

bool is_cut(const RegionState& s, size_t k) { return s.sums.partial != nullptr && s.facts.chunks->dimension == k; }

Values row_loop(RegionState& s, size_t k, int64_t step, const Values& carried, const LoopBody& turn) {
  Value* const zero = s.scalar.index(0);
  if (!is_cut(s, k)) return counted_loop(s, k, zero, s.extent(k), step, carried, turn);
  const int64_t length = s.facts.chunks->turns * step;
  return counted_loop(s, k, zero, s.extent(k), length, carried, [&](Value* begin, const Values& now) {
    Value* const end = end_of_part(s, begin, s.extent(k), length);
    return end_chunk(s, carried, s.scalar.counted_loop(begin, end, s.scalar.index(step), now, turn));
  });
}

}  // namespace hilo::cpu
