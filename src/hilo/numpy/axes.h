// SPDX-License-Identifier: Apache-2.0
// numpy/axes.h -- checks and normalizes axes: negative ones count from the end.
#pragma once

#include "hilo/numpy/dtypes.h"

namespace hilo::numpy {

/// Returns `axis` as 0 <= axis < rank.
/// Errors    INVALID_ARGUMENT "axis 3 is out of range for f32[2,2]"
int64_t normal_axis(const Array& x, int64_t axis);
/// Returns the axes normalized and sorted; all axes if none are specified.
/// Errors    INVALID_ARGUMENT for an axis that is named twice
std::vector<int64_t> normal_axes(const Array& x, const Axes& axes);

/// Returns the shape of an array of this type.
/// Errors    INVALID_ARGUMENT for a negative extent, or a size in bytes that overflows int64
hilo::Shape shape_of(ElementType type, const Shape& shape);

}  // namespace hilo::numpy
