// SPDX-License-Identifier: Apache-2.0
// The statements of docs/threads.md about arrays and transformations.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <functional>
#include <future>
#include <span>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "hilo/base/flags.h"
#include "hilo/base/log.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

constexpr int kThreads = 6;

/// Calls f(0), ..., f(kThreads - 1) concurrently, each on its own thread.
void on_threads(const std::function<void(int)>& f) {
  std::barrier together(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      together.arrive_and_wait();
      f(t);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Threads, OneJittedFunctionServesManyThreads) {
  const auto f = jit([](Array x, Array y) { return numpy::sum(x * y); });
  std::atomic<int> wrong{0};
  on_threads([&](int t) {
    const auto mine = f;  // copies share compiled programs
    for (int turn = 0; turn < 20; ++turn) {
      const int n = 1 + (t + turn) % 3;  // several shapes, so that first and later calls are concurrent
      wrong += mine(numpy::full({n}, 2.0f), numpy::full({n}, static_cast<float>(t))).item<float>() !=
               static_cast<float>(2 * n * t);
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, FirstCallsRaceAndOneCompiles) {
  std::atomic<int> traces{0}, wrong{0}, compilations{0};
  const LogLevel before = log_level();
  set_log_sink([&](LogLevel, std::string_view text) { compilations += text.starts_with("compiled raced: "); });
  set_log_level(LogLevel::kDebug);
  const auto f = jit(
      [&traces](Array x) {
        ++traces;
        return x * 3.0f + 1.0f;
      },
      {.donate_argnums = {}, .name = "raced"});
  on_threads([&](int t) { wrong += f(Array(static_cast<float>(t))).item<float>() != static_cast<float>(3 * t + 1); });
  set_log_level(before);
  set_log_sink({});
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(traces, 1);
  EXPECT_LE(traces, kThreads);
  EXPECT_EQ(compilations, 1);
}

TEST(Threads, CallsOfCompiledShapesGoOnWhileAnotherShapeCompiles) {
  std::promise<void> compiling, answered;
  const auto f = jit([](Array x) { return x * 5.0f - 2.0f; }, {.donate_argnums = {}, .name = "warm"});
  EXPECT_EQ(f(Array(1.0f)).item<float>(), 3.0f);
  const LogLevel before = log_level();
  bool first = true, waited_in_vain = false;
  set_log_sink([&](LogLevel, std::string_view text) {  // the compiling thread calls it before others can
    if (!text.starts_with("compiled warm: ") || !std::exchange(first, false)) return;
    compiling.set_value();
    waited_in_vain = answered.get_future().wait_for(std::chrono::seconds(60)) == std::future_status::timeout;
  });
  set_log_level(LogLevel::kDebug);
  std::thread other([&] { EXPECT_EQ(f(numpy::ones({3})).to_vector<float>(), std::vector<float>(3, 3.0f)); });
  compiling.get_future().wait();
  EXPECT_EQ(f(Array(2.0f)).item<float>(), 8.0f);
  answered.set_value();
  other.join();
  set_log_level(before);
  set_log_sink({});
  EXPECT_FALSE(waited_in_vain);
}

TEST(Threads, CallsGoOnWhileOthersClearTheCache) {
  const auto f = jit([](const Array& x, const Array& y) { return std::pair(x + y, numpy::sum(x)); });
  std::atomic<int> wrong{0};
  on_threads([&](int t) {
    const Array x = numpy::full({2}, static_cast<float>(t));
    std::vector<float> sums(2), in(2, 1.0f);
    float sum = 0;
    for (int turn = 0; turn < 200; ++turn) {
      if (t == 0 && turn % 10 == 0) f.clear_cache();
      wrong += f(x, 1.0f).first.to_vector<float>()[1] != static_cast<float>(t + 1);
      const std::span<float> out(sums);
      f.into(std::tie(out, sum), x, std::span<const float>(in));
      wrong += sums[1] != static_cast<float>(t + 1) || sum != static_cast<float>(2 * t);
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, ADonatedArrayGoesToOneOfManyThreads) {
  constexpr int64_t kElements = 1 << 12;
  const auto take = jit([](Array x) { return x + 1.0f; }, {.donate_argnums = {0}});
  take(numpy::zeros({kElements}));  // compiled before the race
  for (int turn = 0; turn < 50; ++turn) {
    const Array x = numpy::full({kElements}, 3.0f);
    std::atomic<int> donated{0}, wrong{0};
    on_threads([&](int t) {
      try {
        const bool donates = t % 2 == 0;
        const std::vector<float> values = (donates ? take(x) : x * 2.0f).to_vector<float>();
        donated += donates;
        for (const float v : values) wrong += v != (donates ? 4.0f : 6.0f);
      } catch (const Error& error) {
        wrong += error.code() != StatusCode::kInvalidArgument;
      }
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_LE(donated, 1);
  }
}

TEST(Threads, ManyThreadsReadOneArray) {
  const Array shared = numpy::arange(1000);
  std::atomic<int> wrong{0};
  on_threads([&](int t) {
    const Array copy = shared;
    wrong += copy.to_vector<int>()[static_cast<size_t>(t)] != t;
    wrong += (copy + t)[0].item<int>() != t;
    wrong += shared.to_string() != copy.to_string();
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, ArraysMayBeDroppedOnAnyThread) {
  std::vector<Array> arrays;
  for (int t = 0; t < kThreads; ++t) arrays.push_back(numpy::full({100}, static_cast<float>(t)));
  std::vector<Array> kept(arrays);
  on_threads([&](int t) { arrays[static_cast<size_t>(t)] = kept[static_cast<size_t>(kThreads - 1 - t)]; });
  for (int t = 0; t < kThreads; ++t) {
    EXPECT_EQ(arrays[static_cast<size_t>(t)][99].item<int>(), kThreads - 1 - t);
  }
}

TEST(Threads, EagerOperationsRunOnManyThreads) {
  std::atomic<int> wrong{0};
  on_threads([&](int t) {
    for (int n = 1; n < 8; ++n) {
      const Array x = numpy::full({n}, static_cast<float>(t));
      wrong += numpy::sum(numpy::square(x) - x).item<int>() != n * (t * t - t);
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, TracesOfThreadsDoNotMeet) {
  std::atomic<int> wrong{0};
  std::barrier inside(kThreads);
  on_threads([&](int t) {
    const auto cube = [&](Array x) {
      inside.arrive_and_wait();  // every thread is inside its own trace
      const Array y = x * x * x;
      inside.arrive_and_wait();
      return y;
    };
    const float value = t % 2 == 0 ? grad(cube)(Array(2.0f)).item<float>()  // 3 x^2
                                   : jit(vmap(cube))(numpy::array({2.0, 3.0}))[0].item<float>();
    wrong += value != (t % 2 == 0 ? 12.0f : 8.0f);
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, AnotherThreadComputesWhileOneTraces) {
  float seen = 0;
  const Array traced = jit([&](Array x) {
    std::thread([&] { seen = (numpy::full({2}, 4.0f) * 2.0f)[1].item<float>(); }).join();
    return x + 1.0f;
  })(Array(1.0f));
  EXPECT_EQ(seen, 8);
  EXPECT_EQ(traced.item<float>(), 2);
}

/// The error of `use` for a tracer of `transformation` that belongs to another thread.
template <typename Transformation>
std::string error_on_another_thread(const Transformation& transformation, void (*use)(const Array&)) {
  std::string text;
  transformation([&](Array x) {
    const Array y = x * 1.0f;
    std::thread([&] { text = error_of([&] { use(y); }, StatusCode::kFailedPrecondition); }).join();
    return y;
  });
  return text;
}

TEST(Threads, TracerOnAnotherThreadIsAnErrorThatNamesIt) {
  const auto under_jit = [](auto f) { jit(f)(Array(1.0f)); };
  const auto under_grad = [](auto f) { grad(f)(Array(1.0f)); };
  const auto under_vmap = [](auto f) { vmap(f)(numpy::zeros({3})); };
  const auto add = [](const Array& x) { x + 1.0f; };
  const auto read = [](const Array& x) { x.item<float>(); };
  const auto capture = [](const Array& x) { jit([&](Array y) { return x * y; })(Array(2.0f)); };
  const auto expect = [](const std::string& text, const std::string& user, const std::string& transformation) {
    EXPECT_NE(text.find(user), std::string::npos) << text;
    EXPECT_NE(text.find("a tracer belongs to the thread of its trace; got f32[], made at threads_test.cc:"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(", inside " + transformation + ", on another thread"), std::string::npos) << text;
  };
  expect(error_on_another_thread(under_jit, add), "add (threads_test.cc:", "jit");
  expect(error_on_another_thread(under_grad, add), "add (threads_test.cc:", "jvp");
  expect(error_on_another_thread(under_vmap, add), "add (threads_test.cc:", "vmap");
  expect(error_on_another_thread(under_jit, read), "reading a value", "jit");
  expect(error_on_another_thread(under_grad, read), "reading a value", "jvp");
  expect(error_on_another_thread(under_jit, capture), "multiply (threads_test.cc:", "jit");
}

TEST(Threads, FlagSetOnOneThreadHoldsForAll) {
  const auto twice = jit([](Array x) { return x * 2; });
  EXPECT_EQ(twice(Array(1.5)).dtype(), ElementType::kF32);
  std::thread([] { ASSERT_TRUE(config().update("jax_enable_x64", true).ok()); }).join();
  EXPECT_EQ(Array(1.5).dtype(), ElementType::kF64);
  EXPECT_EQ(twice(Array(1.5)).dtype(), ElementType::kF64);
  reset_flags();
}

}  // namespace
}  // namespace hilo
