// SPDX-License-Identifier: Apache-2.0
// bench/calls.cc -- calls [SECONDS]: the time of a call on numbers and small arrays, "row<TAB>microseconds<TAB>
// allocations", and the spread of control loops of 1 kHz over SECONDS each, by default 2.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "bench/timing.h"
#include "hilo/hilo.h"

namespace {

int64_t allocations = 0;  // of the only thread

}  // namespace

void* operator new(size_t bytes) {
  ++allocations;
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

using namespace hilo;

namespace {

void row(const char* name, const std::function<void()>& call) {
  const double microseconds = bench::median_microseconds(call);
  const int64_t before = allocations;
  for (int i = 0; i < 1000; ++i) call();
  std::printf("%s\t%.4f\t%.2f\n", name, microseconds, static_cast<double>(allocations - before) / 1000);
  std::fflush(stdout);
}

template <typename T>
struct State {
  T position, velocity;
  HILO_TREE(position, velocity)
};

/// A step of seven joints under a linear feedback.
State<Array> controlled(const State<Array>& s, const Array& gains) {
  const Array force = -numpy::matmul(gains, s.position + 0.1f * s.velocity) - numpy::sin(s.position);
  const Array velocity = s.velocity + 0.001f * force;
  return {s.position + 0.001f * velocity, velocity};
}

void call_rows() {
  const Array x = numpy::ones({8}), scalar = numpy::sum(x);
  const auto twice = jit([](const Array& a) { return a * 2.0f; });
  const auto sum = jit([](const Array& a, const Array& b, const Array& c, const Array& d, const Array& e,
                          const Array& f, const Array& g, const Array& h) { return a + b + c + d + e + f + g + h; });
  const auto step = jit(controlled);
  const State<Array> state{numpy::ones({7}), numpy::zeros({7})};
  const Array gains = numpy::eye(7);
  row("eager_add", [&] { x + x; });
  row("jit_scalar", [&] { twice(scalar); });
  row("jit_number", [&] { twice(2.0f); });
  row("jit_8_arrays", [&] { sum(x, x, x, x, x, x, x, x); });
  row("jit_struct", [&] { step(state, gains); });
  std::vector<float> in(8, 1.0f), out(8);
  float result = 0;
  row("into_number", [&] { twice.into(result, 2.0f); });
  row("into_vector", [&] { twice.into(std::span(out), std::span(in)); });
  std::vector<float> position(7, 1.0f), velocity(7);
  const State<std::span<float>> memory{position, velocity};
  row("into_struct", [&] { step.into(memory, memory, gains); });
}

void sleep_until(timespec& next) {
  constexpr long kPeriod = 1'000'000, kSecond = 1'000'000'000;  // nanoseconds
  next.tv_nsec += kPeriod;
  if (next.tv_nsec >= kSecond) next.tv_nsec -= kSecond, ++next.tv_sec;
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, nullptr) != 0) {}
}

/// Prints how long `step` takes in a loop of 1 kHz. Each call begins with whatever the processor's caches still hold.
void control_loop(const char* name, double seconds, const std::function<void()>& step) {
  for (int i = 0; i < 100; ++i) step();
  std::vector<double> times(static_cast<size_t>(std::max(100.0, 1000 * seconds)));
  timespec next = {};
  ::clock_gettime(CLOCK_MONOTONIC, &next);
  for (double& microseconds : times) {
    sleep_until(next);
    const bench::Clock::time_point start = bench::Clock::now();
    step();
    microseconds = bench::microseconds_since(start);
  }
  std::ranges::sort(times);
  const auto at = [&](double part) { return times[static_cast<size_t>(part * static_cast<double>(times.size() - 1))]; };
  std::printf(
      "loop of 1 kHz, %s, %zu calls: p50 %.2f us, p99 %.2f, p99.9 %.2f, p99.99 %.2f, max %.2f; p99.99 is %.1f x p50\n",
      name, times.size(), at(0.5), at(0.99), at(0.999), at(0.9999), times.back(), at(0.9999) / at(0.5));
  std::fflush(stdout);
}

/// The step by hand, which shows how much of the spread is the machine's.
void step_by_hand(std::vector<float>& position, std::vector<float>& velocity, const std::vector<float>& gains) {
  float force[7];
  for (size_t i = 0; i < 7; ++i) {
    force[i] = -std::sin(position[i]);
    for (size_t k = 0; k < 7; ++k) force[i] -= gains[7 * i + k] * (position[k] + 0.1f * velocity[k]);
  }
  for (size_t i = 0; i < 7; ++i) position[i] += 0.001f * (velocity[i] += 0.001f * force[i]);
}

void control_loops(double seconds) {
  const auto step = jit(controlled);
  std::vector<float> position(7, 1.0f), velocity(7);
  const State<std::span<float>> state{position, velocity};
  const Array gains = numpy::eye(7);
  control_loop("into", seconds, [&] { step.into(state, state, gains); });
  const std::vector<float> numbers = gains.to_vector<float>();
  control_loop("by hand", seconds, [&] { step_by_hand(position, velocity, numbers); });
}

}  // namespace

int main(int argc, char** argv) {
  call_rows();
  control_loops(argc > 1 ? std::atof(argv[1]) : 2);
}
