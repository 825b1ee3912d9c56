// SPDX-License-Identifier: Apache-2.0
// examples/finance/xva.cc -- the CVA of twenty swaps and its 40 slopes, by paths, compared with differences on the same
// paths. Of a bond, whose value is never negative, the CVA is a sum.
#include "examples/finance/xva.h"

#include "examples/support/greeks.h"

using namespace finance;

int main() {
  config().update("jax_enable_x64", true);
  constexpr int64_t kDates = 40;
  const Xva market = {numpy::linspace(0.02, 0.03, 20), numpy::linspace(0.01, 0.03, 18), 0.05, 0.01};
  const Array zeros = numpy::zeros({kDates}, float64);
  const Portfolio bond = {zeros, zeros.at(-1).set(1e4)};
  const auto of_block = [&](const random::Key& key) {
    return xva_cva(market, bond, random::normal(key, {1, kDates, 1000}, float64));
  };
  const Array blocks =
      jit([&](const random::Key& keys) { return lax::map(of_block, keys); })(random::split(random::key(0), 20));
  const Array times = kHorizon / kDates * numpy::arange(1.0, kDates + 1.0);
  const Array exact =
      1e4 * (1 - kRecovered) * curve(market, times)[-1] * numpy::sum(default_probabilities(market, times)(range(-1)));
  std::printf("the CVA of a bond, by a sum and by paths:\n");
  bool right = examples::compare_means({"basis points"}, blocks, {exact.item<double>()});

  const Array normals = random::normal(random::key(1), {4, kDates, 250}, float64);
  const Portfolio swaps = twenty_swaps(kDates);
  const auto cva = jit([&](const Xva& m) { return xva_cva(m, swaps, normals); });
  const auto [value, slopes] = jit(value_and_grad([&](const Xva& m) { return xva_cva(m, swaps, normals); }))(market);
  const std::vector<double> gradient = examples::numbers_of(slopes), differences = examples::differences(cva, market);
  double apart = 0, largest = 0;
  for (size_t i = 0; i < gradient.size(); ++i) {
    apart = std::fmax(apart, std::abs(gradient[i] - differences[i]));
    largest = std::fmax(largest, std::abs(gradient[i]));
  }
  std::printf("twenty swaps: CVA %.5f, %zu slopes up to %.3f, which differ from differences by up to %.1g\n",
              value.item<double>(), gradient.size(), largest, apart);
  right = right && gradient.size() == 40 && apart < 1e-3 * largest;  // a difference may cross the edge of an exposure
  std::printf("CVA: %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
