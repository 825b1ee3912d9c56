// SPDX-License-Identifier: Apache-2.0
// types/index_mode.h -- what an index outside of its axis means.
#pragma once

#include <cstdint>
#include <string_view>

namespace hilo {

/// JAX's `mode` of indexing. A window that is not wholly inside the array is ...
enum class IndexMode : uint8_t {
  kUnspecified,      ///< what the function does by default
  kPromiseInBounds,  ///< never met, the caller says; then values and gradients there mean nothing
  kClip,             ///< moved to the nearest place inside
  kFillOrDrop,       ///< read as a fill value, and not written
};
inline constexpr std::string_view kIndexModeNames[] = {"", "promise_in_bounds", "clip", "fill_or_drop"};

}  // namespace hilo
