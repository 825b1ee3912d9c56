// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/windows.h"

#include <algorithm>
#include <cstring>

#include "hilo/backend/cpu/abi/functions.h"
#include "hilo/backend/cpu/runtime/functions.h"
#include "hilo/backend/cpu/runtime/reducers.h"
#include "hilo/backend/cpu/runtime/widest.h"

namespace hilo::cpu::runtime {
namespace {

constexpr int64_t kWindowLanes = 512;

/// Computes the index of a position from its number.
void position_at(std::span<const SlidDimension> dimensions, int64_t number, std::span<int64_t> position) {
  for (size_t d = dimensions.size(); d-- > 0;) {
    position[d] = number % dimensions[d].count;
    number /= dimensions[d].count;
  }
}

template <typename T, typename Reducer, bool kShort>
void reduce_lanes(const Windows& windows, std::span<const SlidDimension> dimensions, std::span<const int64_t> position,
                  const Stop& stop, T initial, const T* in, T* out) {
  using State = typename StateOf<T, Reducer, kShort>::Type;
  State running[kWindowLanes];
  for (int64_t begin = 0; begin < windows.lanes; begin += kWindowLanes) {
    const int64_t count = std::min(kWindowLanes, windows.lanes - begin);
    std::fill_n(running, count, State(initial));
    for_each_source(dimensions, position, 0, begin, stop, [&](int64_t at) {
      const T* __restrict from = in + at;
      for (int64_t k = 0; k < count; ++k) running[k].take(from[k]);
    });
    for (int64_t k = 0; k < count; ++k) out[begin + k] = running[k].value();
  }
}

template <typename T, typename Reducer>
void reduce_windows(const Call& call, const ReduceWindowProblem& p, int64_t begin, int64_t end) {
  const std::span<const SlidDimension> dimensions = p.windows.dimensions.of(&p);
  const auto reduce = p.is_short ? reduce_lanes<T, Reducer, true> : reduce_lanes<T, Reducer, false>;
  const T* const in = static_cast<const T*>(call.buffers[0]);
  const T initial = *static_cast<const T*>(call.buffers[1]);
  T* const out = static_cast<T*>(call.buffers[2]);
  const std::span<int64_t> position = Scratch(call).take<int64_t>(dimensions.size());
  const Stop stop = stop_of(call);
  for (int64_t i = begin; i < end && !stop.raised(); ++i) {
    position_at(dimensions, i % p.windows.positions, position);
    reduce(p.windows, dimensions, position, stop, initial, in + i / p.windows.positions * p.windows.array_batch,
           out + i * p.windows.lanes);
  }
}

/// The accumulators of one window, which pass from one call of the body to the next, and to the result.
struct Accumulators {
  std::span<const int64_t> widths;
  std::span<Widest> sums;  ///< twice as many as arrays
  std::span<const void*> arguments;
  std::span<void*> results;
  ScalarFunction body;

  void reduce(const Call& call, std::span<const int64_t> offsets, int64_t from, int64_t to) const {
    const size_t n = widths.size();
    size_t now = 0;  // the half that contains the sums
    for (size_t k = 0; k < n; ++k) std::memcpy(&sums[k], call.buffers[n + k], static_cast<size_t>(widths[k]));
    for (const int64_t offset : offsets) {
      for (size_t k = 0; k < n; ++k) {
        arguments[k] = &sums[now + k];
        results[k] = &sums[n - now + k];
        arguments[n + k] = static_cast<const std::byte*>(call.buffers[k]) + (from + offset) * widths[k];
      }
      body(arguments.data(), results.data(), call.stop);
      now = n - now;
    }
    for (size_t k = 0; k < n; ++k)
      std::memcpy(static_cast<std::byte*>(call.buffers[2 * n + k]) + to * widths[k], &sums[now + k],
                  static_cast<size_t>(widths[k]));
  }
};

}  // namespace

size_t reduce_window_scratch(size_t dimensions, int64_t most_sources, size_t arrays) {
  return Scratch::bytes_for<int64_t>(dimensions) + Scratch::bytes_for<int64_t>(static_cast<size_t>(most_sources)) +
         Scratch::bytes_for<Widest>(2 * arrays) + Scratch::bytes_for<void*>(2 * arrays) +
         Scratch::bytes_for<void*>(arrays);
}

void hilo_rt_reduce_window(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<ReduceWindowProblem>(*call);
  visit_reducer_of(p.kind, p.type,
                   [&]<typename T, typename Reducer>() { reduce_windows<T, Reducer>(*call, p, begin, end); });
}

void hilo_rt_reduce_window_compiled(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<ReduceWindowCompiledProblem>(*call);
  const std::span<const SlidDimension> dimensions = p.windows.dimensions.of(&p);
  const std::span<const int64_t> widths = p.widths.of(&p);
  Scratch scratch(*call);
  const std::span<int64_t> position = scratch.take<int64_t>(dimensions.size());
  const std::span<int64_t> memory = scratch.take<int64_t>(static_cast<size_t>(p.windows.most_sources));
  Accumulators accumulators{widths, scratch.take<Widest>(2 * widths.size()),
                            scratch.take<const void*>(2 * widths.size()), scratch.take<void*>(widths.size()),
                            reinterpret_cast<ScalarFunction>(call->code[0])};
  const Stop stop = stop_of(*call);
  for (int64_t i = begin; i < end && !stop.raised(); ++i) {
    position_at(dimensions, i % p.windows.positions, position);
    size_t count = 0;
    for_each_source(dimensions, position, 0, 0, stop, [&](int64_t at) { memory[count++] = at; });
    for (int64_t lane = 0; lane < p.windows.lanes; ++lane)
      accumulators.reduce(*call, memory.first(count), i / p.windows.positions * p.windows.array_batch + lane,
                          i * p.windows.lanes + lane);
  }
}

}  // namespace hilo::cpu::runtime
