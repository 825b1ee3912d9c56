// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/reduce/window_plan.h -- windowed ops as loops over positions, over the elements of a window, and
// over adjacent lanes.
#pragma once

#include <algorithm>

#include "hilo/backend/cpu/runtime/windows.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/window.h"
#include "hilo/types/shape.h"

namespace hilo::cpu {

/// The last dimensions in which the window has size one are lanes: one position of the others processes all of them.
/// The first such dimensions are independent batches.
struct WindowPlan {
  std::vector<runtime::SlidDimension> dimensions;  ///< those in between
  std::vector<int64_t> counts;                     ///< positions in these dimensions
  int64_t batches = 1, lanes = 1;
  int64_t array_batch = 1;  ///< elements of one batch

  int64_t positions() const { return hlo::count_of(counts); }
  /// Returns the most elements of a window that are in the array.
  int64_t most_sources() const {
    int64_t count = 1;
    for (const runtime::SlidDimension& d : dimensions) count *= std::min(d.window.size, d.size);
    return count;
  }
  /// Returns the plan without its dimensions.
  runtime::Windows windows() const { return {{}, batches, lanes, positions(), array_batch, most_sources()}; }
};

inline WindowPlan window_plan(const hlo::Window& window, std::span<const int64_t> sizes,
                              std::span<const int64_t> counts) {
  WindowPlan plan;
  size_t begin = 0, end = window.size();
  while (end > 0 && is_trivial(window[end - 1])) plan.lanes *= sizes[--end];
  while (begin < end && is_trivial(window[begin])) plan.batches *= sizes[begin++];
  plan.array_batch = plan.lanes;
  for (size_t d = end; d-- > begin;) {
    plan.dimensions.insert(plan.dimensions.begin(), {window[d], sizes[d], plan.array_batch, counts[d]});
    plan.counts.insert(plan.counts.begin(), counts[d]);
    plan.array_batch *= sizes[d];
  }
  return plan;
}

}  // namespace hilo::cpu
