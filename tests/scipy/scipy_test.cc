// SPDX-License-Identifier: Apache-2.0
// Functions of jax.scipy, compared with JAX's values.
#include <gtest/gtest.h>

#include "hilo/scipy/scipy.h"
#include "tests/support/near.h"

namespace hilo::scipy {
namespace {

// A function that rows pass to solvers; tests/golden/record_scipy.py defines it in Python.
Array banana(const Array& x) { return 10.0 * numpy::square(x[1] - numpy::square(x[0])) + numpy::square(1.0 - x[0]); }
Array bowl(const Array& x) { return numpy::sum(numpy::cosh(x - 1.0)) + 0.5 * numpy::square(numpy::sum(x)); }
Array decay(const Array& z) {
  return numpy::array({2.0, 1.3, 0.7, 0.5}) - z[0] * numpy::exp(-z[1] * numpy::arange(4.0));
}
Array model(const Array& x, const Array& z) { return z[0] * numpy::cos(0.5 * x) + z[1]; }
Array circle_and_line(const Array& z) {
  return numpy::stack({numpy::square(z[0]) + numpy::square(z[1]) - 4.0, z[0] - z[1] - 1.0});
}
Array wave(const Array& x) { return numpy::cos(x) - 0.5 * x; }
Array pendulum(const Array& y, const Array& t) { return numpy::stack({y[1], -9.81 * numpy::sin(y[0]) - 0.1 * t}); }
Array pendulum_at(const Array& t, const Array& y) { return pendulum(y, t); }

TEST(Golden, ValuesAndDerivativesAreThoseOfJax) {
#include "golden.inc"
}

}  // namespace
}  // namespace hilo::scipy
