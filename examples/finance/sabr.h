// SPDX-License-Identifier: Apache-2.0
// examples/finance/sabr.h -- implied volatilities of the SABR model, and how far smiles are from quoted ones.
// Source    Hagan, Kumar, Lesniewski and Woodward, "Managing smile risk" (2002), formula (2.17)
#pragma once

#include <cmath>

#include "hilo/hilo.h"

namespace finance {

using namespace hilo;

/// Of one expiry, or of several along the first axis.
struct Sabr {
  Array level, correlation, volatility;  ///< alpha, rho and nu; the exponent beta is fixed
};
constexpr double kSabrExponent = 0.5;

/// The volatility for which Black's formula gives the price of an option. `time` is the expiry in years.
/// Shapes    all broadcast
inline Array sabr_volatility(const Sabr& m, const Array& forward, const Array& strike, const Array& time) {
  constexpr double c = 1 - kSabrExponent;
  const Array log_moneyness = numpy::log(forward / strike), square = numpy::square(log_moneyness);
  const Array scale = numpy::power(forward * strike, c / 2);
  const Array z = m.volatility / m.level * scale * log_moneyness;
  const Array at_the_money = numpy::abs(z) < 1e-6, w = numpy::where(at_the_money, 1e-3, z);  // 0 / 0 at the money
  const Array root = numpy::sqrt(1.0 - 2.0 * m.correlation * w + numpy::square(w));
  const Array x = numpy::log((root + w - m.correlation) / (1.0 - m.correlation));
  const Array skew = numpy::where(at_the_money, 1.0 - 0.5 * m.correlation * z, w / x);
  const Array per_year = c * c / 24 * numpy::square(m.level / scale) +
                         kSabrExponent / 4 * m.correlation * m.volatility * m.level / scale +
                         (2.0 - 3.0 * numpy::square(m.correlation)) / 24.0 * numpy::square(m.volatility);
  const Array denominator = scale * (1.0 + c * c / 24 * square + c * c * c * c / 1920 * numpy::square(square));
  return m.level / denominator * skew * (1.0 + time * per_year);
}

/// Quotes of several expiries.
struct Smiles {
  Array forwards, times;        ///< [expiries]
  Array strikes, volatilities;  ///< [expiries, strikes]
};

/// The sum of squared differences, whose minimum is the calibrated model.
inline Array sabr_misfit(const Sabr& m, const Smiles& quotes) {
  const auto of_expiry = [](const Sabr& one, const Array& forward, const Array& strikes, const Array& time) {
    return sabr_volatility(one, forward, strikes, time);
  };
  const Array fitted = vmap(of_expiry)(m, quotes.forwards, quotes.strikes, quotes.times);
  return numpy::sum(numpy::square(fitted - quotes.volatilities));
}

/// A call without discounting: the mean payoff of paths whose forward keeps to 0 once it is there.
/// Shapes    normals f64[steps, 2, paths]
inline Array sabr_by_paths(const Sabr& m, const Array& forward, double strike, double time, const Array& normals) {
  const double dt = time / static_cast<double>(normals.shape(0)), root = std::sqrt(dt);
  const Array independent = numpy::sqrt(1.0 - numpy::square(m.correlation));
  const auto step = [&](const std::pair<Array, Array>& state, const Array& z) {
    const auto& [price, level] = state;
    const Array shock = m.correlation * z[0] + independent * z[1];
    const Array moved = price + level * numpy::power(numpy::maximum(price, 1e-12), kSabrExponent) * root * z[0];
    const Array after = level * numpy::exp(m.volatility * root * shock - 0.5 * dt * numpy::square(m.volatility));
    return std::pair(std::pair(numpy::maximum(moved, 0.0), after), std::tuple<>());
  };
  const Array like = numpy::zeros({normals.shape(2)}, float64);
  const Array end = lax::scan(step, std::pair(like + forward, like + m.level), normals).first.first;
  return numpy::mean(nn::relu(end - strike));
}

}  // namespace finance
