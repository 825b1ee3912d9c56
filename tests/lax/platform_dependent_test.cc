// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/platform_dependent.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

Array twice(const Array& x) { return x * 2.0f; }
Array more(const Array& x) { return x + 1.0f; }

TEST(PlatformDependent, TakesTheFunctionOfThePlatform) {
  const Array x = numpy::array({1.0f, -3.0f});
  EXPECT_EQ(lax::platform_dependent(x, {.default_ = more, .cpu = twice}).to_vector<float>(),
            (std::vector<float>{2, -6}));
  EXPECT_EQ(lax::platform_dependent(x, {.default_ = more, .tpu = twice}).to_vector<float>(),
            (std::vector<float>{2, -2}));
  EXPECT_EQ(lax::platform_dependent({.cpu = [] { return Array(7); }}).item<int>(), 7);
  const auto sum = [](const Array& a, const Array& b) { return a + b; };
  EXPECT_EQ(lax::platform_dependent(x, x, {.cpu = sum}).to_vector<float>(), (std::vector<float>{2, -6}));
}

TEST(PlatformDependent, HasDerivativesUnderJit) {
  const auto f = [](const Array& x) { return numpy::sum(lax::platform_dependent(x, {.default_ = twice})); };
  EXPECT_EQ(jit(grad(f))(numpy::ones({2})).to_vector<float>(), (std::vector<float>{2, 2}));
}

TEST(PlatformDependent, RefusesAPlatformWithoutAFunction) {
  const std::string text =
      error_of([] { lax::platform_dependent(Array(1.0f), {.cuda = twice}); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("no function for platform"), std::string::npos) << text;
}

}  // namespace
}  // namespace hilo
