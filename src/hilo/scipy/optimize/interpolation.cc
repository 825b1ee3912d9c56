// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/optimize/interpolation.h"

#include "hilo/numpy/numpy.h"

namespace hilo::scipy::optimize {

Array least_of_cubic(const LinePoint& a, const LinePoint& b, const Array& c, const Array& value_c) {
  // The cubic a.value + a.slope x + q x^2 + p x^3, with x relative to a.step.
  const Array db = b.step - a.step, dc = c - a.step;
  const Array rest_b = b.value - a.value - a.slope * db, rest_c = value_c - a.value - a.slope * dc;
  const Array scale = numpy::square(db * dc) * (db - dc);
  const Array p = (numpy::square(dc) * rest_b - numpy::square(db) * rest_c) / scale;
  const Array q = (db * db * db * rest_c - dc * dc * dc * rest_b) / scale;
  return a.step + (numpy::sqrt(q * q - 3.0 * p * a.slope) - q) / (3.0 * p);
}

Array least_of_quadratic(const LinePoint& a, const LinePoint& b) {
  const Array db = b.step - a.step;
  const Array q = (b.value - a.value - a.slope * db) / numpy::square(db);
  return a.step - a.slope / (2.0 * q);
}

Array step_between(const LinePoint& low, const LinePoint& high, const Array& c, const Array& value_c,
                   const Array& may_use_cubic, const Array& width) {
  const Array left = numpy::minimum(low.step, high.step), right = numpy::maximum(low.step, high.step);
  const auto inside = [&](const Array& x, double margin) {
    const Array edge = margin * width;
    return (x > left + edge) & (x < right - edge);  // false for NaN
  };
  const Array cubic = least_of_cubic(low, high, c, value_c), quadratic = least_of_quadratic(low, high);
  const Array middle = numpy::where(inside(quadratic, 0.1), quadratic, (low.step + high.step) / 2.0);
  return numpy::where(may_use_cubic & inside(cubic, 0.2), cubic, middle);
}

LinePoint where(const Array& condition, const LinePoint& a, const LinePoint& b) {
  return {numpy::where(condition, a.step, b.step), numpy::where(condition, a.value, b.value),
          numpy::where(condition, a.slope, b.slope)};
}

}  // namespace hilo::scipy::optimize
