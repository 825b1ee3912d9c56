// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/parallel.h -- how library code divides its work among threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hilo/base/stop.h"
#include "hilo/base/thread_pool.h"

namespace hilo::cpu {

/// Calls run(begin, end) for `parts` stretches of [0, count) that together are all of it, on several threads if there is
/// more than one part.
template <typename Run>
void in_parts(int64_t count, int64_t parts, const Run& run) {
  if (parts <= 1) return run(int64_t{0}, count);
  default_pool().parallel_for(parts, [&](int64_t p) { run(count * p / parts, count * (p + 1) / parts); });
}

/// in_parts with a call run(k) for each k, until the work is to stop.
template <typename Run>
void each_in_parts(int64_t count, int64_t parts, const Run& run) {
  in_parts(count, parts, [&](int64_t begin, int64_t end) {
    const StopFlag stop;
    for (int64_t k = begin; k < end && !stop.raised(); ++k) run(k);
  });
}

/// Parts of `count` items that keep all threads busy though some take longer. Only where results don't depend on it.
inline int64_t parts_for_threads(int64_t count) { return std::min<int64_t>(count, default_pool().threads() * 4); }

}  // namespace hilo::cpu
