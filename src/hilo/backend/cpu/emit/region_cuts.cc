// SPDX-License-Identifier: Apache-2.0
// Loops of maps, written once for each stretch between the places where guards begin or cease to hold. Of u8[17,100] rolled by one
// column, index 0 reads the last column and the others their neighbours: one vector at 0 under a mask, the others under none.
#include <algorithm>

#include "hilo/backend/cpu/emit/region_emitter.h"

namespace hilo::cpu {

using llvm::Value;

RegionEmitter::GuardState RegionEmitter::guard_state(const Guard& guard) const {
  const std::optional<GuardRange> range = range_of(guard, region_.extents);
  if (!range || !here_[range->dimension]) return GuardState::kMixed;
  const Stretch& here = *here_[range->dimension];
  if (here.first >= range->first && here.end <= range->end) return GuardState::kInside;
  return here.end <= range->first || here.first >= range->end ? GuardState::kOutside : GuardState::kMixed;
}

RegionEmitter::GuardState RegionEmitter::guard_state(const RegionNode& node) const {
  GuardState all = GuardState::kInside;
  for (const Guard& g : node.guards) {
    const GuardState one = guard_state(g);
    if (one == GuardState::kOutside) return one;
    if (one == GuardState::kMixed) all = one;
  }
  return all;
}

std::vector<RegionEmitter::Stretch> RegionEmitter::stretches_of_cuts(size_t k) const {
  std::vector<Stretch> stretches;
  int64_t first = 0;
  for (int64_t cut : facts_.cuts[k]) {
    stretches.push_back({first, cut});
    first = cut;
  }
  stretches.push_back({first, region_.extents[k]});
  return stretches;
}

void RegionEmitter::loop_over_cuts(size_t k, Value* from, Value* to, const std::function<void()>& inside) {
  if (is_vector(k)) {
    // Only the outermost dimension is cut into parts.
    if (k > 0) cut_fixed_vectors(k, inside);
    else cut_vectors(k, from, to, inside);
    return;
  }
  for (const Stretch& s : stretches_of_cuts(k)) {
    Value* const first = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, from, scalar_.index(s.first));
    Value* const end = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, to, scalar_.index(s.end));
    loop_within(k, s, k > 0 ? scalar_.index(s.first) : first, k > 0 ? scalar_.index(s.end) : end, inside);
  }
}

/// The part of a stretch in [from, to). The last vector overlaps the one before; there are indices enough for one.
void RegionEmitter::loop_within(size_t k, Stretch stretch, Value* from, Value* to,
                                const std::function<void()>& inside) {
  here_[k] = stretch;
  const int64_t step = is_vector(k) ? facts_.shape.lanes : 1;
  Value* const last = ir_.CreateSub(to, scalar_.index(step));
  counted_loop(k, from, to, step, {}, [&](Value* i, const Values&) {
    at_index(k, step == 1 ? i : ir_.CreateSelect(ir_.CreateICmpSLT(i, last), i, last), inside);
    return Values{};
  });
  here_[k] = std::nullopt;
}

void RegionEmitter::at_index(size_t k, Value* index, const std::function<void()>& inside) {
  const Position before = position_;
  enter(k, index);
  inside();
  position_ = before;
}

/// All of a dimension. What is too short for a vector is done by one that looks at its guards, whose masks are constants then.
void RegionEmitter::cut_fixed_vectors(size_t k, const std::function<void()>& inside) {
  const int64_t lanes = facts_.shape.lanes;
  int64_t done = 0;
  for (const Stretch& s : stretches_of_cuts(k)) {
    const int64_t first = std::max(s.first, done);
    if (s.end <= first) continue;
    if (s.end - first >= lanes) {
      loop_within(k, s, scalar_.index(first), scalar_.index(s.end), inside);
      done = s.end;
      continue;
    }
    const int64_t at = std::min(first, region_.extents[k] - lanes);
    at_index(k, scalar_.index(at), inside);
    done = at + lanes;
  }
}

/// The part [from, to) of a dimension, which is no shorter than a vector.
void RegionEmitter::cut_vectors(size_t k, Value* from, Value* to, const std::function<void()>& inside) {
  Value* const lanes = scalar_.index(facts_.shape.lanes);
  for (const Stretch& s : stretches_of_cuts(k)) {
    Value* const first = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, from, scalar_.index(s.first));
    Value* const end = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, to, scalar_.index(s.end));
    const auto whole = [&] {
      loop_within(k, s, first, end, inside);
      return Values{};
    };
    const auto nothing = [] { return Values{}; };
    const auto one = [&] {
      Value* const last = ir_.CreateSub(to, lanes);
      at_index(k, ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, first, last), inside);
      return Values{};
    };
    const auto few = [&] { return scalar_.if_else(ir_.CreateICmpSLT(first, end), one, nothing); };
    scalar_.if_else(ir_.CreateICmpSGE(ir_.CreateSub(end, first), lanes), whole, few);
  }
}

}  // namespace hilo::cpu
