// SPDX-License-Identifier: Apache-2.0
// scipy/stats/support.h -- helpers to define distributions. Internal.
#pragma once

#include <limits>
#include <numbers>
#include <string_view>

#include "hilo/scipy/special/special.h"
#include "hilo/scipy/special/support.h"

namespace hilo::scipy::stats {

inline constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

/// Returns `value` if none of these is NaN; else NaN, also for the derivatives.
inline Array of_numbers(const Array& value, const std::vector<Array>& operands) {
  Array wrong = numpy::isnan(operands[0]);
  for (size_t i = 1; i < operands.size(); ++i) wrong = wrong | numpy::isnan(operands[i]);
  return value * numpy::where(wrong, kNan, numpy::ones_like(value));
}

/// Returns whether the result is weakly typed for weakly typed operands, as in JAX: some functions always, most for
/// numbers only, some never.
inline bool stays_weak(std::string_view what, bool are_numbers) {
  for (const std::string_view always :
       {"expon.", "uniform.", "gumbel_l.", "gumbel_r.", "gennorm.", "vonmises.", "wrapcauchy.", "binom.",
        "logistic.cdf", "logistic.sf", "gamma.sf", "gamma.logsf", "pareto.logcdf", "poisson.logpmf"})
    if (what.starts_with(always) && what != "gumbel_r.sf") return true;
  for (const std::string_view never :
       {"norm.cdf", "norm.logcdf", "norm.sf", "norm.logsf", "norm.ppf", "norm.isf", "truncnorm."})
    if (what.starts_with(never)) return false;
  return are_numbers;
}

/// Applies f to the operands in one inexact type and shape; 16-bit floats are computed in f32. NaN propagates.
template <typename F, typename... Rest>
Array over(const char* what, const F& f, const Operand& x, const Rest&... rest) {
  const UserLocation here(x.location());
  const std::vector<Array> v = special::real_operands(what, {x.array(), rest.array()...});
  const bool weak = v[0].weak_type() && stays_weak(what, v[0].ndim() == 0);
  const Array result = special::widely(v, [&](const std::vector<Array>& wide) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return of_numbers(f(wide[I]...), wide);
    }(std::make_index_sequence<sizeof...(Rest) + 1>());
  });
  return with_weak_type(result, weak);
}
/// e^f(operands)
template <typename F, typename... Operands>
Array exp_of(const F& f, const Operand& x, const Operands&... rest) {
  const UserLocation here(x.location());
  return numpy::exp(f(x, rest...));
}

}  // namespace hilo::scipy::stats
