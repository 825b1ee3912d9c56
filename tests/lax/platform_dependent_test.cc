// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/platform_dependent.h"

#include <gtest/gtest.h>

#include "hilo/client/platform_name.h"
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
const auto never = [](const Array& x) -> Array {
  throw std::runtime_error("traced");
  return x;
};

/// Returns 2 x by the function for the current platform.
Array taken(const Array& x) {
  if (default_platform_name() == "CUDA") return lax::platform_dependent(x, {.default_ = cubed, .cuda = twice});
  return lax::platform_dependent(x, {.default_ = cubed, .cpu = twice});
}
Array otherwise(const Array& x) { return lax::platform_dependent(x, {.default_ = twice, .tpu = never}); }

TEST(PlatformDependent, TakesTheFunctionOfThePlatform) {
  const Array x = numpy::arange(3, float32);
  EXPECT_EQ(taken(x).to_vector<float>(), (Floats{0, 2, 4}));
  EXPECT_EQ(jit(taken)(x).to_vector<float>(), (Floats{0, 2, 4}));
  EXPECT_EQ(jit(otherwise)(x).to_vector<float>(), (Floats{0, 2, 4}));
  EXPECT_EQ(lax::platform_dependent({.default_ = [&] { return twice(x); }}).to_vector<float>(), (Floats{0, 2, 4}));
}

TEST(PlatformDependent, TracesNoOther) {
  const Array x = numpy::arange(3, float32);
  const std::string text = make_hlo(taken)(x);
  EXPECT_NE(text.find("multiply("), std::string::npos);
  EXPECT_EQ(text.find("multiply(", text.find("multiply(") + 1), std::string::npos) << "the other has two: " << text;
  const auto both = [](const Array& v) { return taken(v) + otherwise(v); };
  EXPECT_EQ(both(x).to_vector<float>(), (Floats{0, 4, 8}));
  EXPECT_EQ(jit(both)(x).to_vector<float>(), (Floats{0, 4, 8}));
  EXPECT_EQ(lax::cond(false, both, [](const Array& v) { return v; }, x).to_vector<float>(), (Floats{0, 1, 2}));
  EXPECT_EQ(lax::map(both, x).to_vector<float>(), (Floats{0, 4, 8}));
}

TEST(PlatformDependent, SaysWhichPlatformHasNone) {
  const std::string text =
      error_of([] { lax::platform_dependent(Array(3.0f), {.tpu = twice}); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("platform_dependent"), std::string::npos) << text;
  EXPECT_NE(text.find(default_platform_name()), std::string::npos) << text;
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
