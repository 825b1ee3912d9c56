// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/optimize/line_search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"

namespace hilo::scipy::optimize {
namespace {

/// The strong Wolfe conditions with the default constants.
void expect_wolfe(const Objective& f, const Array& x, const Array& p) {
  const LineSearchResults r = line_search(f, x, p);
  ASSERT_FALSE(r.failed.item<bool>());
  const float step = r.a_k.item<float>(), slope = numpy::dot(grad(f)(x), p).item<float>();
  EXPECT_GT(step, 0);
  EXPECT_LE(f(x + step * p).item<float>(), f(x).item<float>() + 1e-4f * step * slope + 1e-6f);
  EXPECT_LE(std::abs(numpy::dot(grad(f)(x + step * p), p).item<float>()), -0.9f * slope + 1e-5f);
  EXPECT_FLOAT_EQ(r.f_k.item<float>(), f(x + step * p).item<float>());
  EXPECT_EQ(r.status.item<int>(), 0);
}

TEST(LineSearch, MeetsTheWolfeConditions) {
  const Objective banana = [](const Array& x) {
    return 100.0 * numpy::square(x[1] - numpy::square(x[0])) + numpy::square(1.0 - x[0]);
  };
  const Objective cosh = [](const Array& x) { return numpy::sum(numpy::cosh(x)); };
  for (float length : {0.001f, 0.1f, 1.0f, 30.0f}) {
    const Array x = numpy::array({-1.2f, 1.0f});
    expect_wolfe(banana, x, -length * 1e-3f * grad(banana)(x));
    expect_wolfe(cosh, x, -length * grad(cosh)(x));
  }
}

TEST(LineSearch, TellsWhenThereIsNoSuchStep) {
  const Objective falls = [](const Array& x) { return -numpy::sum(x); };  // unbounded below
  const LineSearchResults r = line_search(falls, numpy::zeros({1}), numpy::ones({1}), {.maxiter = 5});
  EXPECT_TRUE(r.failed.item<bool>());
  EXPECT_EQ(r.status.item<int>(), 3);
  EXPECT_EQ(r.nit.item<int>(), 5);
}

TEST(LineSearch, UsesWhatIsKnown) {
  const Objective f = [](const Array& x) { return numpy::sum(numpy::square(x)); };
  const Array x = numpy::array({3.0f}), p = numpy::array({-6.0f});
  const LineSearchResults plain = line_search(f, x, p);
  const LineSearchResults known = line_search(f, x, p, {.old_fval = f(x), .gfk = grad(f)(x)});
  EXPECT_EQ(known.nfev.item<int>() + 1, plain.nfev.item<int>());
  EXPECT_EQ(known.a_k.item<float>(), plain.a_k.item<float>());
}

}  // namespace
}  // namespace hilo::scipy::optimize
