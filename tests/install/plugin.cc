// SPDX-License-Identifier: Apache-2.0
// A library outside of the project that uses hilo, for programs that open it at run time.
#include <hilo/hilo.h>

#include <thread>

namespace {

float work() {
  const auto f = hilo::jit([](hilo::Array x) { return hilo::numpy::sum(x * x); });
  const hilo::Array x = hilo::numpy::array({1.0f, 2.0f, 3.0f});
  return f(x).item<float>() + hilo::numpy::sum(hilo::grad(f)(x)).item<float>();
}

}  // namespace

/// Sums the results of this thread and of a new thread, which must be equal.
extern "C" float plugin_number() {
  float here = work(), there = 0;
  std::thread([&] { there = work(); }).join();
  return here + there;
}
