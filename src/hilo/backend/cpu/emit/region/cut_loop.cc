// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/loop_forms.h"

#include <algorithm>

namespace hilo::cpu {
namespace {

using llvm::Value;

std::vector<CutRange> ranges_of_cuts(const RegionState& s, size_t k) {
  std::vector<CutRange> ranges;
  int64_t first = 0;
  for (int64_t cut : s.facts.cuts[k]) {
    ranges.push_back({first, cut});
    first = cut;
  }
  ranges.push_back({first, s.region.extents[k]});
  return ranges;
}

/// Emits the part of a range in [from, to). The last vector overlaps the previous one; the range is at least as long as
/// a vector.
void loop_within(RegionState& s, size_t k, CutRange range, Value* from, Value* to, const Inside& inside) {
  s.here[k] = range;
  const int64_t step = s.is_vector(k) ? s.facts.shape.lanes : 1;
  Value* const last = s.ir.CreateSub(to, s.scalar.index(step));
  counted_loop(s, k, from, to, step, {}, [&](Value* i, const Values&) {
    at_index(s, k, step == 1 ? i : s.ir.CreateSelect(s.ir.CreateICmpSLT(i, last), i, last), inside);
    return Values{};
  });
  s.here[k] = std::nullopt;
}

/// Emits a whole dimension. Ranges shorter than a vector use one vector with guards, whose masks are constants.
void cut_fixed_vectors(RegionState& s, size_t k, const Inside& inside) {
  const int64_t lanes = s.facts.shape.lanes;
  int64_t done = 0;
  for (const CutRange& range : ranges_of_cuts(s, k)) {
    const int64_t first = std::max(range.first, done);
    if (range.end <= first) continue;
    if (range.end - first >= lanes) {
      loop_within(s, k, range, s.scalar.index(first), s.scalar.index(range.end), inside);
      done = range.end;
      continue;
    }
    const int64_t at = std::min(first, s.region.extents[k] - lanes);
    at_index(s, k, s.scalar.index(at), inside);
    done = at + lanes;
  }
}

/// Emits the part of a range in [from, to), which is at least as long as a vector.
void cut_vectors(RegionState& s, size_t k, CutRange range, Value* first, Value* end, Value* to, const Inside& inside) {
  Value* const lanes = s.scalar.index(s.facts.shape.lanes);
  const auto one = [&] {
    Value* const last = s.ir.CreateSub(to, lanes);
    at_index(s, k, s.ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, first, last), inside);
  };
  const auto whole = [&] { loop_within(s, k, range, first, end, inside); };
  const auto few = [&] { s.scalar.branch(s.ir.CreateICmpSLT(first, end), one); };
  s.scalar.branch(s.ir.CreateICmpSGE(s.ir.CreateSub(end, first), lanes), whole, few);
}

}  // namespace

void cut_loop(RegionState& s, size_t k, Value* from, Value* to, const Inside& inside) {
  // Threads share the outermost dimension only; the bounds of other dimensions are constants.
  if (k > 0 && s.is_vector(k)) return cut_fixed_vectors(s, k, inside);
  for (const CutRange& range : ranges_of_cuts(s, k)) {
    Value* const first = s.ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, from, s.scalar.index(range.first));
    Value* const end = s.ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, to, s.scalar.index(range.end));
    if (s.is_vector(k)) cut_vectors(s, k, range, first, end, to, inside);
    else if (k == 0) loop_within(s, k, range, first, end, inside);
    else loop_within(s, k, range, s.scalar.index(range.first), s.scalar.index(range.end), inside);
  }
}

}  // namespace hilo::cpu
