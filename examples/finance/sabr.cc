// SPDX-License-Identifier: Apache-2.0
// examples/finance/sabr.cc -- the SABR model: prices of its formula and of paths, and the calibration of five expiries
// at once.
#include "examples/finance/sabr.h"

#include <iostream>

#include "examples/finance/black.h"
#include "examples/support/greeks.h"

using namespace finance;

namespace {

constexpr double kStrike = 0.045, kTime = 1;

/// In basis points.
Array formula(const Sabr& m, const Array& forward) {
  return 1e4 * black_call(forward, kStrike, sabr_volatility(m, forward, kStrike, kTime) * std::sqrt(kTime));
}

/// Fits each expiry on its own; vmap does all of them in one program.
Sabr calibrated(const Smiles& quotes) {
  const auto fit = [](const Array& forward, const Array& time, const Array& strikes, const Array& volatilities) {
    const auto off = [&](const Array& x) {  // variables that may take any value
      return sabr_volatility({numpy::exp(x[0]), numpy::tanh(x[1]), numpy::exp(x[2])}, forward, strikes, time) -
             volatilities;
    };
    const Array x = scipy::optimize::least_squares(off, numpy::array({-3.0, 0.0, -1.0}), {.xtol = 1e-12}).x;
    return Sabr{numpy::exp(x[0]), numpy::tanh(x[1]), numpy::exp(x[2])};
  };
  return vmap(fit)(quotes.forwards, quotes.times, quotes.strikes, quotes.volatilities);
}

}  // namespace

int main() {
  config().update("jax_enable_x64", true);
  const Sabr model = {0.04, -0.3, 0.4};
  const Array forward = 0.04;
  const auto price = jit(value_and_grad([](const std::pair<Sabr, Array>& m) { return formula(m.first, m.second); }));
  const auto [exact, greeks] = price(std::pair(model, forward));
  const auto plain = jit([](const std::pair<Sabr, Array>& m) { return formula(m.first, m.second); });
  bool right = examples::compare_greeks({"level", "correlation", "volatility", "forward"}, greeks,
                                        examples::differences(plain, std::pair(model, forward)), 1e-6);
  const auto of_block = [&](const random::Key& key) {
    return 1e4 * sabr_by_paths(model, forward, kStrike, kTime, random::normal(key, {100, 2, 5000}, float64));
  };
  const Array blocks =
      jit([&](const random::Key& keys) { return lax::map(of_block, keys); })(random::split(random::key(0), 40));
  std::printf("a call in basis points, by the formula and by paths:\n");
  right = right && examples::compare_means({"price"}, blocks, {exact.item<double>()});

  const Array years = numpy::arange(1.0, 6.0), forwards = 0.03 + 0.002 * years;
  const Sabr truth = {0.03 + 0.002 * years, -0.4 + 0.05 * years, 0.6 - 0.05 * years};
  const Array strikes = numpy::expand_dims(forwards, 1) * numpy::linspace(0.5, 1.5, 21);
  const Array volatilities = vmap([](const Sabr& m, const Array& f, const Array& k, const Array& t) {
    return sabr_volatility(m, f, k, t);
  })(truth, forwards, strikes, years);
  const Sabr found = jit(calibrated)(Smiles{forwards, years, strikes, volatilities});
  std::printf("calibrated levels, correlations, volatilities of volatility, and those of the quotes:\n");
  for (const auto& [got, wanted] :
       {std::pair(found.level, truth.level), std::pair(found.correlation, truth.correlation),
        std::pair(found.volatility, truth.volatility)}) {
    std::cout << "  " << numpy::round(got, 6) << "  " << wanted << std::endl;
    right = right && numpy::max(numpy::abs(got / wanted - 1.0)).item<double>() <= 1e-6;
  }
  std::printf("SABR: %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
