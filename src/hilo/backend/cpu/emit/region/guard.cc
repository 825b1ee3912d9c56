// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/index.h"

#include <algorithm>

#include "hilo/backend/cpu/emit/numbers.h"
#include "hilo/backend/cpu/emit/region/facts.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

GuardState guard_state(const RegionState& s, const Guard& guard) {
  const std::optional<GuardRange> range = range_of(guard, s.region.extents);
  if (!range || !s.here[range->dimension]) return GuardState::kMixed;
  const CutRange& here = *s.here[range->dimension];
  if (here.first >= range->first && here.end <= range->end) return GuardState::kInside;
  return here.end <= range->first || here.first >= range->end ? GuardState::kOutside : GuardState::kMixed;
}

/// Returns a mask of the lanes i for which low <= index + i < high. Compares in numbers that fill one register, or in
/// the narrowest that include all lanes.
Value* lanes_between(SimdBuilder& b, Value* index, int64_t low, int64_t high) {
  auto& ir = b.ir();
  const auto lanes = static_cast<unsigned>(b.lanes());
  if (const auto* at = llvm::dyn_cast<llvm::ConstantInt>(index)) {
    std::vector<llvm::Constant*> inside;
    for (int64_t i = at->getSExtValue(); inside.size() < lanes; ++i) inside.push_back(ir.getInt1(low <= i && i < high));
    return llvm::ConstantVector::get(inside);
  }
  const auto register_bits = static_cast<unsigned>(8 * vector_bytes(b.isa()));
  llvm::Type* const number = number_type(ir.getContext(), b.lanes(), std::min(register_bits / lanes, 64u));
  const auto clipped = [&](Value* x) {
    Value* const from_zero = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, ir.getInt64(0));
    Value* const lane = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, from_zero, ir.getInt64(lanes));
    return ir.CreateVectorSplat(lanes, ir.CreateTrunc(lane, number));
  };
  Value* const lane = b.lane_numbers(number);
  Value* const first = clipped(ir.CreateSub(ir.getInt64(static_cast<uint64_t>(low)), index));
  Value* const end = clipped(ir.CreateSub(ir.getInt64(static_cast<uint64_t>(high)), index));
  return ir.CreateAnd(ir.CreateICmpSGE(lane, first), ir.CreateICmpSLT(lane, end));
}

}  // namespace

GuardState guard_state(const RegionState& s, const RegionNode& node) {
  GuardState all = GuardState::kInside;
  for (const Guard& g : node.guards) {
    const GuardState one = guard_state(s, g);
    if (one == GuardState::kOutside) return one;
    if (one == GuardState::kMixed) all = one;
  }
  return all;
}

Value* guard_mask(RegionState& s, uint32_t n, bool& wide) {
  wide = false;
  const RegionNode& node = s.region.nodes[n];
  Value* all = nullptr;
  for (size_t k = 0; k < node.guards.size(); ++k) {
    const Guard& g = node.guards[k];
    if (guard_state(s, g) == GuardState::kInside) continue;
    const uint32_t e = s.guard_expressions[n][k];
    const bool has_terms = has_varying_terms(s, e);
    const int64_t step = s.region.extents.empty() ? 0 : lane_step(s, e);
    const bool varies = s.facts.shape.lanes > 1 && (step != 0 || has_terms);
    Value* holds = nullptr;
    if (varies && step == 1 && !has_terms) {
      holds = lanes_between(s.wide, scalar_index(s, e), g.low, g.high);
    } else {
      SimdBuilder& b = s.builder(varies);
      // Tests low <= index < high as one unsigned comparison.
      Value* offset = s.ir.CreateSub(index_in(s, e, varies), b.i64(g.low));
      holds = s.ir.CreateICmpULT(offset, b.i64(g.high - g.low));
    }
    if (all == nullptr) {
      all = holds;
      wide = varies;
      continue;
    }
    if (wide != varies) (wide ? holds : all) = s.wide.splat(wide ? holds : all);
    wide |= varies;
    all = s.ir.CreateAnd(all, holds);
  }
  return all;
}

}  // namespace hilo::cpu
