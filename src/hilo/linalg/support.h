// SPDX-License-Identifier: Apache-2.0
// linalg/support.h -- checks and conversions of operands for hilo::linalg. Internal.
#pragma once

#include <utility>

#include "hilo/array/refuse.h"
#include "hilo/lax/matrix.h"

namespace hilo::linalg {

/// Converts integers to the default float type.
Array inexact(const Array& x);
/// Calls inexact(), and checks for at least two dimensions; `square` also for as many rows as columns.
Array matrix(const char* what, const Array& x);
Array square(const char* what, const Array& x);
/// Converts both to the wider of their types.
std::pair<Array, Array> same_type(const Array& a, const Array& b);

/// Returns the distance from 1 to the next number of a real type.
double epsilon_of(ElementType type);
/// Returns the maximum along the last dimension, broadcast to x's shape.
Array greatest(const Array& x);
/// Returns |x|^2.
Array squared_size(const Array& x);
/// Returns an array filled with `value`, of x's type and of its shape without the last dimension.
Array full_like_last(const Array& x, double value);

}  // namespace hilo::linalg
