// SPDX-License-Identifier: Apache-2.0
// The code of narrow rows has the columns written out, so a value that is read under a guard, or at several columns, is
// computed only where it is read.
#include <algorithm>

#include "hilo/engine/element_moves.h"
#include "hilo/engine/region_former.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::engine {
namespace {

/// Returns the map at these indices of the region's last dimensions, the first of which is `begin`, without guards that
/// hold. Returns nullopt if a guard doesn't hold.
std::optional<AccessMap> at_columns(const AccessMap& map, size_t begin, std::span<const int64_t> columns) {
  AccessMap result = map;
  for (IndexExpr& e : result.index) e = at_indices(std::move(e), begin, columns);
  result.guards.clear();
  for (Guard g : map.guards) {
    g.index = at_indices(std::move(g.index), begin, columns);
    if (!g.index.coefficients.empty() || !g.index.terms.empty()) result.guards.push_back(std::move(g));
    else if (g.index.constant < g.low || g.index.constant >= g.high) return std::nullopt;
  }
  return result;
}

/// Adds the different maps at the columns of the region.
void add_maps(std::span<const int64_t> extents, size_t begin, const AccessMap& map, std::vector<AccessMap>& maps) {
  const std::span<const int64_t> last = extents.subspan(begin);
  for (int64_t column = 0; column < hlo::count_of(last); ++column) {
    std::optional<AccessMap> here = at_columns(map, begin, indices_of(last, column));
    if (here && std::ranges::find(maps, *here) == maps.end()) maps.push_back(*std::move(here));
  }
}

}  // namespace

bool is_interleaving(const RegionState& state, const Node& node) {
  if (node.instruction->opcode != hlo::Opcode::kConcatenate) return false;
  const Shape& shape = state.shape(node.results[0]);
  const auto axis = static_cast<size_t>(hlo::attributes_of<hlo::ConcatenateAttributes>(*node.instruction).dimension);
  // Vectors along wider operands do less work than one for each of their columns.
  const int64_t width = shape.dimensions()[axis], operands = std::ssize(node.operands);
  return axis >= first_column(shape.dimensions()) && operands > 1 && 2 * width < 7 * operands;
}

bool has_columns(const RegionState& state, uint32_t region) {
  return state.interleaves[region] && may_write_columns(state.regions[region]);
}

std::vector<AccessMap> read_maps(const RegionState& state, ValueId value, uint32_t region) {
  const std::vector<int64_t>& extents = state.regions[region].extents;
  const size_t begin = has_columns(state, region) ? first_column(extents) : extents.size();
  std::vector<AccessMap> maps;
  for (const Request& r : state.requests[value]) {
    if (r.region == region) add_maps(extents, begin, r.map, maps);
  }
  return maps;
}

}  // namespace hilo::engine
