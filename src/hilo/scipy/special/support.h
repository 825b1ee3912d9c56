// SPDX-License-Identifier: Apache-2.0
// scipy/special/support.h -- promotes and checks the operands of scipy::special. Internal.
#pragma once

#include <limits>
#include <vector>

#include "hilo/lax/special.h"
#include "hilo/numpy/numpy.h"
#include "hilo/trace/trace.h"
#include "hilo/transform/custom_jvp.h"

namespace hilo::scipy::special {

inline constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

/// Returns the operands in one inexact type and one shape.
/// Errors    INVALID_ARGUMENT for a complex type
std::vector<Array> real_operands(const char* what, std::vector<Array> operands);
/// Rejects types other than f32 and f64.
const Array& wide_float(const char* what, const Array& x);

/// Returns the operands, with 16-bit floats converted to f32, and never weakly typed, because constants would widen
/// them.
inline std::vector<Array> widened(std::vector<Array> x) {
  const bool half = x[0].dtype() == ElementType::kF16 || x[0].dtype() == ElementType::kBf16;
  for (Array& a : x) a = half ? numpy::astype(a, ElementType::kF32) : with_weak_type(a, false);
  return x;
}
/// Applies f to the widened operands, and converts back to their type and weak type.
template <typename F>
Array widely(const std::vector<Array>& x, const F& f) {
  return with_weak_type(numpy::astype(f(widened(x)), x[0].dtype()), x[0].weak_type());
}
/// Applies f to one real operand, or to two.
template <typename F>
Array of_real(const char* what, const Operand& x, const F& f) {
  const UserLocation here(x.location());
  return widely(real_operands(what, {x}), [&](const std::vector<Array>& v) { return f(v[0]); });
}
template <typename F>
Array of_real(const char* what, const Operand& x, const Operand& y, const F& f) {
  const UserLocation here(x.location());
  return widely(real_operands(what, {x, y}), [&](const std::vector<Array>& v) { return f(v[0], v[1]); });
}

/// Applies f to one array, with the derivative slope(x, f(x)).
template <typename F, typename Slope>
Array with_slope(const F& f, const Slope& slope, const Array& x) {
  return custom_jvp(f).defjvps([slope](const Array& t, const Array& y, const Array& at) { return t * slope(at, y); })(
      x);
}

/// c[0] + c[1] t + ...
Array polynomial(const std::vector<double>& coefficients, const Array& t);

}  // namespace hilo::scipy::special
