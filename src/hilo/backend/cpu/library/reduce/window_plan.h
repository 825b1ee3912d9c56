// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/reduce/window_plan.h -- loops of library calls for windowed ops: over positions, over the
// elements of a window, and over adjacent lanes.
#pragma once

#include <algorithm>

#include "hilo/base/stop.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/window.h"
#include "hilo/types/shape.h"

namespace hilo::cpu {

/// The last dimensions in which the window has size one are lanes: one position of the others processes all of them.
/// The first such dimensions are independent batches.
struct WindowPlan {
  hlo::Window window;            ///< of the dimensions in between
  std::vector<int64_t> sizes;    ///< of the array in these dimensions
  std::vector<int64_t> strides;  ///< of the array in these dimensions, in elements
  std::vector<int64_t> counts;   ///< positions in these dimensions
  std::vector<int64_t> window_sizes;
  int64_t batches = 1, lanes = 1;
  int64_t array_batch = 1, result_batch = 1;  ///< elements of one batch

  int64_t positions() const { return hlo::count_of(counts); }
};

inline WindowPlan window_plan(const hlo::Window& window, std::span<const int64_t> sizes,
                              std::span<const int64_t> counts) {
  WindowPlan plan;
  size_t begin = 0, end = window.size();
  while (end > 0 && is_trivial(window[end - 1])) plan.lanes *= sizes[--end];
  while (begin < end && is_trivial(window[begin])) plan.batches *= sizes[begin++];
  const auto first = static_cast<std::ptrdiff_t>(begin), last = static_cast<std::ptrdiff_t>(end);
  plan.window.assign(window.begin() + first, window.begin() + last);
  plan.sizes.assign(sizes.begin() + first, sizes.begin() + last);
  plan.counts.assign(counts.begin() + first, counts.begin() + last);
  plan.strides = row_major_strides(plan.sizes);
  for (int64_t& stride : plan.strides) stride *= plan.lanes;
  for (const hlo::WindowDimension& w : plan.window) plan.window_sizes.push_back(w.size);
  plan.array_batch = hlo::count_of(plan.sizes) * plan.lanes;
  plan.result_batch = hlo::count_of(plan.counts) * plan.lanes;
  return plan;
}

inline constexpr int64_t kWindowPollInterval = 1 << 10;  // elements of a window between checks of the stop word

/// Calls f(offset of the first lane) for the elements of one window that are in the array, row-major, until the work
/// must stop. Stops at a dimension in which no element of the window is inside.
template <typename F>
void for_each_source(const WindowPlan& plan, std::span<const int64_t> position, size_t dimension, int64_t base,
                     const F& f) {
  if (dimension == plan.window.size()) {
    f(base);
    return;
  }
  const hlo::WindowDimension& w = plan.window[dimension];
  for (int64_t k = 0; k < w.size; ++k) {
    if (k % kWindowPollInterval == kWindowPollInterval - 1 && stop_requested()) return;
    const std::optional<int64_t> at = hlo::window_source(w, plan.sizes[dimension], position[dimension], k);
    if (at) for_each_source(plan, position, dimension + 1, base + *at * plan.strides[dimension], f);
  }
}

/// Lists the offsets that for_each_source visits, for callers that need them for each lane.
inline void list_sources(const WindowPlan& plan, std::span<const int64_t> position, std::vector<int64_t>& offsets) {
  offsets.clear();
  for_each_source(plan, position, 0, 0, [&](int64_t at) { offsets.push_back(at); });
}

/// Computes the index of a position from its number.
inline void position_at(std::span<const int64_t> counts, int64_t number, std::span<int64_t> position) {
  for (size_t d = counts.size(); d-- > 0;) {
    position[d] = number % counts[d];
    number /= counts[d];
  }
}

}  // namespace hilo::cpu
