// SPDX-License-Identifier: Apache-2.0
// examples/finance/libor.cc -- swaptions in the LIBOR market model and their 161 slopes, by paths. A swaption on one
// period is a caplet, for which Black's formula is exact.
#include "examples/finance/libor.h"

#include "examples/finance/black.h"
#include "examples/support/greeks.h"

using namespace finance;

namespace {

constexpr int64_t kSteps = 40;

/// 100 caplets on the first rate that is fixed after the last step.
Array caplet(const Libor& m, const Array& strike) {
  const Array variance = m.period * numpy::sum(numpy::square(m.volatilities(range(kSteps))));
  const Array discount = 1.0 / numpy::prod(1.0 + m.period * m.forwards(range(kSteps + 1)));
  return 100.0 * discount * m.period * black_call(m.forwards[kSteps], strike, numpy::sqrt(variance));
}

/// A sum of forward deltas, a sum of vegas, and the slope of the period.
std::vector<Array> sums(const Libor& slopes) {
  return {slopes.forwards[kSteps], numpy::sum(slopes.forwards(range(kSteps))), numpy::sum(slopes.volatilities),
          slopes.period};
}

}  // namespace

int main() {
  config().update("jax_enable_x64", true);
  const Libor market = {numpy::linspace(0.045, 0.055, 80), numpy::linspace(0.2, 0.16, 80), 0.25};
  const std::vector<const char*> names = {"price", "its rate", "earlier rates", "volatilities", "period"};
  const Array strike = 0.05;
  const auto by_paths = [&](const Swaptions& portfolio) {
    return jit([&, portfolio](const random::Key& keys) {
      const auto of_block = [&](const random::Key& key) {
        const Array normals = random::normal(key, {kSteps, 100}, float64);
        const auto [price, slopes] =
            value_and_grad([&](const Libor& m) { return libor_block(m, portfolio, normals); })(market);
        std::vector<Array> row = sums(slopes);
        row.insert(row.begin(), price);
        return row;
      };
      return lax::map(of_block, keys);
    })(random::split(random::key(0), 200));
  };
  const auto [price, slopes] = jit(value_and_grad([&](const Libor& m) { return caplet(m, strike); }))(market);
  std::vector<Array> exact = sums(slopes);
  exact.insert(exact.begin(), price);
  std::printf("a caplet, by Black's formula and by paths:\n");
  bool right = examples::compare_means(names, by_paths({{1}, strike.reshape({1})}), examples::numbers_of(exact));

  const std::vector<Array> blocks = by_paths(fifteen_swaptions());
  std::printf("fifteen swaptions, by paths:\n");
  for (size_t i = 0; i < names.size(); ++i) std::printf("  %-14s %12.4f\n", names[i], blocks[i].mean().item<double>());
  // A portfolio of long options gains from volatility.
  right = right && blocks[0].mean().item<double>() > 0 && blocks[3].mean().item<double>() > 0;
  std::printf("LIBOR market model: %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
