// SPDX-License-Identifier: Apache-2.0
// engine/region_poll.h -- where the loops of long regions look at the stop word. The outermost loop is cut by whoever
// calls the kernel; a loop further in, whose outer ones take too long for a turn, looks for itself.
#pragma once

#include <optional>

#include "hilo/engine/costs.h"
#include "hilo/engine/regions.h"

namespace hilo::engine {

inline constexpr double kStretchNanoseconds = 2e6;  // ns of estimated work, which may take ten times as long

/// A loop that looks at the word before every `turns` of its indices.
struct PolledLoop {
  size_t dimension;
  int64_t turns;
};

/// The loop within the outermost one (or that one, in a region that is one row) which looks; none in short regions.
std::optional<PolledLoop> polled_loop(const Region& region, const Costs& costs);

}  // namespace hilo::engine
