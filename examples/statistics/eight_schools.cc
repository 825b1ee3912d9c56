// SPDX-License-Identifier: Apache-2.0
// examples/statistics/eight_schools.cc -- what coaching did in eight schools, by the no-U-turn sampler: `eight_schools
// [report.html]`.
// Source    Rubin (1981); the model as in Gelman et al., "Bayesian Data Analysis", section 5.5, in its non-centred form
#include "examples/statistics/nuts.h"
#include "examples/support/page.h"

using namespace hilo;

// y[i] is normal around theta[i] = mu + tau eta[i]; eta is normal, mu normal of deviation 5, tau half Cauchy of scale
// 5.
struct Position {
  Array mu, log_tau, eta;
};
const std::vector<double> kEffects = {28, 8, -3, 7, -1, 1, 18, 12}, kErrors = {15, 10, 16, 11, 9, 11, 10, 18};

Array energy(const Position& q) {
  const Array y = numpy::array(kEffects), sigma = numpy::array(kErrors), tau = numpy::exp(q.log_tau);
  const Array off = (y - q.mu - tau * q.eta) / sigma;
  const Array prior = 0.5 * numpy::square(q.mu / 5) + 0.5 * numpy::sum(numpy::square(q.eta)) +
                      numpy::log1p(numpy::square(tau / 5)) - q.log_tau;  // the last for the logarithm
  return 0.5 * numpy::sum(numpy::square(off)) + prior;
}

int main(int argc, char** argv) {
  config().update("jax_enable_x64", true);
  constexpr int64_t kChains = 16;
  const auto [start, unravel] = flatten_util::ravel_pytree(
      Position{numpy::zeros({}, float64), numpy::zeros({}, float64), numpy::zeros({8}, float64)});
  const auto chain = [&, &start = start, &unravel = unravel](const random::Key& key) {
    return statistics::nuts([&](const Array& q) { return energy(unravel(q)); }, start, key);
  };
  const statistics::NutsResult found = jit(vmap(chain))(random::split(random::key(0), kChains));
  const Array mu = found.samples(all, all, 0), tau = numpy::exp(found.samples(all, all, 1));
  const Array eta = found.samples(all, all, range(2, none));
  const Array theta = numpy::expand_dims(mu, 2) + numpy::expand_dims(tau, 2) * eta;  // [chains, samples, schools]
  const std::vector<double> means = examples::numbers(numpy::mean(theta, {0, 1}));
  const std::vector<double> deviations = examples::numbers(numpy::std(theta, {0, 1}));
  const double mean_mu = mu.mean().item<double>(), mean_tau = tau.mean().item<double>();
  const double rate = numpy::mean(found.accepted).item<double>();

  // The spread of the chains' means relative to the spread within each chain: 1 where they have met.
  const Array within = numpy::mean(numpy::var(mu, 1)), between = numpy::var(numpy::mean(mu, 1));
  const double r_hat = std::sqrt(1 + (between / within).item<double>());

  examples::Page page("Eight schools");
  std::string table = "school  measured  error   theta   deviation\n";
  for (size_t i = 0; i < 8; ++i) {
    char line[80];
    std::snprintf(line, sizeof line, "%c      %8.0f %8.0f %8.1f %8.1f\n", static_cast<char>('A' + i),
                  static_cast<double>(kEffects[i]), static_cast<double>(kErrors[i]), means[i], deviations[i]);
    table += line;
  }
  page.code(table);
  page.chart("mu and tau of one chain",
             {examples::curve("mu", examples::numbers(mu[0])), examples::curve("tau", examples::numbers(tau[0]))});
  page.chart("samples of mu over log tau of all chains",
             {{"", examples::numbers(numpy::log(tau)[range(0, 4)]), examples::numbers(mu[range(0, 4)]), true}});
  std::printf("%smu %.2f, tau %.2f, accepted %.2f, step %.2f, R hat %.3f\n", table.c_str(), mean_mu, mean_tau, rate,
              numpy::mean(found.step).item<double>(), r_hat);
  // posteriordb's reference draws of this model have means 4.4 and 3.6.
  const bool right = std::abs(mean_mu - 4.4) < 0.4 && std::abs(mean_tau - 3.6) < 0.4 && rate > 0.7 && r_hat < 1.02;
  return examples::finish(page, argc, argv, "eight schools", right);
}
