// SPDX-License-Identifier: Apache-2.0
// examples/rosenbrock.cc -- finds the floor of Rosenbrock's valley by Newton's method, with hilo's own second
// derivatives.
#include <cmath>
#include <cstdio>

#include "hilo/hilo.h"

using namespace hilo;

// Least, and 0, at (1, 1), in a bent valley that gradient descent creeps through.
Array rosenbrock(const Array& x) {
  return numpy::square(1.0f - x[0]) + 100.0f * numpy::square(x[1] - numpy::square(x[0]));
}

// h \ g for a 2x2 matrix, by Cramer's rule.
Array solve(const Array& h, const Array& g) {
  const Array a = h[0][0], b = h[0][1], c = h[1][0], d = h[1][1];
  return numpy::stack({d * g[0] - b * g[1], a * g[1] - c * g[0]}) / (a * d - b * c);
}

int main() {
  auto newton =
      jit([](const Array& x) { return x - solve(hessian(rosenbrock)(x), grad(rosenbrock)(x)); }, {.name = "newton"});
  auto value = jit(rosenbrock, {.name = "rosenbrock"});

  Array x = numpy::array({-1.2, 1.0});
  for (int i = 0; i < 8; ++i) {
    std::printf("step %d: f = %.6g at (%.6f, %.6f)\n", i, value(x).item<double>(), x[0].item<double>(),
                x[1].item<double>());
    x = newton(x);
  }
  const bool right = std::abs(x[0].item<double>() - 1) < 1e-4 && std::abs(x[1].item<double>() - 1) < 1e-4;
  std::printf("minimum at (%.4f, %.4f): %s\n", x[0].item<double>(), x[1].item<double>(), right ? "right" : "wrong");
  return right ? 0 : 1;
}
