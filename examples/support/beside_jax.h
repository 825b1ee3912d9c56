// SPDX-License-Identifier: Apache-2.0
// examples/support/beside_jax.h -- compares numbers of an example with those of the same program in JAX.
#pragma once

#include <cmath>
#include <cstdio>

#include "hilo/hilo.h"

/// A number of hilo's and what tests/golden/record_examples.py printed for it.
struct BesideJax {
  const char* what;
  hilo::Array hilo;
  double jax;
};

/// Prints the numbers and whether each is within `tolerance` of JAX's, relative to it where it is more than 1.
/// Returns    the program's exit code
inline int compare_with_jax(const char* example, std::initializer_list<BesideJax> numbers, double tolerance) {
  bool right = true;
  for (const BesideJax& n : numbers) {
    const double got = n.hilo.item<double>();
    std::printf("%-28s %12.7g   JAX %12.7g\n", n.what, got, n.jax);
    right = right && std::abs(got - n.jax) <= tolerance * std::fmax(1.0, std::abs(n.jax));
  }
  std::printf("%s: %s\n", example, right ? "right" : "wrong");
  return right ? 0 : 1;
}
