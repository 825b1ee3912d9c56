// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/windows/window_slices.h"

#include <algorithm>

#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::hlo {

int64_t volume_of(const Window& window) {
  int64_t volume = 1;
  for (const WindowDimension& w : window)
    volume = std::min(volume * std::min(w.size, kMaxElements + 1), int64_t{1} << 20);
  return volume;
}

bool pads(const Window& window) {
  return std::ranges::any_of(window, [](const WindowDimension& w) {
    return w.padding_low != 0 || w.padding_high != 0 || w.base_dilation != 1;
  });
}

bool pads_little(const Window& window, std::span<const int64_t> sizes, std::span<const int64_t> counts) {
  constexpr double kMaxPadding = 16;
  constexpr int64_t kFar = int64_t{1} << 40;
  double padded = 1, array = 1, read = 1;
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDimension& w = window[d];
    if (std::max({w.padding_low, w.padding_high, w.base_dilation}) > kFar) return false;
    if (std::min(w.padding_low, w.padding_high) < -kFar) return false;
    const double extent = static_cast<double>(sizes[d] - 1) * static_cast<double>(w.base_dilation) + 1;
    padded *= std::max(0.0, extent + static_cast<double>(w.padding_low + w.padding_high));
    array *= static_cast<double>(sizes[d]);
    read *= static_cast<double>(counts[d]) * static_cast<double>(w.size);
  }
  return padded <= kMaxPadding * (array + read);
}

Expr padded(Expr x, const Window& window, Expr value) {
  return x.sink->add_with<PadAttributes>(Opcode::kPad, {x, value}, [&](auto& a) {
    for (const WindowDimension& w : window) a.padding.push_back({w.padding_low, w.padding_high, w.base_dilation - 1});
  });
}

Expr element_at(Expr x, const Window& window, std::span<const int64_t> counts, std::span<const int64_t> offset) {
  return x.sink->add_with<SliceAttributes>(Opcode::kSlice, {x}, [&](auto& a) {
    for (size_t d = 0; d < offset.size(); ++d) {
      const WindowDimension& w = window[d];
      const int64_t start = offset[d] * w.window_dilation;
      a.ranges.push_back({start, start + (counts[d] - 1) * w.stride + 1, w.stride});
    }
  });
}

}  // namespace hilo::hlo
