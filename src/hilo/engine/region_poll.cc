// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/region_poll.h"

#include <algorithm>

namespace hilo::engine {

std::optional<PolledLoop> polled_loop(const Region& region, const Costs& costs) {
  double turn = region_cost(region, costs);  // for one index of each loop entered so far
  for (size_t k = 0; k < region.extents.size(); ++k) {
    const int64_t extent = std::max<int64_t>(region.extents[k], 1);
    const double whole = turn;
    turn /= static_cast<double>(extent);
    if (k == 0 && region.row_begin > 0) continue;
    if (whole < 2 * kPollNanoseconds) return std::nullopt;
    if (turn < kPollNanoseconds)
      return PolledLoop{k, std::max<int64_t>(1, static_cast<int64_t>(kPollNanoseconds / turn))};
  }
  return std::nullopt;
}

}  // namespace hilo::engine
