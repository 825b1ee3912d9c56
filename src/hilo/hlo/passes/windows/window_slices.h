// SPDX-License-Identifier: Apache-2.0
// hlo/passes/windows/window_slices.h -- windows as slices of the padded array, one for each element of a window.
#pragma once

#include "hilo/hlo/build/expr.h"
#include "hilo/hlo/ops/window.h"

namespace hilo::hlo {

inline constexpr int64_t kMaxElements = 32;  // of a window that is unrolled

/// Returns the number of elements of a window, at most 2^20.
int64_t volume_of(const Window& window);

/// Whether a window reads padding or a dilated array.
bool pads(const Window& window);

/// Returns whether the padded array is at most a few times as large as the elements read from it. Otherwise the window
/// isn't unrolled: strides and dilations may be as large as 2^40.
bool pads_little(const Window& window, std::span<const int64_t> sizes, std::span<const int64_t> counts);

/// Pads and dilates the array as the window does, with `value`, a scalar.
Expr padded(Expr x, const Window& window, Expr value);

/// Returns element `offset` of every window.
Expr element_at(Expr x, const Window& window, std::span<const int64_t> counts, std::span<const int64_t> offset);

}  // namespace hilo::hlo
