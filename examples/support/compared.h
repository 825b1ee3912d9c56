// SPDX-License-Identifier: Apache-2.0
// examples/support/compared.h -- compares numbers of an example with those of the same program in other software.
#pragma once

#include <cmath>
#include <cstdio>

#include "hilo/hilo.h"

/// A number of hilo's, and the other software's: printed by a script of tests/golden.
struct Beside {
  const char* what;
  hilo::Array hilo;
  double other;
};

/// Prints the numbers, and whether each is within `tolerance` of the other, relative to it where it is more than 1.
/// Returns    the program's exit code
inline int compare_with(const char* other, const char* example, std::initializer_list<Beside> numbers,
                        double tolerance) {
  bool right = true;
  for (const Beside& n : numbers) {
    const double got = n.hilo.item<double>();
    std::printf("%-28s %12.7g   %s %12.7g\n", n.what, got, other, n.other);
    right = right && std::abs(got - n.other) <= tolerance * std::fmax(1.0, std::abs(n.other));
  }
  std::printf("%s: %s\n", example, right ? "right" : "wrong");
  return right ? 0 : 1;
}

/// Compares with the numbers of tests/golden/record_examples.py.
inline int compare_with_jax(const char* example, std::initializer_list<Beside> numbers, double tolerance) {
  return compare_with("JAX", example, numbers, tolerance);
}
