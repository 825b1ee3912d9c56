// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/windows.h -- windowed reductions: over positions, over the elements of a window, and over
// adjacent lanes.
#pragma once

#include "hilo/backend/cpu/runtime/call.h"
#include "hilo/hlo/ir/computation.h"
#include "hilo/hlo/ops/window_source.h"
#include "hilo/types/element_type.h"

namespace hilo::cpu::runtime {

/// A dimension along which windows slide.
struct SlidDimension {
  hlo::WindowDimension window;
  int64_t size = 0;    ///< of the array
  int64_t stride = 0;  ///< of the array, in elements
  int64_t count = 0;   ///< positions
};

/// The dimensions between the batches and the lanes.
struct Windows {
  List<SlidDimension> dimensions;
  int64_t batches = 1, lanes = 1, positions = 1;
  int64_t array_batch = 1;   ///< elements of a batch
  int64_t most_sources = 1;  ///< elements of a window that are in the array, at most
};

/// Units: positions of all batches. Scratch: an int64 a dimension.
struct ReduceWindowProblem {
  Windows windows;
  bool is_short = false;  ///< whether each step is rounded to the element type
  ElementType type{};
  hlo::ReducerKind kind{};
};

/// Any reducer of n arrays, as a compiled function of scalars. Units: positions of all batches. Scratch:
/// reduce_window_scratch().
struct ReduceWindowCompiledProblem {
  Windows windows;
  List<int64_t> widths;  ///< bytes of the elements of the arrays
};
size_t reduce_window_scratch(size_t dimensions, int64_t most_sources, size_t arrays);

inline constexpr int64_t kWindowPollInterval = 1 << 10;  // elements of a window between checks of the stop word

/// Calls f(offset of the first lane) for the elements of one window that are in the array, row-major, until
/// `stop.raised()`. Stops at a dimension in which no element of the window is inside.
template <typename Stop, typename F>
void for_each_source(std::span<const SlidDimension> dimensions, std::span<const int64_t> position, size_t dimension,
                     int64_t base, const Stop& stop, const F& f) {
  if (dimension == dimensions.size()) {
    f(base);
    return;
  }
  const SlidDimension& d = dimensions[dimension];
  for (int64_t k = 0; k < d.window.size; ++k) {
    if (k % kWindowPollInterval == kWindowPollInterval - 1 && stop.raised()) return;
    const std::optional<int64_t> at = hlo::source_in_window(d.window, d.size, position[dimension], k);
    if (at) for_each_source(dimensions, position, dimension + 1, base + *at * d.stride, stop, f);
  }
}

}  // namespace hilo::cpu::runtime
