// SPDX-License-Identifier: Apache-2.0
// examples/finance/libor.h -- a portfolio of swaptions in the LIBOR market model, by paths: the price depends on 80
// forward rates, 80 volatilities and the period.
// Source    Brace, Gatarek and Musiela (1997); Giles and Glasserman, "Smoking adjoints: fast Monte Carlo Greeks" (2006)
#pragma once

#include "examples/finance/paths.h"

namespace finance {

struct Libor {
  Array forwards;      ///< [rates]
  Array volatilities;  ///< [rates], by periods until the rate is fixed
  Array period;        ///< years between fixings
};

/// Swaptions that expire after the last simulated step: the number of periods of each swap, and its rate.
struct Swaptions {
  std::vector<int64_t> periods;
  Array rates;
};

inline Swaptions fifteen_swaptions() {
  return {{4, 4, 4, 8, 8, 8, 20, 20, 20, 28, 28, 28, 40, 40, 40}, numpy::tile(numpy::array({0.045, 0.05, 0.055}), {5})};
}

/// The rates after one step for each row of `normals`.
/// Shapes    normals f64[steps, paths]; the result is f64[rates, paths]
inline Array libor_rates(const Libor& m, const Array& normals) {
  const int64_t rates = m.forwards.size(), paths = normals.shape(1);
  // Rate i moves in step n with volatility i - n - 1; before that it has been fixed, and its volatility is 0.
  const Array padded = numpy::concatenate({numpy::zeros_like(m.volatilities), m.volatilities}, 0);
  const auto step = [&](const Array& rate, const std::pair<Array, Array>& now) {
    const auto& [n, z] = now;
    const Array volatility = lax::dynamic_slice(padded, {rates - 1 - n}, {rates});
    const Array column = numpy::expand_dims(volatility, 1), scaled = m.period * column;
    const Array drift = numpy::cumsum(scaled * rate / (1.0 + m.period * rate), {.axis = 0});
    const Array moved = rate * numpy::exp(scaled * drift + column * (numpy::sqrt(m.period) * z - 0.5 * scaled));
    return std::pair(moved, std::tuple<>());
  };
  const Array start = numpy::broadcast_to(numpy::expand_dims(m.forwards, 1), {rates, paths});
  return lax::scan(step, start, std::pair(numpy::arange(normals.shape(0)), normals)).first;
}

/// The mean over a block of the discounted payoffs of 100 units of each swaption.
inline Array libor_block(const Libor& m, const Swaptions& portfolio, const Array& normals) {
  const int64_t steps = normals.shape(0);
  const Array factors = 1.0 / (1.0 + m.period * libor_rates(m, normals));
  const Array discounts = numpy::cumprod(factors(range(steps, none)), {.axis = 0});  // [periods, paths]
  const Array annuities = m.period * numpy::cumsum(discounts, {.axis = 0});
  Array total = numpy::zeros({normals.shape(1)}, float64);
  for (size_t i = 0; i < portfolio.periods.size(); ++i) {
    const int64_t last = portfolio.periods[i] - 1;
    const Array swap = 1.0 - discounts[last] - portfolio.rates[static_cast<int64_t>(i)] * annuities[last];
    total = total + 100.0 * nn::relu(swap);
  }
  return numpy::mean(total * numpy::prod(factors(range(0, steps)), 0));
}

/// Shapes    normals f64[blocks, steps, paths of a block]
inline Array libor_price(const Libor& m, const Swaptions& portfolio, const Array& normals) {
  return mean_of_blocks([portfolio](const Libor& at, const Array& block) { return libor_block(at, portfolio, block); },
                        m, normals);
}

}  // namespace finance
