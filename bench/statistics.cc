// SPDX-License-Identifier: Apache-2.0
// bench/statistics.cc -- likelihoods of examples/statistics, their gradients and Hessians. Prints the lines of
// bench/first_call.h, named "model value", "model gradient" and "model Hessian"; bench/statistics/models.py prints the
// same of JAX, and tools/bench.py compares them.
#include "bench/first_call.h"
#include "examples/statistics/histfactory.h"

using namespace statistics;

namespace {

void rows(const std::string& name, const Measurement& size) {
  const auto [start, counts] = measurement(size);
  const auto [x0, unravel] = flatten_util::ravel_pytree(start);
  const auto loss = [unravel = unravel](const Array& x, const Counts& c) {
    return minus_log_likelihood(unravel(x), c);
  };
  const Array x = x0 + 0.1 * numpy::sin(numpy::arange(static_cast<double>(x0.size())));
  bench::row(name + " value", jit(loss), x, counts);
  bench::row(name + " gradient", jit(value_and_grad(loss)), x, counts);
  bench::row(name + " Hessian", jit(hessian(loss)), x, counts);
}

}  // namespace

int main() {
  config().update("jax_enable_x64", true);
  rows("91 parameters", kSmallFit);
  rows("1,470 parameters", kLargeFit);
  return 0;
}
