// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/platform_dependent.h"

#include <gtest/gtest.h>

#include "hilo/lax/control_flow.h"
#include "hilo/lax/map.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;
const auto twice = [](const Array& x) { return x * 2.0f; };
const auto cubed = [](const Array& x) { return x * x * x; };

/// The sort of platform that programs run on here.
std::string here() { return lax::detail::platform_of_programs(); }
Array taken(const Array& x) {
  return lax::platform_dependent(std::tuple(x),
                                 std::tuple(std::pair(here().c_str(), twice), std::pair("default", cubed)));
}

TEST(PlatformDependent, TakesTheFunctionOfThePlatform) {
  const Array x = numpy::arange(3, float32);
  EXPECT_EQ(taken(x).to_vector<float>(), (Floats{0, 2, 4}));
  EXPECT_EQ(jit(taken)(x).to_vector<float>(), (Floats{0, 2, 4}));
  const auto other = [](Array v) {
    return lax::platform_dependent(std::tuple(v), std::tuple(std::pair("abacus", twice), std::pair("default", cubed)));
  };
  EXPECT_EQ(jit(other)(x).to_vector<float>(), (Floats{0, 1, 8}));
  const auto alone = [&] {
    return lax::platform_dependent(std::tuple(), std::tuple(std::pair("default", [&] { return twice(x); })));
  };
  EXPECT_EQ(alone().to_vector<float>(), (Floats{0, 2, 4}));
}

TEST(PlatformDependent, TracesNoOther) {
  const Array x = numpy::arange(3, float32);
  const std::string text = make_hlo(taken)(x);
  EXPECT_NE(text.find("multiply("), std::string::npos);
  EXPECT_EQ(text.find("multiply(", text.find("multiply(") + 1), std::string::npos) << "the other has two: " << text;
  const auto never = [](const Array& v) -> Array {
    throw std::runtime_error("traced");
    return v;
  };
  const auto f = [&](Array v) {
    const std::string platform = here();
    const Array a = lax::platform_dependent(std::tuple(v),
                                            std::tuple(std::pair(platform.c_str(), twice), std::pair("abacus", never)));
    const Array b = lax::platform_dependent(
        std::tuple(v), std::tuple(std::pair(platform.c_str(), twice), std::pair("default", never)));
    const Array c =
        lax::platform_dependent(std::tuple(v), std::tuple(std::pair("abacus", never), std::pair("default", twice)));
    return a + b + c;
  };
  EXPECT_EQ(f(x).to_vector<float>(), (Floats{0, 6, 12}));
  EXPECT_EQ(jit(f)(x).to_vector<float>(), (Floats{0, 6, 12}));
  EXPECT_EQ(lax::cond(false, f, [](Array v) { return v; }, x).to_vector<float>(), (Floats{0, 1, 2}));
  EXPECT_EQ(lax::map(f, x).to_vector<float>(), (Floats{0, 6, 12}));
}

TEST(PlatformDependent, SaysWhichPlatformHasNone) {
  const std::string text =
      error_of([] { lax::platform_dependent(std::tuple(Array(3.0f)), std::tuple(std::pair("abacus", twice))); },
               StatusCode::kUnimplemented);
  EXPECT_NE(text.find("platform_dependent"), std::string::npos) << text;
  EXPECT_NE(text.find("abacus"), std::string::npos) << text;
  EXPECT_NE(text.find(here()), std::string::npos) << text;
}

TEST(PlatformDependent, GoesThroughEveryTransformation) {
  const Array x = numpy::arange(3, float32);
  EXPECT_EQ(vmap(taken)(x).to_vector<float>(), (Floats{0, 2, 4}));
  EXPECT_EQ(grad(taken)(5.0f).item<float>(), 2);
  EXPECT_EQ(jit(vmap(grad(taken)))(x).to_vector<float>(), (Floats{2, 2, 2}));
  EXPECT_EQ(jvp(taken, std::tuple(x), std::tuple(x)).second.to_vector<float>(), (Floats{0, 2, 4}));
}

}  // namespace
}  // namespace hilo
