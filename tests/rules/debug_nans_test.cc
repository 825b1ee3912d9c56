// SPDX-License-Identifier: Apache-2.0
// debug_nans and debug_infs: the error names the op that produces the value.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hilo/array/device_put.h"
#include "hilo/base/flags.h"
#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/trace/settings.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/has.h"

namespace hilo {
namespace {

/// The error that a call throws under debug_nans; "" if it throws none.
template <typename F>
std::string found(F&& f) {
  try {
    f();
  } catch (const FloatingPointError& error) {
    return error.what();
  }
  return "";
}

TEST(DebugNans, NamesAnOpThatRunsAtOnce) {
  const auto scope = debug_nans(true);
  const std::string text = found([] { numpy::log(numpy::array({1.0f, -1.0f})); });
  EXPECT_TRUE(has(text, "invalid value (nan) encountered in log (debug_nans_test.cc:")) << text;
  EXPECT_TRUE(has(text, "operands [ 1. -1.]; result [ 0. nan]")) << text;
  EXPECT_EQ(found([] { numpy::log(numpy::array({1.0f, 0.0f})); }), "");
}

TEST(DebugNans, NothingIsSaidWithoutIt) {
  EXPECT_EQ(found([] { numpy::log(numpy::array(-1.0f)); }), "");
  const auto scope = debug_nans(true);
  const auto off = debug_nans(false);
  EXPECT_EQ(found([] { numpy::log(numpy::array(-1.0f)); }), "");
}

TEST(DebugNans, LooksIntoCompiledFunctions) {
  const auto f = jit([](const Array& x) { return numpy::sqrt(numpy::sin(x)) * 2.0f; });
  const auto scope = debug_nans(true);
  EXPECT_EQ(found([&] { f(1.0f); }), "");
  const std::string text = found([&] { f(-1.0f); });
  EXPECT_TRUE(has(text, "(nan) encountered in sqrt (debug_nans_test.cc:")) << text;
  EXPECT_TRUE(has(text, "operands -0.84147096; result nan")) << text;
}

TEST(DebugNans, SaysWhichIteration) {
  const auto f = jit([](const Array& xs) {
    return lax::scan([](Array c, Array x) { return std::pair(c + numpy::log(x), c); }, Array(0.0f), xs).first;
  });
  const auto scope = debug_nans(true);
  const std::string text = found([&] { f(numpy::array({1.0f, 2.0f, -3.0f, 4.0f})); });
  EXPECT_TRUE(has(text, "in log (debug_nans_test.cc:")) << text;
  EXPECT_TRUE(has(text, "in iteration 2 of scan (debug_nans_test.cc:")) << text;
  const auto loop = jit([](const Array& x) {
    return lax::while_loop([](Array v) { return v > -10.0f; }, [](Array v) { return numpy::sqrt(v) - 1.0f; }, x);
  });
  const std::string in_while = found([&] { loop(3.0f); });
  EXPECT_TRUE(has(in_while, "in sqrt (")) << in_while;
  EXPECT_TRUE(has(in_while, "in iteration 2 of while_loop (debug_nans_test.cc:")) << in_while;
}

TEST(DebugNans, SaysWhichBranch) {
  const auto f = jit([](const Array& x) {
    return lax::cond(x > 0.0f, [](Array v) { return v; }, [](Array v) { return numpy::log(v); }, x);
  });
  const auto scope = debug_nans(true);
  EXPECT_EQ(found([&] { f(1.0f); }), "");
  const std::string text = found([&] { f(-1.0f); });
  EXPECT_TRUE(has(text, "in branch 1 of cond (debug_nans_test.cc:")) << text;
}

TEST(DebugNans, SeesGradientsAndBatches) {
  const auto root = [](const Array& x) { return numpy::sqrt(x) * 0.0f; };
  const auto scope = debug_nans(true);
  EXPECT_TRUE(has(found([&] { jit(grad(root))(0.0f); }), "(nan) encountered in"));
  EXPECT_TRUE(has(found([&] { grad(jit(root))(0.0f); }), "(nan) encountered in"));
  EXPECT_TRUE(has(found([&] { vmap(jit([](const Array& x) { return numpy::log(x); }))(numpy::array({1.0f, -1.0f})); }),
                  "in log ("));
}

TEST(DebugNans, SeesIntoCallsAndCustomRules) {
  const auto inner = jit([](const Array& x) { return numpy::log(x); });
  const auto own =
      custom_jvp([](Array x) { return numpy::arccos(x); }).defjvps([](Array t, Array, Array) { return t; });
  const auto scope = debug_nans(true);
  EXPECT_TRUE(has(found([&] { jit([&](Array x) { return inner(x) + 1.0f; })(-1.0f); }), "in log ("));
  EXPECT_TRUE(has(found([&] { jit([&](Array x) { return own(x) + 1.0f; })(2.0f); }), "in acos ("));
  EXPECT_TRUE(has(found([&] { jit(checkpoint([](Array x) { return numpy::log(x); }))(-1.0f); }), "in log ("));
}

TEST(DebugNans, ANanThatNobodyReturnsIsNoError) {
  const auto scope = debug_nans(true);
  EXPECT_EQ(found([] { jit([](Array x) { return numpy::where(x > 0.0f, numpy::log(x), 0.0f); })(-1.0f); }), "");
}

TEST(DebugNans, DonatedArgumentsCanBeLookedAtAgain) {
  const auto f = jit([](const Array& x) { return numpy::log(x); }, {.donate_argnums = {0}});
  const auto scope = debug_nans(true);
  EXPECT_TRUE(has(found([&] { f(numpy::array({-1.0f, 2.0f})); }), "operands [-1.  2.]"));
}

TEST(DebugNans, ComplexAndNarrowTypes) {
  const auto scope = debug_nans(true);
  EXPECT_TRUE(has(found([] { numpy::log(numpy::array(-1.0f).astype(numpy::bfloat16)); }), "in log ("));
  const Array z = numpy::array(std::complex<float>(0, 0));
  EXPECT_TRUE(has(found([&] { z / z; }), "in div ("));
}

TEST(DebugInfs, LooksForInfinitiesAlone) {
  const auto scope = debug_infs(true);
  EXPECT_TRUE(has(found([] { numpy::array(1.0f) / numpy::array(0.0f); }), "invalid value (inf) encountered in div ("));
  EXPECT_EQ(found([] { numpy::log(numpy::array(-1.0f)); }), "");
}

TEST(DebugNans, TheFlagIsForAllThreads) {
  ASSERT_TRUE(config().update("jax_debug_nans", true).ok());
  EXPECT_TRUE(has(found([] { numpy::log(numpy::array(-1.0f)); }), "in log ("));
  ASSERT_TRUE(config().clear("jax_debug_nans").ok());
}

TEST(DebugNans, LetsTheBlamelessPass) {
  const auto scope = debug_nans(true);
  const Array x = numpy::array({{1.0f, 2.0f}, {3.0f, 4.0f}});
  EXPECT_EQ(found([&] { block_until_ready(numpy::tanh(x)); }), "");
  EXPECT_EQ(found([&] { block_until_ready(numpy::unstack(x)[1]); }), "") << "an op of several results";
  EXPECT_EQ(found([&] { jit([](Array v) { return numpy::tanh(v); })(x); }), "");
  EXPECT_EQ(found([&] { jit([](Array v) { return numpy::unstack(v); })(x); }), "");
}

TEST(DebugNans, ArgumentsAndConstantsMayBeTheCulprit) {
  const auto scope = debug_nans(true);
  const Array bad = numpy::array(std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(has(found([&] { jit([](Array x) { return x * 3.0f; })(bad); }), "(nan) encountered in"));
  EXPECT_TRUE(has(found([&] { jit([&] { return bad * 3.0f; })(); }), "(nan) encountered in"));
}

TEST(DebugNans, LeavesCachesAsTheyWere) {
  const auto f = jit([](Array x) { return numpy::divide(x, x); });
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(found([&] { f(0.0f); }), "");
    const auto scope = debug_nans(true);
    EXPECT_TRUE(has(found([&] { f(0.0f); }), "in div ("));
  }
}

TEST(DebugInfs, LetsTheBlamelessPass) {
  const auto scope = debug_infs(true);
  const Array x = numpy::array({{1.0f, 2.0f}, {3.0f, 4.0f}});
  EXPECT_EQ(found([&] { block_until_ready(numpy::tanh(x)); }), "");
  EXPECT_EQ(found([&] { block_until_ready(numpy::unstack(x)[1]); }), "");
  EXPECT_EQ(found([&] { jit([](Array v) { return numpy::tanh(v); })(x); }), "");
  EXPECT_TRUE(has(found([&] { jit([](Array v) { return 1.0f / v; })(0.0f); }), "(inf) encountered in div ("));
}

}  // namespace
}  // namespace hilo
