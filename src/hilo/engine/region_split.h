// SPDX-License-Identifier: Apache-2.0
// engine/region_split.h -- splits reductions of everything to one value into parts for threads.
#pragma once

#include <optional>

#include "hilo/engine/regions.h"

namespace hilo::engine {

/// `parts` reduces fixed ranges of the row; `whole` reduces the results of the parts. The split depends on the program
/// alone, so the result has the same bits for any number of threads. Inputs of `whole` from `first_partial` on are the
/// outputs of `parts`, in order. Inputs before `first_partial` are those of the region.
struct SplitRegion {
  Region parts, whole;
  size_t first_partial = 0;
  std::vector<int64_t> partial_bytes;
};

/// Splits a region that is one large reduction over a row. Returns nullopt for other regions, or if no divisor fits.
std::optional<SplitRegion> split_reduction(const Region& region);

}  // namespace hilo::engine
