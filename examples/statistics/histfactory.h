// SPDX-License-Identifier: Apache-2.0
// examples/statistics/histfactory.h -- the likelihood of a binned measurement in particle physics: channels of bins in
// which several processes are expected, whose yields depend on normalisations and on nuisance parameters.
// Source    Cranmer, Lewis, Moneta, Shibata and Verkerke, "HistFactory: a tool for creating statistical models for use
//           with RooFit and RooStats" (2012), section 4
#pragma once

#include "hilo/hilo.h"

namespace statistics {

using namespace hilo;

struct Measurement {
  int64_t channels, samples, bins, nuisances;
  int64_t nuisances_of_sample;

  /// A factor a channel, a factor a bin, nuisances, and the luminosity.
  int64_t parameters() const { return channels + channels * bins + nuisances + 1; }
};
constexpr Measurement kSmallFit = {4, 6, 10, 46, 12};    // 91 parameters
constexpr Measurement kLargeFit = {64, 6, 10, 765, 12};  // 1,470

struct Parameters {
  Array factors;    ///< [channels], of the signal
  Array of_bins;    ///< [channels, bins]: the relative error of the expectation, from few simulated events
  Array nuisances;  ///< [nuisances], in standard deviations
  Array luminosity;
};

struct Counts {
  Array shapes;     ///< [channels, samples, bins]: what is expected of each process
  Array up, down;   ///< [channels, samples, nuisances of a sample]: relative yields at plus and minus one deviation
  Array which;      ///< the nuisances of each sample
  Array simulated;  ///< [channels, bins]: events behind the expectation
  Array observed;   ///< [channels, bins]
};

/// The relative yield between and beyond the deviations: a power outside, inside a polynomial of order six that
/// continues the power's first two derivatives.
inline Array interpolated(const Array& x, const Array& up, const Array& down) {
  const Array beyond = numpy::exp(numpy::abs(x) * numpy::log(numpy::where(x < 0.0, down, up)));
  const Array log_up = numpy::log(up), log_down = numpy::log(down);
  const Array sum = 0.5 * (up + down), difference = 0.5 * (up - down);
  const Array slope_sum = 0.5 * (up * log_up + down * log_down);
  const Array slope_difference = 0.5 * (up * log_up - down * log_down);
  const Array bend_sum = 0.5 * (up * numpy::square(log_up) + down * numpy::square(log_down));
  const Array bend_difference = 0.5 * (up * numpy::square(log_up) - down * numpy::square(log_down));
  // Value, slope and bend of the odd part at 1 are the differences, those of the even part the sums.
  const Array a1 = (15.0 * difference - 7.0 * slope_difference + bend_difference) / 8.0;
  const Array a2 = (24.0 * (sum - 1.0) - 9.0 * slope_sum + bend_sum) / 8.0;
  const Array a3 = (-5.0 * difference + 5.0 * slope_difference - bend_difference) / 4.0;
  const Array a4 = (-12.0 * (sum - 1.0) + 7.0 * slope_sum - bend_sum) / 4.0;
  const Array a5 = (3.0 * difference - 3.0 * slope_difference + bend_difference) / 8.0;
  const Array a6 = (8.0 * (sum - 1.0) - 5.0 * slope_sum + bend_sum) / 8.0;
  const Array within = 1.0 + x * (a1 + x * (a2 + x * (a3 + x * (a4 + x * (a5 + x * a6)))));
  return numpy::where(numpy::abs(x) > 1.0, beyond, within);
}

/// [channels, bins].
inline Array expected(const Parameters& p, const Counts& c) {
  const Array yields = numpy::prod(interpolated(p.nuisances(c.which), c.up, c.down), -1);  // [channels, samples]
  const Array signal = yields(all, range(1)) * numpy::expand_dims(p.factors, 1);
  const Array scaled = numpy::concatenate({signal, yields(all, range(1, none))}, 1) * p.luminosity;
  return p.of_bins * numpy::sum(numpy::expand_dims(scaled, 2) * c.shapes, 1);
}

/// Without terms that don't depend on the parameters.
inline Array minus_log_likelihood(const Parameters& p, const Counts& c) {
  const auto poisson = [](const Array& mean, const Array& count) {
    return numpy::sum(mean - count * numpy::log(mean));
  };
  constexpr double kLuminosityError = 0.02;
  return poisson(expected(p, c), c.observed) + poisson(p.of_bins * c.simulated, c.simulated) +
         0.5 * numpy::sum(numpy::square(p.nuisances)) + 0.5 * numpy::square((p.luminosity - 1.0) / kLuminosityError);
}

/// Without pulls, and counts that are a little off what is expected of them.
inline std::pair<Parameters, Counts> measurement(const Measurement& m) {
  const auto wave = [](double seed, const std::vector<int64_t>& shape) {
    int64_t size = 1;
    for (int64_t d : shape) size *= d;
    return numpy::reshape(numpy::sin(numpy::arange(size, float64) * 12.9898 + 78.233 * seed), shape);
  };
  const std::vector<int64_t> cells = {m.channels, m.bins}, modifiers = {m.channels, m.samples, m.nuisances_of_sample};
  const int64_t uses = m.channels * m.samples * m.nuisances_of_sample;
  const Parameters start = {numpy::ones({m.channels}, float64), numpy::ones(cells, float64),
                            numpy::zeros({m.nuisances}, float64), 1.0};
  Counts c = {30.0 + 20.0 * wave(1, {m.channels, m.samples, m.bins}),
              1.05 + 0.04 * wave(2, modifiers),
              0.95 + 0.04 * wave(3, modifiers),
              numpy::reshape(numpy::arange(uses) * 7 % m.nuisances, modifiers),
              400.0 + 100.0 * wave(4, cells),
              {}};
  c.observed = numpy::round(expected(start, c) * (1.0 + 0.05 * wave(5, cells)));
  return {start, c};
}

}  // namespace statistics
