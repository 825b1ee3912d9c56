// SPDX-License-Identifier: Apache-2.0
// scipy/optimize/interpolation.h -- minima of interpolating polynomials, for line searches. Internal.
#pragma once

#include "hilo/array/array.h"

namespace hilo::scipy::optimize {

/// A point of a function of one variable.
struct LinePoint {
  Array step, value, slope;
};

/// Returns the minimum of the cubic through `a`, with its slope, b and (c, value_c); NaN if none exists.
/// Source    Nocedal and Wright, "Numerical optimization" (2006), section 3.5
Array least_of_cubic(const LinePoint& a, const LinePoint& b, const Array& c, const Array& value_c);
/// Returns the minimum of the quadratic through `a`, with its slope, and b.
Array least_of_quadratic(const LinePoint& a, const LinePoint& b);
/// Returns the step to try between two points. It is the minimum of the cubic if `may_use_cubic` and it is well inside,
/// else that of the quadratic if well inside, else the middle. The margins are fractions of `width`.
Array step_between(const LinePoint& low, const LinePoint& high, const Array& c, const Array& value_c,
                   const Array& may_use_cubic, const Array& width);

/// Selects a if `condition` is true, else b.
LinePoint where(const Array& condition, const LinePoint& a, const LinePoint& b);

}  // namespace hilo::scipy::optimize
