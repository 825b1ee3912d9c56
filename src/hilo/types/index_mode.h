// SPDX-License-Identifier: Apache-2.0
// types/index_mode.h -- treatment of indices out of bounds.
#pragma once

#include <cstdint>
#include <string_view>

namespace hilo {

/// JAX's `mode` of indexing. A window that is partly or wholly out of bounds is ...
enum class IndexMode : uint8_t {
  kUnspecified,      ///< the function's default
  kPromiseInBounds,  ///< excluded by the caller's promise; otherwise values and gradients there are undefined
  kClip,             ///< moved to the nearest position in bounds
  kFillOrDrop,       ///< read as a fill value, and not written
};
inline constexpr std::string_view kIndexModeNames[] = {"", "promise_in_bounds", "clip", "fill_or_drop"};

}  // namespace hilo
