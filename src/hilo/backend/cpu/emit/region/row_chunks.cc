// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/facts.h"

#include <algorithm>

namespace hilo::cpu {

std::optional<RowChunks> row_chunks_of(const Region& region, const RegionShape& shape) {
  constexpr int64_t kMaxTurnsInOrder = 16;  // of a sum in a register of lanes; longer ones are joined from chunks
  if (std::ranges::find(region.extents, 0) != region.extents.end()) return std::nullopt;
  const int64_t in_order = std::max(kMaxTurnsInOrder, kMaxShortDot / shape.lanes);
  int64_t inside = 1;  // turns of the inner loops
  for (size_t k = region.extents.size(); k-- > region.row_begin;) {
    const int64_t step = k == shape.vector_dimension ? shape.lanes : 1;
    const int64_t turns = (region.extents[k] + step - 1) / step;
    if (turns * inside <= in_order) {
      inside *= turns;
      continue;
    }
    const int64_t most = std::max<int64_t>(in_order / inside, 1);
    int64_t count = (turns + most - 1) / most;
    const int64_t length = (turns + count - 1) / count;
    count = (turns + length - 1) / length;
    for (size_t outer = region.row_begin; outer < k; ++outer) count *= region.extents[outer];
    return RowChunks{k, length, count};
  }
  return std::nullopt;
}

}  // namespace hilo::cpu
