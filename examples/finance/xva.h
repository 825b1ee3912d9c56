// SPDX-License-Identifier: Apache-2.0
// examples/finance/xva.h -- what a counterparty's default costs (CVA): a portfolio of swaps whose value follows Hull
// and White's short rate. It depends on a curve of 20 zero rates, 18 hazard rates and two numbers of the model.
// Source    Hull and White (1990); Andersen and Piterbarg, "Interest rate modeling" (2010), section 10.1; Brigo,
//           Morini and Pallavicini, "Counterparty credit risk, collateral and funding" (2013), chapter 2
#pragma once

#include "examples/finance/paths.h"

namespace finance {

struct Xva {
  Array zero_rates;             ///< [20], at half years from half a year on
  Array hazards;                ///< [18], each over an equal part of the horizon
  Array reversion, volatility;  ///< of the short rate
};
constexpr double kHorizon = 10;  ///< years
constexpr double kRecovered = 0.4;

/// Values after date j are notional[j] plus the flows after j times the bonds of their dates.
struct Portfolio {
  Array notional;  ///< [dates]
  Array flows;     ///< [dates]
};

/// Swaps of all maturities, by turns paying and receiving; their dates divide the horizon.
inline Portfolio twenty_swaps(int64_t dates) {
  std::vector<double> notional(static_cast<size_t>(dates)), flows(static_cast<size_t>(dates));
  const double period = kHorizon / static_cast<double>(dates);
  for (int64_t swap = 0; swap < 20; ++swap) {
    const auto last = static_cast<size_t>((swap + 1) * dates / 20 - 1);
    const double size = (swap % 3 == 0 ? -1.0 : 1.0) * (1 + 0.1 * static_cast<double>(swap));  // payer or receiver
    const double rate = 0.02 + 0.001 * static_cast<double>(swap);
    for (size_t j = 0; j <= last; ++j) flows[j] -= size * rate * period;
    for (size_t j = 0; j < last; ++j) notional[j] += size;
    flows[last] -= size;
  }
  return {numpy::array(notional), numpy::array(flows)};
}

/// Prices of bonds of today.
inline Array curve(const Xva& m, const Array& times) {
  const Array pillars = 0.5 * numpy::arange(1.0, 21.0);
  return numpy::exp(-numpy::interp(times, pillars, m.zero_rates) * times);
}

/// The probability of a default between each date and the one before.
inline Array default_probabilities(const Xva& m, const Array& times) {
  const double width = kHorizon / static_cast<double>(m.hazards.size());
  const Array begins = width * numpy::arange(static_cast<double>(m.hazards.size()));
  const Array spent = numpy::clip(numpy::expand_dims(times, 1) - begins, 0.0, width);  // years in each part
  const Array survival = numpy::exp(-numpy::matmul(spent, m.hazards));
  return numpy::concatenate({1.0 - survival(range(0, 1)), survival(range(-1)) - survival(range(1, none))}, 0);
}

/// Discounted values of a portfolio's positive part, f64[dates]: the mean over the paths of a block.
/// Shapes    normals f64[dates, paths]
inline Array exposures(const Xva& m, const Portfolio& swaps, const Array& normals) {
  const int64_t dates = normals.shape(0), paths = normals.shape(1);
  const double period = kHorizon / static_cast<double>(dates);
  const Array times = period * numpy::arange(1.0, static_cast<double>(dates) + 1), today = curve(m, times);
  const Array a = m.reversion, square = numpy::square(m.volatility);
  const Array means = square / (2.0 * numpy::square(a)) * numpy::square(1.0 - numpy::exp(-a * times));
  const Array variances = square / (2.0 * a) * (1.0 - numpy::exp(-2.0 * a * times));
  const Array decay = numpy::exp(-a * period), deviation = numpy::sqrt(variances[0]);
  struct Now {
    Array date, mean, variance, bond, notional, normal;
  };
  struct State {
    Array x, discount, mean, bond;  // x is the short rate less today's forward rate
  };
  const auto step = [&](const State& s, const Now& now) {
    const Array x = now.mean + decay * (s.x - s.mean) + deviation * now.normal;
    const Array discount = s.discount * (now.bond / s.bond) * numpy::exp(-0.5 * period * (s.x + x));
    const Array later = numpy::arange(dates) > now.date, ahead = numpy::where(later, times - times[now.date], 0.0);
    const Array slope = (1.0 - numpy::exp(-a * ahead)) / a;
    const Array flows = numpy::where(later, swaps.flows * today / now.bond, 0.0) *
                        numpy::exp(-0.5 * numpy::square(slope) * now.variance);
    const Array bonds = numpy::exp(-numpy::expand_dims(slope, 1) * x);  // [dates, paths]
    const Array value = now.notional + numpy::sum(numpy::expand_dims(flows, 1) * bonds, 0);
    return std::pair(State{x, discount, now.mean, now.bond}, numpy::mean(discount * nn::relu(value)));
  };
  const Array zero = numpy::zeros({paths}, float64);
  const State start = {zero, zero + 1.0, Array(0.0), Array(1.0)};
  const Now all_dates = {numpy::arange(dates), means, variances, today, swaps.notional, normals};
  return lax::scan(step, start, all_dates).second;
}

/// Shapes    normals f64[blocks, dates, paths of a block]
inline Array xva_cva(const Xva& m, const Portfolio& swaps, const Array& normals) {
  const int64_t dates = normals.shape(1);
  const Array times = kHorizon / static_cast<double>(dates) * numpy::arange(1.0, static_cast<double>(dates) + 1);
  const auto of_block = [swaps, times](const Xva& at, const Array& block) {
    return numpy::dot((1 - kRecovered) * default_probabilities(at, times), exposures(at, swaps, block));
  };
  return mean_of_blocks(of_block, m, normals);
}

}  // namespace finance
