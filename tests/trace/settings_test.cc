// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/settings.h"

#include <gtest/gtest.h>

#include <thread>

#include "hilo/base/flags.h"
#include "hilo/lax/control_flow.h"
#include "hilo/lax/dot.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"
#include "tests/support/logged_texts.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

TEST(Settings, ScopesNestAndOutrankFlags) {
  EXPECT_FALSE(is_on(Setting::kDisableJit));
  {
    const auto outer = disable_jit();
    EXPECT_TRUE(is_on(Setting::kDisableJit));
    {
      const auto inner = disable_jit(false);
      EXPECT_FALSE(is_on(Setting::kDisableJit));
    }
    EXPECT_TRUE(is_on(Setting::kDisableJit));
    EXPECT_FALSE(is_on(Setting::kDebugNans));
  }
  ASSERT_TRUE(config().update("jax_disable_jit", true).ok());
  EXPECT_TRUE(is_on(Setting::kDisableJit));
  const auto scope = disable_jit(false);
  EXPECT_FALSE(is_on(Setting::kDisableJit));
  ASSERT_TRUE(config().clear("jax_disable_jit").ok());
}

TEST(Settings, ScopesBelongToTheirThread) {
  const auto scope = disable_jit();
  bool elsewhere = true;
  std::thread([&] { elsewhere = is_on(Setting::kDisableJit); }).join();
  EXPECT_FALSE(elsewhere);
}

TEST(DisableJit, FunctionsSeeValues) {
  const auto sign = jit([](const Array& x) { return x.item<float>() > 0 ? numpy::ones({}) : -numpy::ones({}); });
  EXPECT_THROW(sign(2.0f), ConcretizationError);
  const auto scope = disable_jit();
  EXPECT_EQ(sign(2.0f).item<float>(), 1);
  EXPECT_EQ(sign(-2.0f).item<float>(), -1);
}

TEST(DisableJit, TransformationsGoOn) {
  const auto f = jit([](const Array& x) { return numpy::sum(x * x * x); });
  const Array x = numpy::array({1.0f, 2.0f});
  const auto scope = disable_jit();
  EXPECT_EQ(grad(f)(x).to_vector<float>(), (Floats{3, 12}));
  EXPECT_EQ(vmap(f)(x).to_vector<float>(), (Floats{1, 8}));
}

TEST(DisableJit, WhileLoopsRunStepByStep) {
  int steps = 0;
  const auto loop = [&](const Array& x) {
    return lax::while_loop([](Array v) { return v < 100.0f; },
                           [&](Array v) {
                             ++steps;
                             return v * 2.0f;
                           },
                           x);
  };
  const auto scope = disable_jit();
  EXPECT_EQ(loop(1.0f).item<float>(), 128);
  EXPECT_EQ(steps, 7);
  EXPECT_EQ(grad(loop)(1.0f).item<float>(), 128) << "in steps that are there, reverse mode knows its way";
}

TEST(DisableJit, AConditionWithoutAValueIsTracedAfterAll) {
  const auto loop = [](const Array& x) {
    return lax::while_loop([](Array v) { return v < 100.0f; }, [](Array v) { return v * 2.0f; }, x);
  };
  const auto scope = disable_jit();
  EXPECT_EQ(vmap(loop)(numpy::array({1.0f, 60.0f})).to_vector<float>(), (Floats{128, 120}));
}

TEST(DisableJit, OneBranchAloneRuns) {
  int other = 0;
  const auto branch = [&](const Array& p) {
    return lax::cond(
        p, [](Array v) { return v + 1.0f; },
        [&](Array v) {
          ++other;
          return v - 1.0f;
        },
        p.astype(float32));
  };
  const auto scope = disable_jit();
  EXPECT_EQ(branch(numpy::array(true)).item<float>(), 2);
  EXPECT_EQ(other, 0);
  EXPECT_EQ(branch(numpy::array(false)).item<float>(), -1);
  EXPECT_EQ(other, 1);
  const auto of_many = [](const Array& p) {
    const auto pair = [](Array v) { return std::vector<Array>{v, v + 1.0f}; };
    return lax::cond(p, pair, pair, p.astype(float32));
  };
  EXPECT_EQ(of_many(numpy::array(false)).at(1).item<float>(), 1);
  const auto pick = std::tuple([](Array v) { return v; }, [](Array v) { return v * 10.0f; });
  EXPECT_EQ(lax::switch_(7, pick, 3.0f).item<float>(), 30);
}

TEST(DisableJit, ScansGiveWhatTheyGiveCompiled) {
  const auto step = [](Array c, Array x) { return std::pair(c + x, c * x); };
  const Array xs = numpy::array({1.0f, 2.0f, 3.0f});
  for (const bool reverse : {false, true}) {
    const auto [last, all] = lax::scan(step, Array(0.5f), xs, {.reverse = reverse});
    const auto scope = disable_jit();
    const auto [plain_last, plain_all] = lax::scan(step, Array(0.5f), xs, {.reverse = reverse});
    EXPECT_EQ(plain_last.item<float>(), last.item<float>());
    EXPECT_EQ(plain_all.to_vector<float>(), all.to_vector<float>());
  }
  const auto scope = disable_jit();
  const std::string error =
      error_of([&] { lax::scan(step, Array(0.5f), numpy::zeros({0})); }, StatusCode::kInvalidArgument);
  EXPECT_NE(error.find("zero-length scan is not supported under disable_jit"), std::string::npos);
}

TEST(DisableJit, LoopsOfNoStepsGiveWhatTheyTook) {
  const auto body = [](Array i, Array v) { return v + i; };
  const auto scope = disable_jit();
  EXPECT_EQ(lax::fori_loop(0, 0, body, Array(2.5f)).item<float>(), 2.5f);
  EXPECT_EQ(lax::fori_loop(numpy::array(3), numpy::array(1), body, Array(2.5f)).item<float>(), 2.5f);
}

TEST(DisableJit, CountedLoopsSeeTheirIndex) {
  std::vector<int64_t> seen;
  const auto scope = disable_jit();
  const Array sum = lax::fori_loop(
      2, 5,
      [&](Array i, Array total) {
        seen.push_back(i.item<int64_t>());
        return total + i;
      },
      Array(0));
  EXPECT_EQ(seen, (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(sum.item<int32_t>(), 9);
}

TEST(NoTracing, RefusesWhatWouldBeTraced) {
  const auto f = jit([](Array x) { return x + 1.0f; });
  f(numpy::ones({3}));
  const auto scope = no_tracing();
  EXPECT_EQ(f(numpy::ones({3})).to_vector<float>(), (std::vector<float>{2, 2, 2}));
  const std::string error = error_of([&] { f(numpy::ones({4})); }, StatusCode::kFailedPrecondition);
  EXPECT_NE(error.find("no_tracing"), std::string::npos);
  EXPECT_NE(error.find("settings_test.cc"), std::string::npos) << error;
}

TEST(NoExecution, RefusesWhatWouldRun) {
  const auto f = jit([] { return numpy::ones({3}); });
  f();
  {
    const auto scope = no_execution();
    for (const std::function<void()>& runs :
         std::vector<std::function<void()>>{[&] { f(); }, [] { numpy::ones({3}) + 1.0f; }}) {
      const std::string error = error_of(runs, StatusCode::kFailedPrecondition);
      EXPECT_NE(error.find("no_execution"), std::string::npos) << error;
    }
    jit([](Array x) { return numpy::sin(x); }).lower(1.0f).compile();  // tracing and compiling execute nothing
  }
  EXPECT_EQ(f().size(), 3);
}

TEST(CheckingLeaks, NamesWhatWasStored) {
  Array kept;
  const auto f = jit([&](const Array& x) {
    kept = x * 2.0f;
    return x;
  });
  f(1.0f);  // without the check the error occurs at the use
  const auto scope = checking_leaks();
  f.clear_cache();
  try {
    f(1.0f);
    FAIL() << "nothing was thrown";
  } catch (const LeakedTracer& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("Leaked trace"), std::string::npos);
    EXPECT_NE(text.find("f32[], made at settings_test.cc:"), std::string::npos) << text;
  }
}

TEST(CheckingLeaks, SeesIntoLoops) {
  Array kept;
  const auto f = jit([&](const Array& x) {
    return lax::fori_loop(
        0, 3,
        [&](Array, Array v) {
          kept = v + 1.0f;
          return v;
        },
        x);
  });
  const auto scope = checking_leaks();
  EXPECT_THROW(f(1.0f), LeakedTracer);
}

TEST(CheckingLeaks, LetsTheBlamelessPass) {
  const auto scope = checking_leaks();
  const auto loss = [](const Array& x) {
    return lax::scan([](Array c, Array v) { return std::pair(c * v, c); }, Array(1.0f), x).first;
  };
  EXPECT_EQ(jit(grad(loss))(numpy::array({2.0f, 3.0f})).to_vector<float>(), (Floats{3, 2}));
  EXPECT_EQ(grad(jit(loss))(numpy::array({2.0f, 3.0f})).to_vector<float>(), (Floats{3, 2}));
  EXPECT_EQ(jit(vmap(loss))(numpy::ones({2, 2})).to_vector<float>(), (Floats{1, 1}));
}

TEST(ExplainCacheMisses, SaysWhatDiffers) {
  const auto scope = explain_cache_misses(true);
  LoggedTexts logged;
  const auto f =
      jit([](const std::map<std::string, Array>& p, const Array& x) { return x * p.at("w"); }, {.name = "model"});
  const auto call = [&](const Array& w, const Array& x) {
    logged.all.clear();
    f(std::map<std::string, Array>{{"w", w}}, x);
    return logged.all.empty() ? std::string() : logged.all[0];
  };
  const Array two = numpy::ones({2}), three = numpy::ones({3});
  EXPECT_NE(call(two, two).find("jit 'model' (settings_test.cc:"), std::string::npos);
  EXPECT_EQ(call(two, two), "");
  EXPECT_NE(call(three, three).find("args[0][\"w\"] is f32[3], the nearest trace has f32[2]; args[1] is f32[3]"),
            std::string::npos);
  EXPECT_NE(call(three, 1.0f).find("args[1] is f32[] (weakly typed), the nearest trace has f32[3]"), std::string::npos);
  const auto first = call(two, two);
  EXPECT_EQ(first, "");
  ASSERT_TRUE(config().update("jax_enable_x64", true).ok());
  EXPECT_NE(call(two, two).find("a flag has changed, or the client"), std::string::npos);
  ASSERT_TRUE(config().clear("jax_enable_x64").ok());
}

TEST(ExplainCacheMisses, SaysThatATreeDiffers) {
  const auto scope = explain_cache_misses(true);
  LoggedTexts logged;
  const auto f = jit<1>([](const Array& x, int n) { return x * static_cast<float>(n); });
  f(1.0f, 2);
  f(1.0f, 3);
  ASSERT_EQ(logged.all.size(), 2u);
  EXPECT_NE(logged.all[0].find("it was never called before"), std::string::npos);
  EXPECT_NE(logged.all[1].find("static values are part of it"), std::string::npos);
}

TEST(NumpyRankPromotion, RaisesOrWarnsWhereRanksDiffer) {
  const Array a = numpy::ones({2}), b = numpy::ones({3, 2});
  LoggedTexts logged;
  {
    const auto scope = numpy_rank_promotion("raise");
    const std::string text = error_of([&] { a + b; }, StatusCode::kInvalidArgument);
    EXPECT_NE(text.find("Operands could not be broadcast together on shapes [2] and [3,2]"), std::string::npos) << text;
    EXPECT_EQ((b + 1.0f).size(), 6);  // a scalar has no rank to promote
    EXPECT_EQ((b + numpy::ones({1, 2})).size(), 6);
    EXPECT_TRUE(logged.all.empty());
  }
  {
    const auto scope = numpy_rank_promotion("warn");
    EXPECT_EQ((a + b).size(), 6);
    ASSERT_EQ(logged.all.size(), 1u);
    EXPECT_NE(logged.all[0].find("numpy_rank_promotion(\"warn\")"), std::string::npos) << logged.all[0];
    const auto inner = numpy_rank_promotion("allow");
    EXPECT_EQ((a + b).size(), 6);
  }
  EXPECT_EQ((a + b).size(), 6);
  EXPECT_EQ(logged.all.size(), 1u);
  error_of([] { const auto none = numpy_rank_promotion("perhaps"); }, StatusCode::kInvalidArgument);
}

TEST(NumpyRankPromotion, ForcesANewTrace) {
  const auto f = jit([](Array a, Array b) { return a + b; });
  const Array a = numpy::ones({2}), b = numpy::ones({3, 2});
  f(a, b);
  const auto scope = numpy_rank_promotion("raise");
  error_of([&] { f(a, b); }, StatusCode::kInvalidArgument);
}

std::string precision_of_dot() {
  const std::string text = make_hlo([](Array a) { return numpy::matmul(a, a); })(numpy::ones({2, 2}));
  const size_t at = text.find("operand_precision={");
  return at == std::string::npos ? "" : text.substr(at, text.find('}', at) + 1 - at);
}

TEST(DefaultMatmulPrecision, IsWrittenIntoDotsThatAskForNone) {
  EXPECT_EQ(precision_of_dot(), "");
  for (const auto& [word, written] : std::vector<std::pair<const char*, std::string>>{
           {"highest", "highest"}, {"float32", "highest"}, {"tensorfloat32", "high"}, {"HIGH", "high"}}) {
    const auto scope = default_matmul_precision(word);
    EXPECT_EQ(precision_of_dot(), "operand_precision={" + written + "," + written + "}") << word;
    const auto inner = default_matmul_precision("high");
    EXPECT_EQ(precision_of_dot(), "operand_precision={high,high}");
  }
  EXPECT_EQ(precision_of_dot(), "");
  error_of([] { const auto none = default_matmul_precision("lowest"); }, StatusCode::kInvalidArgument);
  const auto scope = default_matmul_precision("high");
  const std::string asked =
      make_hlo([](Array a) { return lax::dot(a, a, {.precision = "highest"}); })(numpy::ones({2, 2}));
  EXPECT_NE(asked.find("operand_precision={highest,highest}"), std::string::npos) << asked;
}

TEST(DefaultMatmulPrecision, ForcesANewTrace) {
  int traces = 0;
  const auto f = jit([&](Array a) {
    ++traces;
    return numpy::matmul(a, a);
  });
  const Array a = numpy::ones({2, 2});
  f(a);
  {
    const auto scope = default_matmul_precision("highest");
    f(a);
    f(a);
    EXPECT_EQ(traces, 2);
  }
  f(a);
  EXPECT_EQ(traces, 2);
}

TEST(LogCompiles, SaysWhatWasTracedAndCompiled) {
  const auto f = jit([](Array x) { return x * 3.25f; }, {.name = "logged"});
  LoggedTexts logged;
  {
    const auto scope = log_compiles();
    f(numpy::ones({5}));
    ASSERT_EQ(logged.all.size(), 2u);
    EXPECT_EQ(logged.all[0].rfind("Finished tracing of jit 'logged' (settings_test.cc:", 0), 0u) << logged.all[0];
    EXPECT_EQ(logged.all[1].rfind("Finished compilation of jit 'logged' (settings_test.cc:", 0), 0u) << logged.all[1];
    f(numpy::ones({5}));
    EXPECT_EQ(logged.all.size(), 2u);
  }
  f(numpy::ones({6}));
  EXPECT_EQ(logged.all.size(), 2u);
}

TEST(CheckingLeaks, FindsALeakOutOfAScan) {
  Array leaked = 0.0f;
  const auto f = [&](Array x) {
    const auto step = [&](Array c, Array v) {
      leaked = c + v;
      return std::pair(c, std::tuple<>());
    };
    return lax::scan(step, numpy::sum(x), x).first;
  };
  const auto scope = checking_leaks();
  EXPECT_THROW(jit(f)(numpy::ones({3})), LeakedTracer);
}

TEST(ExplainCacheMisses, NamesAllThatDiffers) {
  const auto f = jit([](Array a, Array b) { return numpy::sum(a) + numpy::sum(b); });
  f(numpy::ones({2}), numpy::ones({3}));
  LoggedTexts logged;
  const auto scope = explain_cache_misses(true);
  const auto precision = default_matmul_precision("highest");
  f(numpy::ones({4}), numpy::ones({5}));
  ASSERT_EQ(logged.all.size(), 1u);
  for (const char* part : {"args[0] is f32[4], the nearest trace has f32[2]",
                           "args[1] is f32[5], the nearest trace has f32[3]", "a setting that traces depend on"})
    EXPECT_NE(logged.all[0].find(part), std::string::npos) << logged.all[0];
}

}  // namespace
}  // namespace hilo
