// SPDX-License-Identifier: Apache-2.0
// Jitted::into: arguments and results in the caller's memory.
#include "hilo/transform/host_memory.h"

#include <gtest/gtest.h>

#include <numeric>

#include "hilo/numpy/numpy.h"
#include "hilo/trace/settings.h"
#include "hilo/transform/jit.h"
#include "tests/support/error_of.h"
#include "tests/support/has.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

template <typename T>
struct State {
  T position, velocity;
  HILO_TREE(position, velocity)
};
template <typename T>
struct Named {
  State<T> state;
  T mass;
  int steps = 1;
  HILO_TREE(state, mass)
  HILO_STATIC(steps)
};

/// Calls `check` after the first call, which traces, and after two that don't.
template <typename Call, typename Check>
void thrice(const Call& call, const Check& check) {
  for (int i = 0; i < 3; ++i) {
    call();
    check();
  }
}

TEST(Into, WritesAVector) {
  const auto f = jit([](const Array& x) { return x * 2.0f; });
  const Floats x = {1, 2, 3};
  Floats out(3);
  thrice([&] { std::ranges::fill(out, 0.0f), f.into(std::span(out), std::span(x)); },
         [&] { EXPECT_EQ(out, (Floats{2, 4, 6})); });
  EXPECT_EQ(f.cache_size(), 1u);
}

TEST(Into, SharesTracesWithCalls) {
  const auto f = jit([](const Array& x) { return x * 2.0f; });
  f(Array::from_vector<float>({1, 2, 3}, {3}));
  Floats out(3), x = {1, 2, 3};
  f.into(std::span(out), std::span(x));
  EXPECT_EQ(f(Array::from_vector<float>({5, 2, 3}, {3})).to_vector<float>()[0], 10);
  EXPECT_EQ(f.cache_size(), 1u);
}

TEST(Into, WritesAScalarFromNumbersAndArrays) {
  const auto f = jit([](const Array& x, const Array& y, int n) { return numpy::sum(x) * y + static_cast<float>(n); });
  float out = 0;
  const Array x = numpy::ones({4});
  thrice([&] { out = 0, f.into(out, x, 0.5f, 3); }, [&] { EXPECT_EQ(out, 5); });
}

TEST(Into, WritesTuplesVectorsAndStructs) {
  const auto f = jit([](const Array& x) {
    return std::tuple(numpy::sum(x), std::vector<Array>{x + 1.0f, x + 2.0f}, State<Array>{x, x * x});
  });
  const Floats x = {1, 2};
  float sum = 0;
  Floats a(2), b(2), c(2), d(2);
  thrice(
      [&] {
        sum = 0;
        for (Floats* v : {&a, &b, &c, &d}) std::ranges::fill(*v, 0.0f);
        f.into(std::tuple<float&, std::vector<std::span<float>>, State<std::span<float>>>(sum, {a, b}, {c, d}),
               std::span(x));
      },
      [&] {
        EXPECT_EQ(sum, 3);
        EXPECT_EQ(a, (Floats{2, 3}));
        EXPECT_EQ(b, (Floats{3, 4}));
        EXPECT_EQ(c, (Floats{1, 2}));
        EXPECT_EQ(d, (Floats{1, 4}));
      });
}

TEST(Into, WritesNumbersOfAStruct) {
  const auto f = jit([](const Array& x) { return State<Array>{x + 1.0f, x * 2.0f}; });
  State<float> out{};
  thrice([&] { out = {}, f.into(out, Array(3.0f)); },
         [&] {
           EXPECT_EQ(out.position, 4);
           EXPECT_EQ(out.velocity, 6);
         });
}

TEST(Into, ReadsStructsOfSpans) {
  const auto f = jit([](const Named<Array>& n) {
    return n.state.position + static_cast<double>(n.steps) * n.state.velocity / n.mass;
  });
  std::vector<double> position = {1, 2}, velocity = {4, 8}, mass = {2, 2}, out(2);
  const auto call = [&](int steps) {
    f.into(std::span(out), Named<std::span<double>>{{position, velocity}, mass, steps});
  };
  thrice([&] { call(1); }, [&] { EXPECT_EQ(out, (std::vector<double>{3, 6})); });
  thrice([&] { call(2); }, [&] { EXPECT_EQ(out, (std::vector<double>{5, 10})); });
  EXPECT_EQ(f.cache_size(), 2u);
}

TEST(Into, TakesShapedSpans) {
  const auto f = jit([](const Array& x, const Array& y) { return numpy::matmul(x, y); });
  const Floats x = {1, 2, 3, 4, 5, 6}, y = {1, 0, 0, 1, 1, 1};
  Floats out(4);
  const auto call = [&] {
    f.into(ShapedSpan(out.data(), {2, 2}), ShapedSpan(x.data(), {2, 3}), ShapedSpan(y.data(), {3, 2}));
  };
  thrice(call, [&] { EXPECT_EQ(out, (Floats{4, 5, 10, 11})); });
  f.into(std::span(out), ShapedSpan(x.data(), {2, 3}), ShapedSpan(y.data(), {3, 2}));  // any shape of 4 elements
  EXPECT_EQ(out, (Floats{4, 5, 10, 11}));
}

TEST(Into, MemoryOfArgumentsMayBeThatOfResults) {
  const auto reversed = jit([](const Array& x) { return numpy::flip(x); });
  Floats x(100), wanted(100);
  std::iota(x.begin(), x.end(), 0.0f);
  std::iota(wanted.rbegin(), wanted.rend(), 0.0f);
  for (int i = 0; i < 4; ++i) {
    reversed.into(std::span(x), std::span<const float>(x));
    EXPECT_EQ(x, wanted) << i;
    std::ranges::reverse(wanted);
  }
}

TEST(Into, ResultsMayOverlapArgumentsInPart) {
  const auto f = jit([](const Array& x) { return numpy::flip(x); });
  for (int i = 0; i < 3; ++i) {
    Floats x = {1, 2, 3, 4, 5};
    f.into(std::span(x).last(4), std::span<const float>(x).first(4));
    EXPECT_EQ(x, (Floats{1, 4, 3, 2, 1}));
  }
}

TEST(Into, ResultsMayNotOverlap) {
  const auto f = jit([](const Array& x) { return std::pair(x, x + 1.0f); });
  Floats x = {1, 2}, out = {7, 7, 7};
  const std::span<float> all(out);
  for (int i = 0; i < 3; ++i) {
    const std::string error =
        error_of([&] { f.into(std::pair(all.first(2), all.last(2)), std::span(x)); }, StatusCode::kInvalidArgument);
    EXPECT_TRUE(has(error, "into (host_memory_test.cc:")) << error;
    EXPECT_TRUE(has(error, "result[0] and result[1] overlap in memory")) << error;
    EXPECT_EQ(out, (Floats{7, 7, 7}));
  }
}

TEST(Into, RejectsMemoryThatDoesNotFit) {
  const auto f = jit([](const Array& x) { return State<Array>{x, numpy::sum(x)}; });
  const Floats x = {1, 2};
  Floats out(2), longer(3);
  float sum = 0;
  std::vector<double> doubles(2);
  const auto error = [&](auto&& memory) {
    return error_of([&] { f.into(memory, std::span(x)); }, StatusCode::kInvalidArgument);
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(has(error(std::tuple<std::span<float>, float&>(longer, sum)),
                    "result.position is f32[2]; got memory of f32 for 3 elements"));
    EXPECT_TRUE(has(error(std::tuple<std::span<double>, float&>(doubles, sum)),
                    "result.position is f32[2]; got memory of f64 for 2 elements"));
    EXPECT_TRUE(has(error(std::tuple(ShapedSpan(out.data(), {2, 1}), std::span(&sum, 1))),
                    "result.position is f32[2]; got memory of f32[2,1]"));
    EXPECT_TRUE(has(error(std::tuple<std::span<float>>(out)), "got memory for 1 results, the function has 2"));
    EXPECT_TRUE(has(error(std::vector<std::span<float>>{out, {&sum, 1}}), "another tree than the result"));
    f.into(std::tuple<std::span<float>, float&>(out, sum), std::span(x));
    EXPECT_EQ(sum, 3);
  }
}

TEST(Into, DonatesArraysOnceTheMemoryFits) {
  const auto f = jit([](const Array& x) { return x * 2.0f; }, {.donate_argnums = {0}});
  Floats out(3), shorter(2);
  for (int i = 0; i < 3; ++i) {
    const Array x = numpy::ones({3});
    error_of([&] { f.into(std::span(shorter), x); }, StatusCode::kInvalidArgument);
    EXPECT_FALSE(x.is_deleted());
    f.into(std::span(out), x);
    EXPECT_TRUE(x.is_deleted());
    EXPECT_EQ(out, (Floats{2, 2, 2}));
  }
}

TEST(Into, TakesComplexNumbersAtAnyAddress) {
  using Complex = std::complex<double>;
  const auto f = jit([](const Array& x) { return x * x; });
  alignas(16) std::array<double, 10> in = {}, out = {};
  for (const size_t offset : {0, 1}) {
    const std::span x(reinterpret_cast<const Complex*>(in.data() + offset), 4);
    const std::span y(reinterpret_cast<Complex*>(out.data() + offset), 4);
    std::iota(in.begin(), in.end(), 1.0);
    thrice([&] { std::ranges::fill(out, 0.0), f.into(y, x); },
           [&] {
             for (size_t i = 0; i < 4; ++i) EXPECT_EQ(y[i], x[i] * x[i]);
           });
  }
}

TEST(Into, TakesEmptyMemory) {
  const auto f = jit([](const Array& x) { return std::pair(x + 1.0f, numpy::sum(x)); });
  float sum = 1;
  std::span<float> none;
  thrice([&] { sum = 1, f.into(std::tie(none, sum), std::span<const float>()); }, [&] { EXPECT_EQ(sum, 0); });
}

TEST(Into, ChecksForNaNsUnderTheFlag) {
  const auto f = jit([](const Array& x) { return numpy::log(x); });
  float out = 7;
  f.into(out, -1.0f);
  f.into(out, -1.0f);
  EXPECT_TRUE(std::isnan(out));
  out = 7;
  const auto scope = debug_nans(true);
  EXPECT_THROW(f.into(out, -1.0f), FloatingPointError);
  EXPECT_EQ(out, 7);
}

TEST(Into, RunsUnderDisableJit) {
  const auto f = jit([](const Array& x) { return x + 1.0f; });
  float out = 0;
  const auto scope = disable_jit();
  f.into(out, 2.0f);
  EXPECT_EQ(out, 3);
}

TEST(Into, IsRejectedForTracers) {
  const auto f = jit([](const Array& x) { return x + 1.0f; });
  const auto g = jit([&](const Array& x) {
    float out = 0;
    f.into(out, x);
    return x;
  });
  EXPECT_THROW(g(2.0f), ConcretizationError);
}

TEST(Into, HasAsManyLeavesAsTheTree) {
  const auto f = jit([](const std::vector<Array>& x) { return x; });
  std::vector<float> in(100), out(100);
  std::iota(in.begin(), in.end(), 0.0f);
  std::vector<std::span<const float>> from;
  std::vector<std::span<float>> to;
  for (size_t i = 0; i < in.size(); ++i) from.emplace_back(&in[i], 1), to.emplace_back(&out[i], 1);
  thrice([&] { std::ranges::fill(out, -1.0f), f.into(to, from); }, [&] { EXPECT_EQ(out, in); });
}

TEST(ShapedSpan, RejectsBadShapes) {
  float x = 0;
  error_of([&] { ShapedSpan(&x, {-1}); }, StatusCode::kInvalidArgument);
  error_of([&] { ShapedSpan(&x, {1, 1, 1, 1, 1, 1, 1, 1, 1}); }, StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo
