// SPDX-License-Identifier: Apache-2.0
// bench/adbench.cc -- ADBench's objectives and their gradients: prints "name kind<TAB>microseconds", a line each, where
// kind is objective or gradient; medians of calls. tools/bench.py compares them with jaxlib's.
#include "bench/adbench/objectives.h"
#include "bench/timing.h"

using namespace hilo;

int main() {
  config().update("jax_enable_x64", true);
  adbench::for_each_objective([](const char* name, auto of, const auto&, const auto& make) {
    using Objective = decltype(of);
    const auto [parameters, data] = make();
    const auto print = [&](const char* kind, const auto& f) {
      std::printf("%s %s\t%.4f\n", name, kind, bench::median_microseconds([&] { f(parameters, data); }));
      std::fflush(stdout);
    };
    print("objective", jit(Objective::objective));
    print("gradient", jit(grad(Objective::objective)));
  });
  return 0;
}
