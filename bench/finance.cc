// SPDX-License-Identifier: Apache-2.0
// bench/finance.cc -- the models of examples/finance and their gradients. Prints the lines of bench/first_call.h, named
// "model value" and "model gradient"; a gradient's number is its sum. bench/finance/models.py prints the same of JAX,
// and tools/bench.py compares them.
#include "bench/first_call.h"
#include "examples/finance/heston.h"
#include "examples/finance/libor.h"
#include "examples/finance/sabr.h"
#include "examples/finance/xva.h"

using namespace finance;

namespace {

/// 10,000 paths in blocks: f64[10000 / width, steps..., width].
Array draws(uint32_t seed, std::vector<int64_t> steps, int64_t width) {
  steps.insert(steps.begin(), 10000 / width);
  steps.push_back(width);
  return random::normal(random::key(seed), steps, float64);
}

template <typename F, typename Tree, typename... Data>
void rows(const std::string& name, const F& f, const Tree& at, const Data&... data) {
  bench::row(name + " value", jit(f), at, data...);
  bench::row(name + " gradient", jit(value_and_grad(f)), at, data...);
}

Array ramp(double first, double step, int64_t count) {
  return first + step * numpy::arange(static_cast<double>(count));
}

}  // namespace

int main() {
  config().update("jax_enable_x64", true);
  const Heston heston = {105.0, 0.03, 1.0, 0.04, 0.05, 2.0, 0.3, -0.7};
  rows(
      "heston",
      [](const Heston& m, const Array& normals) {
        const auto of_block = [](const Heston& at, const Array& block) { return heston_by_paths(at, 100, block); };
        return mean_of_blocks(of_block, m, normals);
      },
      heston, draws(0, {100, 2}, 500));

  const Array forwards = ramp(0.03, 0.002, 5), times = ramp(1, 1, 5);
  const Smiles smiles = {forwards, times, numpy::expand_dims(forwards, 1) * numpy::linspace(0.5, 1.5, 2000),
                         0.2 + 0.01 * numpy::sin(numpy::reshape(numpy::arange(10000.0), {5, 2000}))};
  rows("sabr", sabr_misfit, Sabr{ramp(0.035, 0.001, 5), ramp(-0.3, 0.02, 5), ramp(0.4, 0.01, 5)}, smiles);

  rows("xva", xva_cva, Xva{ramp(0.02, 0.0005, 20), ramp(0.01, 0.001, 18), 0.05, 0.01}, twenty_swaps(40),
       draws(1, {40}, 100));
  const auto libor = [](const Libor& m, const Array& normals) { return libor_price(m, fifteen_swaptions(), normals); };
  rows("libor", libor, Libor{ramp(0.045, 0.0001, 80), ramp(0.2, -0.0005, 80), 0.25}, draws(2, {40}, 100));
  return 0;
}
