// SPDX-License-Identifier: Apache-2.0
// Calls that run directly, and the situations in which a call that could run directly must not.
#include "hilo/transform/direct_call.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/array/device_put.h"
#include "hilo/base/caches.h"
#include "hilo/base/flags.h"
#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"
#include "hilo/trace/settings.h"
#include "hilo/transform/callback.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/jit_cache.h"
#include "hilo/transform/vmap.h"
#include "tests/support/eight_devices.h"
#include "tests/support/error_of.h"
#include "tests/support/has.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

struct Pair {
  Array a, b;
};

/// x -> 2 x, called twice with a vector of 3, so that the next such call runs directly.
auto warm() {
  const auto f = jit([](const Array& x) { return x * 2.0f; });
  for (int i = 0; i < 2; ++i) f(numpy::ones({3}));
  return f;
}

TEST(DirectCall, RunsOnlyKnownArguments) {
  JitCache cache({}, std::source_location::current());
  const Array x = numpy::ones({3});
  jit_detail::DirectCall call(cache);
  EXPECT_FALSE(call.run(std::array{jit_detail::listed<Array>(x)}));
}

TEST(DirectCall, ResultsAreThoseOfTheFirstCall) {
  const auto f = jit([](const Pair& p, const Array& n, const std::string& op) {
    return std::tuple(op == "+" ? p.a + n : p.a - n, std::map<std::string, Array>{{"b", p.b}}, 7);
  });
  const Pair p{numpy::arange(3), numpy::array({1.5f, 2.5f})};
  for (int i = 0; i < 3; ++i) {
    const auto [sum, map, number] = f(p, i, "+");
    EXPECT_EQ(sum.to_vector<int>(), (std::vector<int>{i, i + 1, i + 2}));
    EXPECT_EQ(map.at("b").to_vector<float>(), (Floats{1.5f, 2.5f}));
    EXPECT_EQ(number, 7);
    EXPECT_EQ(std::get<0>(f(p, i, "-")).to_vector<int>(), (std::vector<int>{-i, 1 - i, 2 - i}));
  }
  EXPECT_EQ(f.cache_size(), 2u);
}

TEST(DirectCall, WeakTypesStayWeak) {
  const auto f = jit([](const Array& x) { return std::pair(x + 1, x + numpy::float16(1)); });
  for (int i = 0; i < 3; ++i) {
    const auto [weak, half] = f(2.0f);
    EXPECT_TRUE(weak.weak_type());
    EXPECT_EQ(half.dtype(), ElementType::kF16);
    const auto [strong, single] = f(numpy::float32(2.0f));
    EXPECT_FALSE(strong.weak_type());
    EXPECT_EQ(single.dtype(), ElementType::kF32);
  }
  EXPECT_EQ(f.cache_size(), 2u);
}

TEST(DirectCall, NumbersHaveTheTypesOfArrays) {
  const auto f = jit([](const Array& x) { return x; });
  const auto check = [&](const auto& number) {
    for (int i = 0; i < 3; ++i) {
      const Array got = f(number), wanted(number);
      EXPECT_EQ(got.aval(), wanted.aval());
      EXPECT_EQ(got.to_string(), wanted.to_string());
    }
  };
  check(true), check(3), check(int8_t{-3}), check(7u), check(1.5f), check(0.1), check(std::nan("")), check(1e300);
  check(float16(1.5f)), check(bfloat16(2.5f));
  check(std::complex<float>(1, 2)), check(std::complex<double>(0.1, 2));
  for (int i = 0; i < 3; ++i) error_of([&] { f(int64_t{1} << 40).to_literal(); }, StatusCode::kOutOfRange);
}

TEST(DirectCall, ManyShapesInTurn) {
  int traces = 0;
  const auto f = jit([&traces](const Array& x) { return ++traces, numpy::sum(x); });
  for (int turn = 0; turn < 4; ++turn) {
    for (int n = 1; n <= 9; ++n) EXPECT_EQ(f(numpy::ones({n})).item<int>(), n);
  }
  EXPECT_EQ(traces, 9);
}

TEST(DirectCall, FlagsRetraceOrCheck) {
  const auto f = jit([](const Array& x) { return numpy::log(x); });
  const Array x = numpy::full({2}, -1.0f);
  f(x), f(x);
  {
    const auto scope = debug_nans(true);
    EXPECT_THROW(f(x), FloatingPointError);
  }
  EXPECT_TRUE(std::isnan(f(x).to_vector<float>()[0]));
  {
    const auto scope = no_execution();
    error_of([&] { f(x); }, StatusCode::kFailedPrecondition);
  }
  config().update("jax_debug_nans", true);
  EXPECT_THROW(f(x), FloatingPointError);
  config().clear("jax_debug_nans");
  config().update("jax_enable_x64", true);
  EXPECT_EQ(f(0.5).dtype(), ElementType::kF64);
  EXPECT_EQ(f(0.5).dtype(), ElementType::kF64);
  config().clear("jax_enable_x64");
  EXPECT_EQ(f(0.5).dtype(), ElementType::kF32);
}

TEST(DirectCall, KeysThatAreUsedTwiceAreReported) {
  const auto f = jit([](const random::Key& key) { return random::normal(key, {2}); });
  const random::Key key = random::key(0);
  f(key), f(key);
  const auto scope = debug_key_reuse(true);
  const random::Key other = random::key(1);
  f(other);
  EXPECT_THROW(f(other), KeyReuseError);
}

TEST(DirectCall, TransformationsSeeTheCall) {
  const auto f = jit([](const Array& x) { return numpy::sum(x * x); });
  const Array x = numpy::array({1.0f, 2.0f});
  f(x), f(x);
  EXPECT_EQ(grad(f)(x).to_vector<float>(), (Floats{2, 4}));
  EXPECT_EQ(vmap(f)(numpy::stack(std::vector{x, x})).to_vector<float>(), (Floats{5, 5}));
  EXPECT_EQ(jit([&](const Array& y) { return f(y) + 1.0f; })(x).item<float>(), 6);
}

TEST(DirectCall, DeletedDonatedAndMovedArraysAreErrors) {
  const auto f = warm();
  const Array deleted = numpy::ones({3});
  deleted.delete_();
  EXPECT_TRUE(has(error_of([&] { f(deleted); }, StatusCode::kInvalidArgument), "jit (direct_call_test.cc:"));
  const Array donated = numpy::ones({3});
  jit([](const Array& x) { return x + 1.0f; }, {.donate_argnums = {0}})(donated);
  EXPECT_TRUE(has(error_of([&] { f(donated); }, StatusCode::kInvalidArgument), "has been donated"));
  Array moved = numpy::ones({3});
  const Array there = std::move(moved);
  error_of([&] { f(moved); }, StatusCode::kFailedPrecondition);
  EXPECT_EQ(f(there).to_vector<float>(), (Floats{2, 2, 2}));
}

TEST(DirectCall, ArgumentsCanBeDonatedAfterwards) {
  const auto f = warm();
  const Array x = numpy::ones({3});
  const Array y = f(x);
  jit([](const Array& v) { return v + 1.0f; }, {.donate_argnums = {0}})(x);
  EXPECT_TRUE(x.is_deleted());
  EXPECT_EQ(y.to_vector<float>(), (Floats{2, 2, 2}));
}

TEST(DirectCall, ResultsOutliveTheFunctionAndItsCache) {
  std::vector<Array> results;
  {
    const auto f = warm();
    for (int i = 0; i < 5; ++i) results.push_back(f(numpy::full({3}, static_cast<float>(i))));
    f.clear_cache();
    results.push_back(f(numpy::full({3}, 5.0f)));
  }
  clear_caches();
  for (size_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(results[i].to_vector<float>(), Floats(3, 2 * static_cast<float>(i)));
}

TEST(DirectCall, UnusedArgumentsMayBeDeleted) {
  const auto f = jit([](const Array& x, const Array&) { return x + 1.0f; });
  const Array x = numpy::ones({2}), unused = numpy::ones({5});
  f(x, unused);
  unused.delete_();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(f(x, unused).to_vector<float>(), (Floats{2, 2}));
}

TEST(DirectCall, AProgramMayClearTheCachesOfItsCall) {
  const auto f = jit([](const Array& x) {
    const auto clear = [](const Array& y) {
      clear_caches();
      return y;
    };
    return pure_callback(clear, ShapeDtypeStruct({2}, float32), x) * 3.0f;
  });
  const Array x = numpy::ones({2});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(f(x).to_vector<float>(), (Floats{3, 3}));
}

TEST(DirectCall, AProgramMayCallItself) {
  std::function<Array(const Array&)> f;
  int depth = 0;
  const auto inner = [&](const Array& x) { return ++depth % 4 == 0 ? x : f(x); };
  f = jit([&](const Array& x) { return pure_callback(inner, ShapeDtypeStruct({2}, float32), x) + 1.0f; });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(f(numpy::zeros({2})).to_vector<float>(), (Floats{4, 4}));
}

TEST(DirectCall, AnErrorOfTheProgramNamesTheFunction) {
  int calls = 0;
  const auto fail = [&](const Array& x) {
    if (++calls > 2) or_throw(invalid_argument("too often"));
    return x;
  };
  const auto f = jit([&](const Array& x) { return pure_callback(fail, ShapeDtypeStruct({2}, float32), x); });
  const Array x = numpy::ones({2});
  f(x), f(x);
  const std::string error = error_of([&] { f(x); }, StatusCode::kInvalidArgument);
  EXPECT_TRUE(has(error, "jit (direct_call_test.cc:")) << error;
  EXPECT_TRUE(has(error, "too often")) << error;
}

TEST(DirectCall, LoopsBeginAnewInEachCall) {
  const auto f = jit([](const Array& x) {
    return lax::while_loop([](const std::pair<Array, Array>& c) { return numpy::sum(c.first) < 100.0f; },
                           [](const std::pair<Array, Array>& c) { return std::pair(c.second, c.first + c.second); },
                           std::pair(x, x + 1.0f));
  });
  const Array x = numpy::ones({3});
  const std::vector<float> first = f(x).second.to_vector<float>();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(f(x).second.to_vector<float>(), first);
}

class DirectCallOnDevices : public tests::EightDevices {};

TEST_F(DirectCallOnDevices, ArgumentsAndScopesChooseTheDevice) {
  const auto f = warm();
  const Array x = numpy::ones({3});
  const Array there = device_put(x, devices()[2]);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(f(there).device(), devices()[2]);
    EXPECT_EQ(f(x).device(), devices()[0]);
    const auto scope = default_device(devices()[3]);
    EXPECT_EQ(f(x).device(), devices()[3]);
  }
  const Array committed = device_put(x, devices()[0]);
  const auto add = jit([](const Array& a, const Array& b) { return a + b; });
  for (int i = 0; i < 3; ++i) error_of([&] { add(add(committed, x), there); }, StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo
