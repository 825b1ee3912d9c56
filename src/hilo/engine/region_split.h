// SPDX-License-Identifier: Apache-2.0
// engine/region_split.h -- reductions of everything to one value, cut into parts that threads can share.
#pragma once

#include <optional>

#include "hilo/engine/regions.h"

namespace hilo::engine {

/// `parts` reduces fixed stretches of the row; `whole` reduces the parts. The cut depends on the program alone, so the
/// result has the same bits for any number of threads. Inputs of `whole` from `first_partial` on are the outputs of
/// `parts`, in order; those before it are inputs of the region.
struct SplitRegion {
  Region parts, whole;
  size_t first_partial = 0;
  std::vector<int64_t> partial_bytes;
};

/// Nullopt if the region isn't one large reduction over a row, or doesn't divide.
std::optional<SplitRegion> split_reduction(const Region& region);

}  // namespace hilo::engine
