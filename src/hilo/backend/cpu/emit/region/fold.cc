// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/facts.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "hilo/backend/cpu/emit/region/node_traits.h"

namespace hilo::cpu {
namespace {

/// Returns how many indices of the dimension before the last fill whole vectors of `lanes`, if the last one is narrow.
/// Returns 0 if vectors along both dimensions don't pay off. The positions of a vector's elements must be constants,
/// and close together. Example: padding f32[n,4] to f32[n,6], 3 vectors of 16 lanes are 8 rows. If there are fewer
/// rows, all of them are used: of f32[n,4,5] 3 vectors of 8 lanes are 4 rows, and the last vector overlaps the previous
/// one. Half-filled vectors pay off if a function is computed.
int64_t folded_rows(const Region& region, int lanes) {
  constexpr int64_t kMaxVectors = 8, kMaxNodes = 256;
  const size_t rank = region.extents.size();
  if (region.has_row() || rank < 2 || region.updated != engine::kNoValue) return 0;
  const int64_t narrow = region.extents[rank - 1];
  const bool halves = std::has_single_bit(static_cast<uint64_t>(narrow)) && 2 * narrow >= lanes;
  if (narrow < 2 || narrow >= lanes || (halves && std::ranges::none_of(region.nodes, is_expensive))) return 0;
  const int64_t whole = lanes / std::gcd(narrow, int64_t{lanes}), there_are = region.extents[rank - 2];
  if (whole > there_are && (rank < 3 || there_are * narrow < lanes)) return 0;
  const int64_t rows = std::min(whole, there_are), vectors = (rows * narrow + lanes - 1) / lanes;
  if (vectors > kMaxVectors) return 0;
  if (vectors * std::ssize(region.nodes) > kMaxNodes) return 0;
  for (const RegionOutput& o : region.outputs) {
    const bool in_step = o.index.coefficient(rank - 1) == 1 && o.index.coefficient(rank - 2) == narrow;
    if (!in_step || !o.index.terms.empty()) return 0;
  }
  for (const RegionNode& n : region.nodes) {
    if (is_complex(n.type)) return 0;
    if (n.kind != NodeKind::kLoad) continue;
    const int64_t along_rows = std::abs(n.index.coefficient(rank - 2)), along = std::abs(n.index.coefficient(rank - 1));
    if (along_rows * (lanes / narrow) + along * (narrow - 1) >= 2 * lanes) return 0;
  }
  return rows;
}

/// Returns the lanes of vectors along two dimensions. Returns half of `lanes` if a function is computed and whole
/// vectors would compute it far too often: for f32[n,4,5] 32 elements instead of 24.
int lanes_of_folded(const Region& region, int lanes) {
  if (std::ranges::none_of(region.nodes, is_expensive)) return lanes;
  const int64_t whole = folded_rows(region, lanes), half = folded_rows(region, lanes / 2);
  if (whole == 0 || half == 0) return lanes;
  const auto computed = [&](int64_t rows, int64_t of) { return (rows * region.extents.back() + of - 1) / of * of; };
  return 4 * computed(whole, lanes) * half > 5 * computed(half, lanes / 2) * whole ? lanes / 2 : lanes;
}

}  // namespace

std::optional<RegionShape> folded_shape(const Region& region, int lanes) {
  RegionShape shape;
  shape.lanes = lanes_of_folded(region, lanes);
  shape.step = folded_rows(region, shape.lanes);
  if (shape.step == 0) return std::nullopt;
  const size_t rank = region.extents.size();
  shape.vector_dimension = rank - 2;
  shape.folded = region.extents[rank - 1];
  shape.overlaps = region.extents[rank - 2] % shape.step != 0 || shape.step * shape.folded % shape.lanes != 0;
  return shape;
}

}  // namespace hilo::cpu
