// SPDX-License-Identifier: Apache-2.0
// scipy/stats/support.h -- what distributions are written with. Not for users.
#pragma once

#include <limits>
#include <numbers>

#include "hilo/scipy/special/special.h"
#include "hilo/scipy/special/support.h"

namespace hilo::scipy::stats {

inline constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

/// `value` where all of these are numbers; else NaN, and NaN are its derivatives.
inline Array of_numbers(const Array& value, const std::vector<Array>& operands) {
  Array wrong = numpy::isnan(operands[0]);
  for (size_t i = 1; i < operands.size(); ++i) wrong = wrong | numpy::isnan(operands[i]);
  return value * numpy::where(wrong, kNan, numpy::ones_like(value));
}

/// f(operands) in one inexact type and shape, of half floats in f32; NaN of NaN.
template <typename F, typename... Rest>
Array over(const char* what, const F& f, const Operand& x, const Rest&... rest) {
  const UserLocation here(x.location());
  return special::widely(special::real_operands(what, {x.array(), rest.array()...}), [&](const std::vector<Array>& v) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return of_numbers(f(v[I]...), v);
    }(std::make_index_sequence<sizeof...(Rest) + 1>());
  });
}
/// e^f(operands)
template <typename F, typename... Operands>
Array exp_of(const F& f, const Operand& x, const Operands&... rest) {
  const UserLocation here(x.location());
  return numpy::exp(f(x, rest...));
}

}  // namespace hilo::scipy::stats
