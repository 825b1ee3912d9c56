// SPDX-License-Identifier: Apache-2.0
// examples/finance/heston.cc -- Greeks of a call in Heston's model: by 200,000 paths of 100 steps, by an integral, and
// by finite differences of the integral.
// Source    heston.h; the first price is exact in Broadie and Kaya, "Exact simulation of stochastic volatility and
//           other affine jump diffusion processes" (2006), table 1
#include "examples/finance/heston.h"

#include "examples/support/greeks.h"

using namespace finance;

int main() {
  config().update("jax_enable_x64", true);
  constexpr double kStrike = 100;
  constexpr int64_t kBlocks = 40;
  const auto integral = [](const Heston& m) { return heston_by_integral(m, kStrike); };
  const Heston published = {100.0, 0.0319, 1.0, 0.010201, 0.019, 6.21, 0.61, -0.7};
  const double price = jit(integral)(published).item<double>();
  std::printf("price %.4f, published 6.8061\n", price);

  const Heston market = {105.0, 0.03, 1.0, 0.04, 0.05, 2.0, 0.3, -0.7};
  const auto exact = jit(value_and_grad(integral))(market);
  const auto of_block = [&](const random::Key& key) {
    const Array normals = random::normal(key, {100, 2, 5000}, float64);
    return value_and_grad([&](const Heston& m) { return heston_by_paths(m, kStrike, normals); })(market);
  };
  const auto [prices, slopes] =
      jit([&](const random::Key& keys) { return lax::map(of_block, keys); })(random::split(random::key(0), kBlocks));

  const std::vector<const char*> names = {"spot", "rate",      "time",       "variance",
                                          "long", "reversion", "volatility", "correlation"};
  const bool derived =
      examples::compare_greeks(names, exact.second, examples::differences(jit(integral), market), 1e-6);
  std::printf("by paths:\n");
  const bool simulated = examples::compare_means(names, slopes, examples::numbers_of(exact.second)) &&
                         examples::compare_means({"price"}, prices, {exact.first.item<double>()});
  const bool right = std::abs(price - 6.8061) < 1e-4 && derived && simulated;
  std::printf("Heston: %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
