// SPDX-License-Identifier: Apache-2.0
// A program of a user of the wheel: catches an error of the library. The exception is the program's own: the library
// uses the program's C++ runtime.
#include <cstdio>
#include <exception>

#include "hilo/core.h"

using namespace hilo;

int main() {
  const auto f = jit([](Array x) { return numpy::sum(x * x); });
  const Array slope = grad(f)(numpy::array({1.0f, 2.0f, 3.0f}));
  try {
    numpy::reshape(slope, {2, 2});
  } catch (const std::exception& error) {
    std::printf("%.16s, %d in flight, ", error.what(), std::uncaught_exceptions());
  }
  std::printf("slope %g\n", static_cast<double>(numpy::sum(slope).item<float>()));
  return 0;
}
