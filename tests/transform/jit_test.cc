// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/jit.h"

#include <gtest/gtest.h>

#include "hilo/base/flags.h"
#include "hilo/base/log.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"
#include "tests/support/logged_texts.h"

namespace hilo {
namespace {

struct Layer {
  Array w, b;
};
struct Model {
  std::vector<Layer> layers;
  std::map<std::string, Array> extra;
};

TEST(Jit, ComputesWhatTheFunctionComputes) {
  auto f = jit([](const Array& x) { return x * 2.0f + 1.0f; });
  EXPECT_EQ(f(numpy::array({1.0, 2, 3})).to_vector<float>(), (std::vector<float>{3, 5, 7}));
}

TEST(Jit, TracesOncePerKindOfArguments) {
  int traces = 0;
  auto f = jit([&traces](const Array& x) {
    ++traces;
    return x + x;
  });
  f(numpy::array({1.0, 2}));
  f(numpy::array({3.0, 4}));
  EXPECT_EQ(traces, 1);
  f(numpy::array({1.0, 2, 3}));
  EXPECT_EQ(traces, 2);
}

TEST(Jit, TakesAndGivesTrees) {
  Model model{{{numpy::ones({2, 2}), numpy::zeros({2})}}, {{"scale", Array(3.0f)}}};
  auto f = jit([](const Model& m, const Array& x) {
    Model out = m;
    out.layers[0].b = numpy::matmul(x, m.layers[0].w) * m.extra.at("scale");
    return out;
  });
  EXPECT_EQ(f(model, numpy::array({1.0, 2})).layers[0].b.to_vector<float>(), (std::vector<float>{9, 9}));
}

TEST(Jit, CapturedArraysAreConstants) {
  const Array w = numpy::array({10.0, 20});
  auto f = jit([&w](const Array& x) { return x + w; });
  EXPECT_EQ(f(numpy::array({1.0, 2})).to_vector<float>(), (std::vector<float>{11, 22}));
}

TEST(Jit, StaticNumbersRetrace) {
  auto f = jit([](const Array& x, int n) {
    Array y = x;
    for (int i = 0; i < n; ++i) y = y * x;
    return y;
  });
  EXPECT_EQ(f(Array(2.0f), 2).item<float>(), 8);
  EXPECT_EQ(f(Array(2.0f), 3).item<float>(), 16);
}

TEST(Jit, NumbersBecomeArraysWhereTheFunctionTakesArrays) {
  int traces = 0;
  auto f = jit([&traces](const Array& x, int n) {
    ++traces;
    return x * static_cast<float>(n);
  });
  EXPECT_EQ(f(2.0f, 3).item<float>(), 6);
  EXPECT_EQ(f(5.0f, 3).item<float>(), 15);
  EXPECT_EQ(traces, 1);
  EXPECT_EQ(f(5.0f, 4).item<float>(), 20);
  EXPECT_EQ(traces, 2);
}

TEST(Jit, StaticArgnumsStayWhatTheyAre) {
  int traces = 0;
  auto f = jit<1>([&traces](const Array& x, const auto& n) {
    ++traces;
    Array y = x;
    for (int i = 0; i < n; ++i) y = y * x;
    return y;
  });
  EXPECT_EQ(f(2.0f, 2).item<float>(), 8);
  EXPECT_EQ(f(3.0f, 2).item<float>(), 27);
  EXPECT_EQ(traces, 1);
  EXPECT_EQ(f(2.0f, 3).item<float>(), 16);
  EXPECT_EQ(traces, 2);
  EXPECT_EQ(f(2.0f, 2).item<float>(), 8);
  EXPECT_EQ(traces, 2);
  auto last = jit<-1>([](const auto& x, const auto& n) { return n > 1 ? x : -x; });
  EXPECT_EQ(last(2.0f, 1).template item<float>(), -2);
}

enum class Mode { kSum, kMean };
struct Options {
  Mode mode;
  int power;
};

TEST(Jit, TextEnumsAndNumbersInStructsAreStatic) {
  int traces = 0;
  auto f = jit([&traces](const Array& x, const Options& options, const std::string& name) {
    ++traces;
    Array y = options.mode == Mode::kSum ? numpy::sum(x) : numpy::mean(x);
    for (int i = 1; i < options.power; ++i) y = y * y;
    return name == "negative" ? -y : y;
  });
  const Array x = numpy::array({1.0, 3});
  EXPECT_EQ(f(x, Options{Mode::kMean, 2}, "positive").item<float>(), 4);
  EXPECT_EQ(f(x, Options{Mode::kMean, 2}, "negative").item<float>(), -4);
  EXPECT_EQ(f(x, Options{Mode::kSum, 1}, std::string("negative")).item<float>(), -4);
  EXPECT_EQ(traces, 3);
  f(x, Options{Mode::kMean, 2}, "positive");
  EXPECT_EQ(traces, 3);
}

TEST(Jit, RefusesArraysInStaticArguments) {
  auto f = jit<1>([](const Array& x, const Layer& layer) { return x + layer.b; });
  const std::string text =
      error_of([&] { f(Array(1.0f), Layer{Array(1.0f), Array(2.0f)}); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("argument 1 is static, but holds an Array"), std::string::npos) << text;
}

int empty_traces = 0;

TEST(Jit, FunctionsOfOneTypeWithoutCapturesShareWhatIsCompiled) {
  const auto make = [](JitOptions options = {}) {
    return jit(
        [](const Array& x) {
          ++empty_traces;
          return x + 1.0f;
        },
        options);
  };
  make()(numpy::zeros({3}));
  make()(numpy::zeros({3}));
  EXPECT_EQ(empty_traces, 1);
  make({.name = "other"})(numpy::zeros({3}));
  EXPECT_EQ(empty_traces, 2);
}

TEST(Jit, FunctionsOfOneTypeWithOtherCapturesDoNot) {
  const auto times = [](float k) { return jit([k](const Array& x) { return x * k; }); };
  EXPECT_EQ(times(2)(Array(3.0f)).item<float>(), 6);
  EXPECT_EQ(times(5)(Array(3.0f)).item<float>(), 15);
}

/// Captures warnings during its lifetime.
struct Warnings {
  Warnings() {
    set_log_sink([this](LogLevel, std::string_view text) { all.emplace_back(text); });
  }
  ~Warnings() { set_log_sink({}); }
  std::vector<std::string> all;
};

TEST(Jit, WarnsAfterEightTracesNamingTheLine) {
  const Warnings warnings;
  auto f = jit([&](const Array& x) { return x + static_cast<float>(warnings.all.size()); }, {.name = "grows"});
  for (int64_t n = 1; n <= 10; ++n) {
    EXPECT_EQ(warnings.all.size(), n <= 8 ? 0 : 1);
    f(numpy::zeros({n}));
  }
  ASSERT_EQ(warnings.all.size(), 1);
  EXPECT_NE(warnings.all[0].find("jit 'grows' (jit_test.cc:"), std::string::npos) << warnings.all[0];
  EXPECT_NE(warnings.all[0].find("has been traced 8 times"), std::string::npos) << warnings.all[0];
}

TEST(Jit, WarnsOfJitsMadeInALoop) {
  const Warnings warnings;
  for (int i = 0; i < 20; ++i) jit([i](const Array& x) { return x * static_cast<float>(i); })(Array(1.0f));
  ASSERT_EQ(warnings.all.size(), 1);
  EXPECT_NE(warnings.all[0].find("created again for each"), std::string::npos) << warnings.all[0];
}

TEST(Jit, NestsInsideJitGradAndVmap) {
  auto inner = jit([](const Array& x) { return x * x; });
  auto outer = jit([&](const Array& x) { return inner(x) + 1.0f; });
  EXPECT_EQ(outer(Array(3.0f)).item<float>(), 10);
  EXPECT_EQ(grad([&](const Array& x) { return inner(x); })(Array(3.0f)).item<float>(), 6);
  EXPECT_EQ(vmap(inner)(numpy::array({1.0, 2, 3})).to_vector<float>(), (std::vector<float>{1, 4, 9}));
  EXPECT_EQ(jit(grad(inner))(Array(4.0f)).item<float>(), 8);
}

TEST(Jit, DonatedArraysCannotBeUsedAgain) {
  auto f = jit([](const Array& x) { return x + 1.0f; }, {.donate_argnums = {0}});
  const Array x = numpy::array({1.0, 2});
  EXPECT_EQ(f(x).to_vector<float>(), (std::vector<float>{2, 3}));
  const std::string text = error_of([&] { x.to_vector<float>(); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("has been donated"), std::string::npos) << text;
}

TEST(Jit, RefusesBranchesOnTracersNamingBothLines) {
  auto f = jit([](const Array& x) { return x > 0.0f ? x : -x; });
  const std::string text = error_of([&] { f(Array(1.0f)); }, StatusCode::kFailedPrecondition);
  EXPECT_NE(text.find("jit made pred[] at jit_test.cc:"), std::string::npos) << text;
}

TEST(Jit, RefusesLeakedTracers) {
  Array leaked;
  jit([&](const Array& x) {
    leaked = x;
    return x;
  })(Array(1.0f));
  const std::string text = error_of([&] { leaked + 1.0f; }, StatusCode::kFailedPrecondition);
  EXPECT_NE(text.find("leaked tracer"), std::string::npos) << text;
}

TEST(Jit, ShowsTheTracedProgram) {
  const std::string text = make_hlo([](const Array& x) { return numpy::sin(x); }, "wave")(numpy::zeros({3}));
  EXPECT_NE(text.find("HloModule wave"), std::string::npos) << text;
  EXPECT_NE(text.find("sine("), std::string::npos) << text;
}

TEST(Jit, ErrorsWhileTracingNameTheOperation) {
  auto f = jit([](const Array& x) { return numpy::matmul(x, x); });
  const std::string text = error_of([&] { f(numpy::zeros({2, 3})); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("dot (jit_test.cc:"), std::string::npos) << text;
}

TEST(EvalShape, ComputesTypesWithoutValues) {
  const Array y = eval_shape([](const Array& x) { return numpy::matmul(x, x); }, numpy::zeros({4, 4}));
  EXPECT_EQ(y.aval_shape().to_string(), "f32[4,4]");
}

TEST(Jit, FullCacheDropsTheTraceUsedLeastRecentlyAlone) {
  constexpr int kMost = 256;
  int traces = 0;
  const auto f = jit<1>([&traces](Array x, int n) {
    ++traces;
    return x * static_cast<float>(n);
  });
  // Traces inside another trace, so that nothing is compiled.
  const auto call_with = [&](int n) { make_hlo([&](Array x) { return f(x, n); })(Array(1.0f)); };
  for (int n = 0; n <= kMost; ++n) call_with(n);  // one more than the limit
  EXPECT_EQ(traces, kMost + 1);
  for (int n = kMost; n > 0; --n) call_with(n);
  EXPECT_EQ(traces, kMost + 1);
  call_with(0);
  EXPECT_EQ(traces, kMost + 2);
}

TEST(Jit, ClearCachesForgetsItsTraces) {
  int traces = 0;
  const auto f = jit([&traces](Array x) {
    ++traces;
    return x + 1.0f;
  });
  f(Array(1.0f));
  f(Array(2.0f));
  EXPECT_EQ(traces, 1);
  clear_caches();
  EXPECT_EQ(f(Array(3.0f)).item<float>(), 4.0f);
  EXPECT_EQ(traces, 2);
}

TEST(Jit, TracesBeyondTheBytesOfAllCachesAreDropped) {
  clear_caches();
  ASSERT_TRUE(config().update("hilo_cache_bytes", 1 << 16).ok());
  int traces = 0;
  const auto f = jit<1>([&traces](Array x, int n) {
    ++traces;
    return x * static_cast<float>(n);
  });
  const auto call_with = [&](int n) { make_hlo([&](Array x) { return f(x, n); })(Array(1.0f)); };
  for (int n = 0; n < 200; ++n) call_with(n);
  EXPECT_LE(kept_cache_bytes(), 1 << 16);
  call_with(199);
  EXPECT_EQ(traces, 200);  // The newest entry is still cached.
  call_with(0);
  EXPECT_EQ(traces, 201);
  ASSERT_TRUE(config().clear("hilo_cache_bytes").ok());
}

TEST(Jit, WarnsOfDonatedArgumentsThatNoResultCanUse) {
  LoggedTexts logged;
  const auto sums =
      jit([](Array a, Array b) { return std::pair(numpy::sum(a), b * 2.0f); }, {.donate_argnums = {0, 1}});
  for (int k = 0; k < 2; ++k) sums(numpy::ones({7}), numpy::ones({2}));
  ASSERT_EQ(logged.all.size(), 1u);
  EXPECT_NE(logged.all[0].find("Some donated buffers were not usable: f32[7]."), std::string::npos) << logged.all[0];
  EXPECT_NE(logged.all[0].find("jit_test.cc:"), std::string::npos) << logged.all[0];
}

TEST(Jit, DonatesWeaklyTypedArrays) {
  const Array x = numpy::broadcast_to(2, {3});
  ASSERT_TRUE(x.weak_type());
  const Array y = jit([](Array v) { return numpy::astype(v, int32); }, {.donate_argnums = {0}})(x);
  EXPECT_FALSE(y.weak_type());
  EXPECT_EQ(y.to_vector<int32_t>(), (std::vector<int32_t>{2, 2, 2}));
  EXPECT_THROW(x.to_vector<int32_t>(), Error);
}

TEST(Jit, DonatedNumbersAndUnusedArgumentsWarnOfNothing) {
  LoggedTexts logged;
  jit([](Array x) { return x; }, {.donate_argnums = {0}})(1.0f);
  jit([](Array x, Array) { return x * 2.0f; }, {.donate_argnums = {0, 1}})(numpy::ones({3}), numpy::ones({5}));
  EXPECT_TRUE(logged.all.empty()) << logged.all[0];
}

}  // namespace
}  // namespace hilo
