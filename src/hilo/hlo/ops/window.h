// SPDX-License-Identifier: Apache-2.0
// hlo/ops/window.h -- the arithmetic of windows: what slides over an array in reduce-window, select-and-scatter and
// convolution. WindowDimension itself, with its text and its message, is a field type of hlo/ir/attributes.h.
#pragma once

#include <optional>

#include "hilo/hlo/ir/op_def.h"

namespace hilo::hlo {

using Window = std::vector<WindowDimension>;

/// One dimension per dimension of a rank-`rank` array; sizes, strides and dilations are positive.
/// Errors    INVALID_ARGUMENT "window: dim 1: stride 0 < 1"
Status check_window(const Window& window, int64_t rank);

/// How many windows fit along a dimension of `size` elements:
///     floor((padding_low + dilated size + padding_high - dilated window) / stride) + 1, and 0 where none fits.
/// `dimension` is for the message. Precondition: the dimension has passed check_window.
/// Errors    INVALID_ARGUMENT where the padded size or the dilated window doesn't fit 2^63-1
StatusOr<int64_t> window_count(size_t dimension, int64_t size, const WindowDimension& window);

/// window_count of every dimension. Precondition: check_window has passed for the rank of `sizes`.
StatusOr<std::vector<int64_t>> window_counts(std::span<const int64_t> sizes, const Window& window);

/// Where element `offset` of the window at `position` lies in a dimension of `size` elements; nothing where it falls
/// into padding or between dilated elements. Precondition: position < window_count, offset < window.size.
std::optional<int64_t> window_source(const WindowDimension& window, int64_t size, int64_t position, int64_t offset);

/// Whether each position covers one element, undilated and unpadded: the window leaves the dimension alone.
bool is_trivial(const WindowDimension& window);

/// A sharding rule: the first `arrays` operands and all results share their dimensions; windows of more than an element move
/// elements.
void windows_rule(const Window& window, size_t arrays, RuleBuilder& builder);

}  // namespace hilo::hlo
