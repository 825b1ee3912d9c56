// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "hilo/core.h"

using namespace hilo;

int main() {
  const auto f = jit([](Array x) { return numpy::sum(x * x); });
  const Array slope = grad(f)(numpy::array({1.0f, 2.0f, 3.0f}));
  std::printf("slope %g\n", static_cast<double>(numpy::sum(slope).item<float>()));
  return 0;
}
