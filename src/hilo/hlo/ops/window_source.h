// SPDX-License-Identifier: Apache-2.0
// hlo/ops/window_source.h -- window_source() of hlo/ops/window.h, for loops.
#pragma once

#include <cstdint>
#include <optional>

#include "hilo/hlo/ir/attributes.h"

namespace hilo::hlo {

inline std::optional<int64_t> source_in_window(const WindowDimension& window, int64_t size, int64_t position,
                                               int64_t offset) {
  if (window.reversal) offset = window.size - 1 - offset;
  // The position in the padded array is bounded by its size, which window_count has checked. With a large negative
  // padding the positions after the array may exceed int64_t.
  int64_t at = position * window.stride + offset * window.window_dilation;
  if (__builtin_sub_overflow(at, window.padding_low, &at)) return std::nullopt;
  if (at < 0 || at % window.base_dilation != 0) return std::nullopt;
  const int64_t source = at / window.base_dilation;
  if (source >= size) return std::nullopt;
  return source;
}

}  // namespace hilo::hlo
