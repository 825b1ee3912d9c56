// SPDX-License-Identifier: Apache-2.0
// linalg/support.h -- what the functions of hilo::linalg do with their operands first. Not for users.
#pragma once

#include <utility>

#include "hilo/array/refuse.h"
#include "hilo/lax/matrix.h"

namespace hilo::linalg {

/// The default float for integers.
Array inexact(const Array& x);
/// inexact(), of at least two dimensions; and of as many rows as columns.
Array matrix(const char* what, const Array& x);
Array square(const char* what, const Array& x);
/// Both in the wider of their types.
std::pair<Array, Array> same_type(const Array& a, const Array& b);

/// The distance from 1 to the next number of a real type.
double epsilon_of(ElementType type);
/// The greatest element along the last dimension, at each of its places.
Array greatest(const Array& x);
/// |x|^2
Array squared_size(const Array& x);
/// `value` in x's shape and type but for the last dimension.
Array full_like_last(const Array& x, double value);

}  // namespace hilo::linalg
