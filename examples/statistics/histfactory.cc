// SPDX-License-Identifier: Apache-2.0
// examples/statistics/histfactory.cc -- a fit of 91 parameters by Newton's method with an exact gradient and Hessian;
// the errors are those of the Hessian's inverse. The gradient is compared with differences, the Hessian with those of
// the gradient.
#include "examples/statistics/histfactory.h"

#include <limits>

#include "examples/support/greeks.h"

using namespace statistics;

int main() {
  config().update("jax_enable_x64", true);
  const auto [start, counts] = measurement(kSmallFit);
  const auto [x0, unravel] = flatten_util::ravel_pytree(start);
  const auto loss = [&, &counts = counts, &unravel = unravel](const Array& x) {
    return minus_log_likelihood(unravel(x), counts);
  };
  const auto value_and_slopes = jit(value_and_grad(loss));
  const auto curvature = jit(hessian(loss));

  // Away from the start, some nuisances beyond one deviation.
  const Array moved = x0 + 0.3 * numpy::sin(numpy::arange(static_cast<double>(x0.size()))) +
                      numpy::where(numpy::arange(x0.size()) % 9 == 5, 1.1, 0.0);
  const std::vector<double> slopes = value_and_slopes(moved).second.to_vector<double>();
  const std::vector<double> differences = examples::differences(jit(loss), moved);
  double apart = 0;
  for (size_t i = 0; i < slopes.size(); ++i) {
    apart = std::fmax(apart, std::abs(slopes[i] - differences[i]) / std::fmax(1.0, std::abs(slopes[i])));
  }
  const Array step = numpy::cos(numpy::arange(static_cast<double>(x0.size()))) * 1e-5;
  const Array along = (value_and_slopes(moved + step).second - value_and_slopes(moved - step).second) / 2.0;
  const Array product = numpy::matmul(curvature(moved), step);
  const double bent = (numpy::max(numpy::abs(product - along)) / numpy::max(numpy::abs(product))).item<double>();
  std::printf("%lld parameters; the gradient is within %.0e of differences, the Hessian within %.0e\n",
              static_cast<long long>(x0.size()), apart, bent);

  Array x = x0;
  const auto newton = jit([&](const Array& at) {  // the best of a whole step, half of it, ...
    const Array direction = linalg::solve(hessian(loss)(at), grad(loss)(at));
    const Array tried = at - numpy::outer(numpy::power(0.5, numpy::arange(8.0)), direction);
    const Array losses = vmap(loss)(tried);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return tried[numpy::argmin(numpy::where(losses < kInfinity, losses, kInfinity))];  // NaN isn't less
  });
  for (int i = 0; i < 12; ++i) x = newton(x);
  const auto [value, gradient] = value_and_slopes(x);
  const Array errors = numpy::sqrt(numpy::diagonal(linalg::inv(curvature(x))));
  const double largest = numpy::max(numpy::abs(gradient)).item<double>();
  const Parameters fitted = unravel(x), deviations = unravel(errors);
  for (int64_t i = 0; i < fitted.factors.size(); ++i) {
    std::printf("  signal of channel %d: %.3f +- %.3f\n", static_cast<int>(i), fitted.factors[i].item<double>(),
                deviations.factors[i].item<double>());
  }
  std::printf("gradient at the minimum %.0e, -log L %.4f\n", largest, value.item<double>());
  const bool right = x0.size() == 91 && apart < 1e-6 && bent < 1e-6 && largest < 1e-8;
  std::printf("likelihood fit: %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
