// SPDX-License-Identifier: Apache-2.0
// A library outside the project that computes with hilo, for programs that open it while they run.
#include <hilo/hilo.h>

#include <thread>

namespace {

float work() {
  const auto f = hilo::jit([](hilo::Array x) { return hilo::numpy::sum(x * x); });
  const hilo::Array x = hilo::numpy::array({1.0f, 2.0f, 3.0f});
  return f(x).item<float>() + hilo::numpy::sum(hilo::grad(f)(x)).item<float>();
}

}  // namespace

/// Twice the same number: of this thread, and of one that began later.
extern "C" float plugin_number() {
  float here = work(), there = 0;
  std::thread([&] { there = work(); }).join();
  return here + there;
}
