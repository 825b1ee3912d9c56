// SPDX-License-Identifier: Apache-2.0
// hlo/ops/window.h -- arithmetic of the windows in reduce-window, select-and-scatter and convolution. WindowDimension
// itself, with its text and its message, is a field type of hlo/ir/attributes.h.
#pragma once

#include <optional>

#include "hilo/hlo/ir/op_def.h"

namespace hilo::hlo {

using Window = std::vector<WindowDimension>;

/// Checks that there is one dimension per dimension of an array of that rank, and that sizes, strides and dilations are
/// positive.
/// Errors    INVALID_ARGUMENT "window: dim 1: stride 0 < 1"
Status check_window(const Window& window, int64_t rank);

/// Returns how many windows fit along a dimension of `size` elements:
///     floor((padding_low + dilated size + padding_high - dilated window) / stride) + 1, or 0 if none fits.
/// `dimension` is for the message. Precondition: the dimension has passed check_window.
/// Errors    INVALID_ARGUMENT if the padded size or the dilated window exceeds 2^63-1
StatusOr<int64_t> window_count(size_t dimension, int64_t size, const WindowDimension& window);

/// Returns window_count of every dimension. Precondition: check_window has passed for the rank of `sizes`.
StatusOr<std::vector<int64_t>> window_counts(std::span<const int64_t> sizes, const Window& window);

/// Returns the index of element `offset` of the window at `position`, in a dimension of `size` elements. Returns
/// nothing for padding and for gaps between dilated elements. Precondition: position < window_count, offset <
/// window.size.
std::optional<int64_t> window_source(const WindowDimension& window, int64_t size, int64_t position, int64_t offset);

/// Returns whether each position covers one element, without dilation and padding: the dimension then isn't reduced.
bool is_trivial(const WindowDimension& window);

/// Adds the factors of a window op: the first `arrays` operands and all results share their dimensions. Windows of more
/// than one element move elements.
void windows_rule(const Window& window, size_t arrays, RuleBuilder& builder);

}  // namespace hilo::hlo
