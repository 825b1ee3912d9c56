// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/loop_forms.h"

#include <algorithm>
#include <utility>

#include "hilo/backend/cpu/emit/region/nodes.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

constexpr int64_t kTileRows = 16;  // floats per cache line
// in the other direction; lines whose distance is a power of two share few sets of a cache
constexpr int64_t kTileVectors = 2;

}  // namespace

bool is_transposing(const RegionState& s) {
  const size_t v = s.facts.shape.vector_dimension;
  if (s.region.has_row() || s.is_folded() || s.facts.shape.lanes == 1 ||
      s.region.extents[v] <= kTileVectors * s.facts.shape.lanes)
    return false;
  return std::ranges::any_of(s.region.nodes, [&](const RegionNode& n) {
    return n.kind == NodeKind::kLoad && std::abs(n.index.coefficient(v)) > 1 &&
           std::abs(n.index.coefficient(v - 1)) == 1;
  });
}

void tile_loops(RegionState& s, Value* from, Value* to, const Inside& inside) {
  const size_t v = s.facts.shape.vector_dimension;
  const int64_t lanes = s.facts.shape.lanes;
  // tiles are too short to check the stop word inside
  const bool polls = std::exchange(s.polled, std::nullopt).has_value();
  loop_in_parts(s, from, to, kTileRows, {}, [&](Value* row, Value* last_row, const Values&) {
    Value* const end = polls ? end_unless_stopped(s, s.scalar.index(0), s.extent(v)) : s.extent(v);
    return loop_in_parts(s, s.scalar.index(0), end, kTileVectors * lanes, {},
                         [&](Value* column, Value* last, const Values&) {
                           plain_loop(s, v - 1, row, last_row, 1, [&] {
                             emit_level(s, static_cast<int>(v - 1));
                             plain_loop(s, v, column, last, lanes, inside);
                           });
                           return Values{};
                         });
  });
}

}  // namespace hilo::cpu
