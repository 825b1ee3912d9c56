// SPDX-License-Identifier: Apache-2.0
// examples/finance/heston.h -- a call in Heston's model: by paths, and by one integral.
// Source    Heston, "A closed-form solution for options with stochastic volatility" (1993); Lord, Koekkoek and van
//           Dijk, "A comparison of biased simulation schemes for stochastic volatility models" (2010): full truncation;
//           Lewis, "A simple option formula for general jump-diffusion and other exponential Levy processes" (2001)
#pragma once

#include <numbers>

#include "hilo/hilo.h"

namespace finance {

using namespace hilo;

/// Numbers that the price is differentiated with respect to.
struct Heston {
  Array spot, rate, time;
  Array variance, long_variance;             ///< at the start, and where it returns to
  Array reversion, volatility, correlation;  ///< of the variance; the last with the price
};

/// The mean of discounted payoffs.
/// Shapes    normals f64[steps, 2, paths]
inline Array heston_by_paths(const Heston& m, double strike, const Array& normals) {
  const auto steps = static_cast<double>(normals.shape(0));
  const Array dt = m.time / steps, independent = numpy::sqrt(1.0 - numpy::square(m.correlation));
  const auto step = [&](const std::pair<Array, Array>& state, const Array& z) {
    const auto& [log_price, variance] = state;
    // A variance of 0 would make the slope of its root infinite.
    const Array positive = numpy::maximum(variance, 1e-12), root = numpy::sqrt(positive * dt);
    const Array shock = m.correlation * z[0] + independent * z[1];
    const Array price_after = log_price + (m.rate - 0.5 * positive) * dt + root * z[0];
    const Array after = variance + m.reversion * (m.long_variance - positive) * dt + m.volatility * root * shock;
    return std::pair(std::pair(price_after, after), std::tuple<>());
  };
  const Array like = numpy::zeros({normals.shape(2)}, float64);
  const auto end = lax::scan(step, std::pair(like + numpy::log(m.spot), like + m.variance), normals).first;
  return numpy::exp(-m.rate * m.time) * numpy::mean(nn::relu(numpy::exp(end.first) - strike));
}

/// The same without paths: an integral over the characteristic function on the line of imaginary part -1/2.
inline Array heston_by_integral(const Heston& m, double strike) {
  constexpr int64_t kPoints = 2000;
  constexpr double kEnd = 200, kWidth = kEnd / kPoints;
  const Array u = (numpy::arange(kPoints, float64) + 0.5) * kWidth, iz = lax::complex(0.5 * numpy::ones_like(u), u);
  const Array square = numpy::square(m.volatility), decay = m.reversion - m.correlation * m.volatility * iz;
  const Array d = numpy::sqrt(numpy::square(decay) + square * (numpy::square(u) + 0.25));
  const Array g = (decay - d) / (decay + d), fading = numpy::exp(-d * m.time);
  const Array of_mean = m.reversion * m.long_variance / square *
                        ((decay - d) * m.time - 2.0 * numpy::log((1.0 - g * fading) / (1.0 - g)));
  const Array of_start = m.variance / square * (decay - d) * (1.0 - fading) / (1.0 - g * fading);
  const Array moneyness = numpy::log(m.spot / strike) + m.rate * m.time;
  const Array wave = numpy::exp(of_mean + of_start + lax::complex(numpy::zeros_like(u), u * moneyness));
  const Array integral = kWidth * numpy::sum(numpy::real(wave) / (numpy::square(u) + 0.25));
  return m.spot - numpy::sqrt(m.spot * strike * numpy::exp(-m.rate * m.time)) * integral / std::numbers::pi;
}

}  // namespace finance
