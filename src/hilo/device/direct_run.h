// SPDX-License-Identifier: Apache-2.0
// device/direct_run.h -- a run by addresses of host memory: the shortest path from a call to a program's code.
#pragma once

#include <optional>
#include <span>

#include "hilo/device/device.h"

namespace hilo {

/// One run of a program on host memory. The caller holds the memory until the run returns.
struct DirectRun {
  static constexpr size_t kMax = 64;  ///< number of arguments, and of results

  /// Per argument, its elements in the layout of the program's argument, aligned to the size of an element.
  std::span<const std::byte* const> arguments;
  /// Per result, the memory for its elements, which overlaps neither arguments nor other results. Null: a new buffer is
  /// created, and its address stored here.
  std::span<std::byte*> results;
  std::span<BufferPtr> buffers;  ///< per result: set to the new buffer, or unchanged
};

}  // namespace hilo
