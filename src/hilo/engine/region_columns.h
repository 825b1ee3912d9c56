// SPDX-License-Identifier: Apache-2.0
// engine/region_columns.h -- regions of narrow rows with their columns written out: one value for each column, and no
// loop over them.
#pragma once

#include <optional>

#include "hilo/engine/regions.h"

namespace hilo::engine {

inline constexpr int64_t kMaxColumns = 32;  // a register each

/// Returns the first of the last dimensions that together have few indices, the columns, if a region over these extents
/// has many rows of them. Returns the number of dimensions otherwise.
/// Example   {100, 4096, 3}: 2; {4096, 64}: 2
size_t first_column(std::span<const int64_t> extents);

/// Whether the reduction accumulates in the type of its elements, so that elementwise ops are the same. Not for dots.
bool is_plain_reduction(const RegionNode& reduce);

/// Whether the code of the region may have the columns written out: a map, or reductions along the columns in the type
/// of their elements.
bool may_write_columns(const Region& region);

/// A region whose last dimensions, the columns, are written out. Per output: the number of the original's output.
struct RegionColumns {
  Region region;
  std::vector<uint32_t> outputs;
  std::vector<hlo::ComputationPtr> bodies = {};  ///< of dots: the region's nodes point into them
};

/// Writes out the dimensions from `begin` on. An output along them becomes one for each column, next to each other.
/// Guards along the columns are decided, equal nodes are one, and reductions are elementwise ops; terms of dots of
/// floats are fma if `fused`. Returns nullopt if outputs don't fill whole rows, if indices differ between rows by more
/// than a factor, or if there are too many nodes.
/// Example   concatenate(f32[n,1], f32[n,2]) -> f32[n,3]: a loop over n with three loads and three outputs
std::optional<RegionColumns> write_columns(const Region& region, size_t begin, bool fused);

}  // namespace hilo::engine
