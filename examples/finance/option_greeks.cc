// SPDX-License-Identifier: Apache-2.0
// examples/finance/option_greeks.cc -- prices of options and how they change, by differentiating the price:
// `option_greeks [report.html]`.
// Source    Black and Scholes (1973); paths as in Glasserman, "Monte Carlo Methods in Financial Engineering" (2003),
//           chapter 7
#include "examples/support/page.h"

using namespace hilo;

struct Market {
  Array spot, volatility, rate, time;
};
constexpr float kStrike = 100;

Array cdf(const Array& x) { return scipy::stats::norm::cdf(x); }

// A European call by the formula of Black and Scholes.
Array call_price(const Market& m) {
  const Array deviation = m.volatility * numpy::sqrt(m.time);
  const Array d1 = (numpy::log(m.spot / kStrike) + (m.rate + 0.5f * numpy::square(m.volatility)) * m.time) / deviation;
  return m.spot * cdf(d1) - kStrike * numpy::exp(-m.rate * m.time) * cdf(d1 - deviation);
}

// The same by paths: a call's payoff has a slope almost everywhere, so the mean of slopes is the slope of the mean.
Array call_by_paths(const Market& m, const Array& normals) {
  const Array drift = (m.rate - 0.5f * numpy::square(m.volatility)) * m.time;
  const Array end = m.spot * numpy::exp(drift + m.volatility * numpy::sqrt(m.time) * normals);
  return numpy::exp(-m.rate * m.time) * numpy::mean(nn::relu(end - kStrike));
}

// An option on the mean of a path's prices, which has no formula.
Array asian_by_paths(const Market& m, const Array& normals) {
  const auto steps = static_cast<float>(normals.shape(1));
  const Array dt = m.time / steps;
  const Array moves = (m.rate - 0.5f * numpy::square(m.volatility)) * dt + m.volatility * numpy::sqrt(dt) * normals;
  const Array prices = m.spot * numpy::exp(numpy::cumsum(moves, {.axis = 1}));
  return numpy::exp(-m.rate * m.time) * numpy::mean(nn::relu(numpy::mean(prices, 1) - kStrike));
}

int main(int argc, char** argv) {
  const Market market = {Array(105.0f), Array(0.25f), Array(0.03f), Array(0.75f)};
  const auto greeks = jit(value_and_grad(call_price));
  const auto [price, slopes] = greeks(market);
  const auto gamma = jit([](const Array& spot, const Market& m) {
    return grad(grad([&](const Array& s) { return call_price({s, m.volatility, m.rate, m.time}); }))(spot);
  });

  // The same by the formulas of textbooks.
  const double s = 105, v = 0.25, r = 0.03, t = 0.75, k = kStrike;
  const auto density = [](double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0)); };
  const auto normal = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  const double d1 = (std::log(s / k) + (r + v * v / 2) * t) / (v * std::sqrt(t)), d2 = d1 - v * std::sqrt(t);
  struct Greek {
    const char* name;
    double hilo, formula;
  };
  const std::vector<Greek> table = {
      {"price", price.item<double>(), s * normal(d1) - k * std::exp(-r * t) * normal(d2)},
      {"delta", slopes.spot.item<double>(), normal(d1)},
      {"gamma", gamma(market.spot, market).item<double>(), density(d1) / (s * v * std::sqrt(t))},
      {"vega", slopes.volatility.item<double>(), s * density(d1) * std::sqrt(t)},
      {"rho", slopes.rate.item<double>(), k * t * std::exp(-r * t) * normal(d2)},
      {"theta", -slopes.time.item<double>(),
       -s * density(d1) * v / (2 * std::sqrt(t)) - r * k * std::exp(-r * t) * normal(d2)}};
  bool right = true;
  examples::Page page("Greeks of options");
  std::string text = "          hilo     formula\n";
  for (const Greek& g : table) {
    char line[80];
    std::snprintf(line, sizeof line, "%-6s %9.5f %11.5f\n", g.name, g.hilo, g.formula);
    text += line;
    right = right && std::abs(g.hilo - g.formula) < 2e-4 * std::fmax(1, std::abs(g.formula));
  }

  const Array normals = random::normal(random::key(0), {200000});
  const auto [paths, path_slopes] = jit(value_and_grad(call_by_paths))(market, normals);
  const auto [asian, asian_slopes] =
      jit(value_and_grad(asian_by_paths))(market, random::normal(random::key(1), {20000, 64}));
  char line[160];
  std::snprintf(line, sizeof line,
                "by 200000 paths: price %.3f, delta %.4f, vega %.3f\nan Asian option: price %.3f, delta %.4f\n",
                paths.item<double>(), path_slopes.spot.item<double>(), path_slopes.volatility.item<double>(),
                asian.item<double>(), asian_slopes.spot.item<double>());
  text += line;
  // Four standard errors of these means.
  right = right && std::abs(paths.item<double>() - table[0].formula) < 0.2 &&
          std::abs(path_slopes.spot.item<double>() - table[1].formula) < 0.01;

  const Array spots = numpy::linspace(60, 140, 81);
  const auto along = [&](const Array& spot) { return Market{spot, market.volatility, market.rate, market.time}; };
  const auto [prices, curves] =
      jit(vmap([&](const Array& spot) { return value_and_grad(call_price)(along(spot)); }))(spots);
  const Array gammas = vmap([&](const Array& spot) { return gamma(spot, market); })(spots);
  const std::vector<double> x = examples::numbers(spots);
  page.code(text);
  page.chart("price and delta (times 10) over spot",
             {{"price", x, examples::numbers(prices)}, {"10 delta", x, examples::numbers(10 * curves.spot)}});
  page.chart("gamma (times 1000), vega and theta over spot", {{"1000 gamma", x, examples::numbers(1000 * gammas)},
                                                              {"vega", x, examples::numbers(curves.volatility)},
                                                              {"theta", x, examples::numbers(-curves.time)}});
  std::printf("%s", text.c_str());
  return examples::finish(page, argc, argv, "option Greeks", right);
}
