// SPDX-License-Identifier: Apache-2.0
// What jit(grad(f)) adds to the header: 1.2 seconds of the aim.
// aim: 3.7
#include "hilo/hilo.h"

int main() {
  const auto f = [](const hilo::Array& x) { return hilo::numpy::sum(hilo::numpy::sin(x)); };
  return hilo::jit(hilo::grad(f))(hilo::numpy::ones({3})).size() == 3 ? 0 : 1;
}
