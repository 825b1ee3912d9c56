// SPDX-License-Identifier: Apache-2.0
// scipy/special/support.h -- what the functions of scipy::special do with their operands first. Not for users.
#pragma once

#include <limits>
#include <vector>

#include "hilo/lax/special.h"
#include "hilo/numpy/numpy.h"
#include "hilo/trace/trace.h"
#include "hilo/transform/custom_jvp.h"

namespace hilo::scipy::special {

inline constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

/// The operands in one inexact type and shape.
/// Errors    INVALID_ARGUMENT where that is complex
std::vector<Array> real_operands(const char* what, std::vector<Array> operands);
/// Refuses what isn't f32 or f64.
const Array& wide_float(const char* what, const Array& x);

/// The operands of a function, in f32 where they are half floats, and never weakly typed: its constants would widen them.
inline std::vector<Array> widened(std::vector<Array> x) {
  const bool half = x[0].dtype() == ElementType::kF16 || x[0].dtype() == ElementType::kBf16;
  for (Array& a : x) a = half ? numpy::astype(a, ElementType::kF32) : with_weak_type(a, false);
  return x;
}
/// f(widened operands) in their type, weakly typed if they are.
template <typename F>
Array widely(const std::vector<Array>& x, const F& f) {
  return with_weak_type(numpy::astype(f(widened(x)), x[0].dtype()), x[0].weak_type());
}
/// f of one real operand, or of two.
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

/// f of one array, whose derivative is slope(x, f(x)).
template <typename F, typename Slope>
Array with_slope(const F& f, const Slope& slope, const Array& x) {
  return custom_jvp(f).defjvps([slope](const Array& t, const Array& y, const Array& at) { return t * slope(at, y); })(
      x);
}

/// c[0] + c[1] t + ...
Array polynomial(const std::vector<double>& coefficients, const Array& t);

}  // namespace hilo::scipy::special
