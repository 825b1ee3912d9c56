// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/cumulative.h"

#include <algorithm>
#include <type_traits>

#include "hilo/backend/cpu/abi/functions.h"
#include "hilo/backend/cpu/runtime/functions.h"
#include "hilo/backend/cpu/runtime/reducers.h"
#include "hilo/base/stretches.h"

namespace hilo::cpu::runtime {
namespace {

constexpr int64_t kMaxLanes = 1024;         // running values that stay in the L1 cache
constexpr int64_t kRows = 8;                // lines in turn, so that none waits for its last addition
constexpr int64_t kPollInterval = 1 << 12;  // steps along a line between checks of the stop word

constexpr int64_t kChunk = 16;  // elements; after each chunk the rounding error of the sum of doubles is computed

/// The running sum of doubles. It stores the rounding error of the sum of chunks, and a chunk is short.
struct ChunkedSum {
  hlo::CompensatedSum done;
  double before = 0, here = -0.0;
  ChunkedSum() = default;
  explicit ChunkedSum(double initial) : done{initial}, before(initial) {}
  void take(double x) { here += x; }
  double value() const { return before + here; }
  void end_chunk() {
    done.take(here);
    before = done.value();
    here = -0.0;
  }
};

template <typename T, typename Reducer, bool kShort>
constexpr bool kIsChunked = !kShort && std::is_same_v<T, double> && std::is_same_v<Reducer, AddReducer>;

template <typename T, typename Reducer, bool kShort>
using State =
    std::conditional_t<kIsChunked<T, Reducer, kShort>, ChunkedSum, typename StateOf<T, Reducer, kShort>::Type>;

/// Calls step(i) for the elements of a line in turn, until the work must stop, and ends the chunks of its sums.
template <typename S, typename Step>
void run_chunks(int64_t length, std::span<S> running, const Stop& stop, const Step& step) {
  constexpr bool kEnds = std::is_same_v<S, ChunkedSum>;
  in_stretches(length, kEnds ? kChunk : kPollInterval, stop, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) step(i);
    if constexpr (kEnds) {
      for (S& state : running) state.end_chunk();
    }
  });
}

/// Reduces `lanes` adjacent lines, whose elements are adjacent.
template <typename T, typename S>
void run_lanes(const RunningLines& lines, const Stop& stop, int64_t lanes, T first, const T* in, T* out) {
  S running[kMaxLanes];
  std::fill_n(running, lanes, S(first));
  run_chunks(lines.length, std::span(running, lanes), stop, [&](int64_t i) {
    const int64_t at = (lines.reverse ? lines.length - 1 - i : i) * lines.inner;
    const T* __restrict from = in + at;
    T* __restrict to = out + at;
    for (int64_t k = 0; k < lanes; ++k) {
      running[k].take(from[k]);
      to[k] = running[k].value();
    }
  });
}

/// Reduces `kCount` consecutive lines in memory.
template <typename T, typename S, int64_t kCount>
void run_rows(const RunningLines& lines, const Stop& stop, T first, const T* in, T* out) {
  S running[kCount];
  std::fill_n(running, kCount, S(first));
  run_chunks(lines.length, std::span(running, kCount), stop, [&](int64_t i) {
    const int64_t at = lines.reverse ? lines.length - 1 - i : i;
    for (int64_t k = 0; k < kCount; ++k) {
      running[k].take(in[k * lines.length + at]);
      out[k * lines.length + at] = running[k].value();
    }
  });
}

/// Computes block `block`. `S`: the state of a line, in which reductions of one type differ. The other code is shared.
template <typename T, typename S>
void run_block(const RunningLines& lines, const Stop& stop, int64_t block, T first, const T* in, T* out) {
  if (lines.inner == 1) {
    const int64_t begin = block * kRows, end = std::min(begin + kRows, lines.outer);
    if (end - begin == kRows)
      return run_rows<T, S, kRows>(lines, stop, first, in + begin * lines.length, out + begin * lines.length);
    for (int64_t row = begin; row < end; ++row)
      run_rows<T, S, 1>(lines, stop, first, in + row * lines.length, out + row * lines.length);
    return;
  }
  const int64_t blocks = (lines.inner + kMaxLanes - 1) / kMaxLanes;
  const int64_t begin = block % blocks * kMaxLanes, at = block / blocks * lines.length * lines.inner + begin;
  run_lanes<T, S>(lines, stop, std::min(kMaxLanes, lines.inner - begin), first, in + at, out + at);
}

/// The accumulators of a step are the results of the previous one.
void run_line(const Call& call, const CumulativeCompiledProblem& p, int64_t begin, std::span<const void*> arguments,
              std::span<void*> results) {
  const auto body = reinterpret_cast<ScalarFunction>(call.code[0]);
  const std::span<const int64_t> widths = p.widths.of(&p);
  const size_t n = widths.size();
  for (size_t k = 0; k < n; ++k) arguments[k] = call.buffers[n + k];
  const Stop stop = stop_of(call);
  for (int64_t i = 0; i < p.lines.length; ++i) {
    if (i % kPollInterval == 0 && stop.raised()) return;
    const int64_t at = begin + (p.lines.reverse ? p.lines.length - 1 - i : i) * p.lines.inner;
    for (size_t k = 0; k < n; ++k) {
      arguments[n + k] = static_cast<const std::byte*>(call.buffers[k]) + at * widths[k];
      results[k] = static_cast<std::byte*>(call.buffers[2 * n + k]) + at * widths[k];
    }
    body(arguments.data(), results.data(), call.stop);
    for (size_t k = 0; k < n; ++k) arguments[k] = results[k];
  }
}

}  // namespace

int64_t CumulativeProblem::blocks() const {
  if (lines.inner == 1) return (lines.outer + kRows - 1) / kRows;
  return lines.outer * ((lines.inner + kMaxLanes - 1) / kMaxLanes);
}

void hilo_rt_cumulative(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<CumulativeProblem>(*call);
  const Stop stop = stop_of(*call);
  visit_reducer_of(p.kind, p.type, [&]<typename T, typename Reducer>() {
    const auto run = p.is_short ? run_block<T, State<T, Reducer, true>> : run_block<T, State<T, Reducer, false>>;
    for (int64_t block = begin; block < end && !stop.raised(); ++block)
      run(p.lines, stop, block, *static_cast<const T*>(call->buffers[1]), static_cast<const T*>(call->buffers[0]),
          static_cast<T*>(call->buffers[2]));
  });
}

void hilo_rt_cumulative_compiled(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<CumulativeCompiledProblem>(*call);
  Scratch scratch(*call);
  const std::span<const void*> arguments = scratch.take<const void*>(2 * p.widths.size);
  const std::span<void*> results = scratch.take<void*>(p.widths.size);
  const Stop stop = stop_of(*call);
  for (int64_t line = begin; line < end && !stop.raised(); ++line)
    run_line(*call, p, line / p.lines.inner * p.lines.length * p.lines.inner + line % p.lines.inner, arguments,
             results);
}

}  // namespace hilo::cpu::runtime
