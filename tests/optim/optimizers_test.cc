// SPDX-License-Identifier: Apache-2.0
// Optimisers and transformations over 100 steps, compared with optax.
#include <gtest/gtest.h>

#include <cmath>

#include "hilo/optim/optim.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "tests/support/x64.h"

namespace hilo::optim {
namespace {

struct Params {
  Array b, w;
};

/// cos(0.7 step + index)
Array gradient(int step, const Array& like) {
  std::vector<float> values;
  for (int64_t i = 0; i < like.size(); ++i)
    values.push_back(static_cast<float>(std::cos(0.7 * step + static_cast<double>(i))));
  return Array::from_vector(values, {like.shape().begin(), like.shape().end()});
}

Params first_params() {
  return {numpy::array({0.5f, -0.3f, 0.1f}), numpy::array({{1.0f, -2.0f, 0.5f}, {0.25f, 0.75f, -1.0f}})};
}

Params after_100_steps(const GradientTransformation& tx) {
  Params params = first_params();
  OptState state = tx.init(params);
  const auto step = jit([&](const Params& gradients, const OptState& s, const Params& p) {
    const auto [updates, next] = tx.update(gradients, s, p);
    return std::pair(apply_updates(p, updates), next);
  });
  for (int i = 0; i < 100; ++i)
    std::tie(params, state) = step(Params{gradient(i, params.b), gradient(i, params.w)}, state, params);
  return params;
}

/// Strongly convex, and not quadratic.
Array loss(const Params& params) {
  const Array x = numpy::concatenate({params.b, numpy::ravel(params.w)});
  return numpy::sum(numpy::cosh(x - 0.3)) + 0.5 * numpy::square(numpy::sum(x)) + x[0] * x[5];
}
/// In f64, because near the minimum a search depends on the last bits of the loss.
Params after_searches(int steps, const std::function<GradientTransformation()>& make) {
  const X64Scope x64;
  const GradientTransformation tx = make();
  Params params = tree_map([](const Array& x) { return x.astype(ElementType::kF64); }, first_params());
  OptState state = tx.init(params);
  const auto step = jit([&](const OptState& s, const Params& p) {
    const auto [value, gradients] = value_and_grad(loss)(p);
    const auto [updates, next] = tx.update(gradients, s, p, {.value = value, .grad = gradients, .value_fn = loss});
    return std::pair(apply_updates(p, updates), next);
  });
  for (int i = 0; i < steps; ++i) std::tie(params, state) = step(state, params);
  return params;
}

/// Rounding errors of 100 steps add up. 2e-5 of the greatest parameter is also the difference between optax's f32 and
/// f64 runs.
void expect_steps(const char* expression, const Params& params, const std::vector<double>& wanted) {
  std::vector<double> got = params.b.to_vector<double>();
  for (double w : params.w.to_vector<double>()) got.push_back(w);
  ASSERT_EQ(got.size(), wanted.size());
  double greatest = 0;
  for (double w : wanted) greatest = std::max(greatest, std::abs(w));
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 2e-5 * greatest) << expression << ", " << i;
}

#define VALUES(...) std::vector<double>({__VA_ARGS__})
#define STEPS(values, ...) expect_steps(#__VA_ARGS__, after_100_steps(__VA_ARGS__), values);
#define SEARCHED(steps, values, ...) \
  expect_steps(#__VA_ARGS__, after_searches(steps, [] { return __VA_ARGS__; }), values);
TEST(Steps, AreThoseOfOptax) {
#include "steps_golden.inc"
}

}  // namespace
}  // namespace hilo::optim
