// SPDX-License-Identifier: Apache-2.0
// numpy/axes.h -- axes as NumPy takes them, made plain.
#pragma once

#include "hilo/numpy/dtypes.h"

namespace hilo::numpy {

/// 0 <= axis < rank. Errors    INVALID_ARGUMENT "axis 3 is out of range for f32[2,2]"
int64_t normal_axis(const Array& x, int64_t axis);
/// All axes if none are given, sorted; an axis named twice is an error.
std::vector<int64_t> normal_axes(const Array& x, const Axes& axes);

/// Errors    INVALID_ARGUMENT for a negative extent, or more bytes than a number can count
hilo::Shape shape_of(ElementType type, const Shape& shape);

}  // namespace hilo::numpy
