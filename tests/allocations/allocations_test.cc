// SPDX-License-Identifier: Apache-2.0
// Later calls of a jitted function with numbers and small arrays allocate no memory: counted by the program's operator
// new.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <thread>

#include "hilo/base/recycled.h"
#include "hilo/hilo.h"

namespace {

std::atomic<int64_t> allocations{0};

void* counted(size_t bytes, size_t alignment = 16) {
  ++allocations;
  void* const memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(size_t bytes) { return counted(bytes); }
void* operator new(size_t bytes, std::align_val_t alignment) { return counted(bytes, static_cast<size_t>(alignment)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace hilo {
namespace {

template <typename T>
struct State {
  T position, velocity;
  HILO_TREE(position, velocity)
};

/// Returns the allocations of 100 calls, after two that may allocate.
int64_t allocations_of(const std::function<void()>& call) {
  call();
  call();
  const int64_t before = allocations;
  for (int i = 0; i < 100; ++i) call();
  return allocations - before;
}

/// Builds with sanitizers reuse no memory, so there the calls are only made.
void expect_none(const std::function<void()>& call) {
  const int64_t count = allocations_of(call);
  if (kRecycles) {
    EXPECT_EQ(count, 0);
  }
}

State<Array> moved(const State<Array>& s, const Array& dt) { return {s.position + dt * s.velocity, s.velocity}; }

TEST(Allocations, CountIsThatOfOperatorNew) {
  EXPECT_GE(allocations_of([] { delete new std::string(100, 'x'); }), 100);
}

TEST(Allocations, ACallOfAScalarHasNone) {
  const auto f = jit([](const Array& x) { return x * 2.0f; });
  const Array x = numpy::sum(numpy::arange(4));
  expect_none([&] { f(x); });
}

TEST(Allocations, ACallOfANumberHasNone) {
  const auto f = jit([](const Array& x, const Array& n, const Array& b) { return numpy::where(b, x, n * 2); });
  expect_none([&] { f(2.0, 3, true); });
}

TEST(Allocations, ACallOfAStaticNumberHasNone) {
  const auto f = jit([](const Array& x, int n) { return x * static_cast<float>(n); });
  const Array x = numpy::arange(4);
  expect_none([&] { f(x, 3); });
}

TEST(Allocations, ACallOfEightArraysHasNone) {
  const auto f = jit([](const Array& a, const Array& b, const Array& c, const Array& d, const Array& e, const Array& g,
                        const Array& h, const Array& i) { return a + b + c + d + e + g + h + i; });
  const Array x = numpy::arange(8);
  expect_none([&] { f(x, x, x, x, x, x, x, x); });
}

TEST(Allocations, ACallOfStructsHasNone) {
  const auto f = jit(moved);
  const State<Array> state{numpy::ones({3}), numpy::ones({3})};
  expect_none([&] { f(state, 0.1f); });
}

TEST(Allocations, ACallInALoopHasNone) {
  const auto f = jit(moved);
  State<Array> state{numpy::ones({3}), numpy::ones({3})};
  expect_none([&] { state = f(state, 0.1f); });
  EXPECT_NEAR(state.position.to_vector<double>()[0], 1 + 102 * 0.1, 1e-4);
}

TEST(Allocations, ACallOfFunctionsWithCapturesAndTablesHasNone) {
  const Array weights = numpy::arange(16).reshape({4, 4}).astype(float32);
  const auto f = jit([weights](const Array& x) { return numpy::tanh(numpy::matmul(weights, x)); });
  const Array x = numpy::ones({4});
  expect_none([&] { f(x); });
}

TEST(Allocations, ALoopHasNone) {
  const auto f = jit([](const Array& x) {
    return lax::fori_loop(0, 10, [](const Array&, const Array& y) { return y * 1.5f + 1.0f; }, x);
  });
  const Array x = numpy::ones({4});
  expect_none([&] { f(x); });
}

TEST(Allocations, SeveralShapesInTurnHaveNone) {
  const auto f = jit([](const Array& x) { return x + 1.0f; });
  const Array a = numpy::ones({2}), b = numpy::ones({3}), c = numpy::ones({4});
  expect_none([&] { f(a), f(b), f(c); });
}

TEST(Allocations, IntoHasNone) {
  const auto f = jit([](const Array& x, const Array& y) { return std::tuple(x + y, numpy::sum(x)); });
  std::array<float, 8> x = {1, 2, 3}, out = {};
  const std::span<float> all(out);
  float sum = 0;
  const Array y = numpy::ones({8});
  expect_none([&] { f.into(std::tie(all, sum), std::span<const float>(x), y); });
  EXPECT_EQ(out[1], 3);
  EXPECT_EQ(sum, 6);
}

TEST(Allocations, IntoOfStructsAndInPlaceHasNone) {
  const auto f = jit([](const State<Array>& s, const Array& dt) { return moved(s, dt); });
  std::array<double, 3> position = {0, 0, 0}, velocity = {1, 2, 3};
  const State<std::span<double>> state{position, velocity};
  double dt = 0.5;
  expect_none([&] { f.into(state, state, ShapedSpan<const double>(&dt, {})); });
  EXPECT_EQ(position[2], 102 * 1.5);
}

TEST(Allocations, OtherThreadsHaveNoneAfterTheirFirstCalls) {
  const auto f = jit([](const Array& x) { return x * 3.0f; });
  const Array x = numpy::ones({3});
  f(x);
  std::thread([&] { expect_none([&] { f(x); }); }).join();
}

}  // namespace
}  // namespace hilo
