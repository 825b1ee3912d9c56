// SPDX-License-Identifier: Apache-2.0
// engine/region_poll.h -- selects the loop of a long region that checks the stop word. The caller of the kernel splits
// the outermost loop. If one turn of it takes too long, an inner loop checks the word.
#pragma once

#include <optional>

#include "hilo/engine/costs.h"
#include "hilo/engine/regions.h"

namespace hilo::engine {

inline constexpr double kPollNanoseconds = 2e6;  // ns of estimated work, which may take ten times longer

/// A loop that checks the word before every `turns` of its indices.
struct PolledLoop {
  size_t dimension;
  int64_t turns;
};

/// Returns the inner loop that checks the word; it may be the outermost one in a region that is one row. Returns
/// nullopt for short regions.
std::optional<PolledLoop> polled_loop(const Region& region, const Costs& costs);

}  // namespace hilo::engine
