// SPDX-License-Identifier: Apache-2.0
// scipy/optimize/interpolation.h -- where a polynomial through known points of a function is least. What line searches share;
// not for users.
#pragma once

#include "hilo/array/array.h"

namespace hilo::scipy::optimize {

/// A point of a function of one variable.
struct LinePoint {
  Array step, value, slope;
};

/// Where the cubic through `a`, with its slope, b and (c, value_c) has its least value; NaN where it has none.
/// Source    Nocedal and Wright, "Numerical optimization" (2006), section 3.5
Array least_of_cubic(const LinePoint& a, const LinePoint& b, const Array& c, const Array& value_c);
/// The same of the quadratic through `a`, with its slope, and b.
Array least_of_quadratic(const LinePoint& a, const LinePoint& b);
/// The step to try between two points: the cubic's least point where `may_use_cubic` and it lies well inside, else the
/// quadratic's where that does, else the middle. The margins are parts of `width`.
Array step_between(const LinePoint& low, const LinePoint& high, const Array& c, const Array& value_c,
                   const Array& may_use_cubic, const Array& width);

/// a where `condition`, else b.
LinePoint where(const Array& condition, const LinePoint& a, const LinePoint& b);

}  // namespace hilo::scipy::optimize
