// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/reduce/cumulative.cc -- running reductions (a reduce-window as long as its dimension) in one
// pass.
#include <algorithm>

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/backend/cpu/library/reduce/reducers.h"
#include "hilo/engine/scalar_program.h"
#include "hilo/hlo/ops/reduce_window.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kMaxLanes = 1024;         // running values that stay in the L1 cache
constexpr int64_t kRows = 8;                // lines in turn, so that none waits for its last addition
constexpr int64_t kPollInterval = 1 << 12;  // steps along a line between checks of the stop word

/// The array as [outer, length, inner], reduced along the middle.
struct Lines {
  int64_t outer = 1, length = 1, inner = 1;
  bool reverse = false;
};

Lines lines_of(const hlo::Cumulative& c, const Shape& shape) {
  Lines lines{.length = shape.dimension(c.dimension), .reverse = c.reverse};
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (d != c.dimension) (d < c.dimension ? lines.outer : lines.inner) *= shape.dimension(d);
  }
  return lines;
}

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
void run_chunks(int64_t length, std::span<S> running, const Step& step) {
  constexpr bool kEnds = std::is_same_v<S, ChunkedSum>;
  in_stretches(length, kEnds ? kChunk : kPollInterval, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) step(i);
    if constexpr (kEnds) {
      for (S& state : running) state.end_chunk();
    }
  });
}

/// Reduces `lanes` adjacent lines, whose elements are adjacent.
template <typename T, typename S>
void run_lanes(const Lines& lines, int64_t lanes, T first, const T* in, T* out) {
  S running[kMaxLanes];
  std::fill_n(running, lanes, S(first));
  run_chunks(lines.length, std::span(running, lanes), [&](int64_t i) {
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
void run_rows(const Lines& lines, T first, const T* in, T* out) {
  S running[kCount];
  std::fill_n(running, kCount, S(first));
  run_chunks(lines.length, std::span(running, kCount), [&](int64_t i) {
    const int64_t at = lines.reverse ? lines.length - 1 - i : i;
    for (int64_t k = 0; k < kCount; ++k) {
      running[k].take(in[k * lines.length + at]);
      out[k * lines.length + at] = running[k].value();
    }
  });
}

template <typename F>
void run_tasks(int64_t count, int64_t elements, const F& task) {
  each_in_parts(count, worth_forking(work_ns(kCpuCosts.library.scanned, elements)) ? count : 1, task);
}

/// `S`: the state of a line, in which reductions of one type differ. The other code is shared.
template <typename T, typename S>
void run_all(const Lines& lines, T first, const T* in, T* out) {
  const int64_t elements = lines.outer * lines.length * lines.inner;
  if (lines.inner == 1) {
    const int64_t blocks = (lines.outer + kRows - 1) / kRows;
    run_tasks(blocks, elements, [&](int64_t block) {
      const int64_t begin = block * kRows, end = std::min(begin + kRows, lines.outer);
      if (end - begin == kRows) {
        run_rows<T, S, kRows>(lines, first, in + begin * lines.length, out + begin * lines.length);
        return;
      }
      for (int64_t row = begin; row < end; ++row)
        run_rows<T, S, 1>(lines, first, in + row * lines.length, out + row * lines.length);
    });
    return;
  }
  const int64_t blocks = (lines.inner + kMaxLanes - 1) / kMaxLanes;
  run_tasks(lines.outer * blocks, elements, [&](int64_t task) {
    const int64_t begin = task % blocks * kMaxLanes, at = task / blocks * lines.length * lines.inner + begin;
    run_lanes<T, S>(lines, std::min(kMaxLanes, lines.inner - begin), first, in + at, out + at);
  });
}

class CumulativeHero final : public Hero {
 public:
  CumulativeHero(Lines lines, bool is_short, ElementType type, hlo::ReducerKind kind)
      : lines_(lines), is_short_(is_short), type_(type), kind_(kind) {}

  Status run(void* const* buffers, const CallContext&) const override {
    const bool known = visit_reducer_of(kind_, type_, [&]<typename T, typename Reducer>() {
      const auto run = is_short_ ? run_all<T, State<T, Reducer, true>> : run_all<T, State<T, Reducer, false>>;
      run(lines_, *static_cast<const T*>(buffers[1]), static_cast<const T*>(buffers[0]), static_cast<T*>(buffers[2]));
    });
    return known ? ok_status() : internal_error("cumulative: unknown reducer");
  }

 private:
  Lines lines_;
  bool is_short_;
  ElementType type_;
  hlo::ReducerKind kind_;
};

/// Any reducer of n arrays, as a compiled function of scalars; line by line.
class CompiledCumulativeHero final : public Hero {
 public:
  CompiledCumulativeHero(Lines lines, std::vector<size_t> widths, ScalarFunction body)
      : lines_(lines), widths_(std::move(widths)), body_(body) {}

  Status run(void* const* buffers, const CallContext&) const override {
    const int64_t count = lines_.outer * lines_.inner;
    run_tasks(count, count * lines_.length, [&](int64_t line) {
      run_line(buffers, line / lines_.inner * lines_.length * lines_.inner + line % lines_.inner);
    });
    return ok_status();
  }

 private:
  /// The accumulators of a step are the results of the previous one.
  void run_line(void* const* buffers, int64_t begin) const {
    const uint32_t* const word = polled_word(stop_word());  // the body may have a loop
    const size_t n = widths_.size();
    std::vector<const void*> arguments(2 * n);
    std::vector<void*> results(n);
    for (size_t k = 0; k < n; ++k) arguments[k] = buffers[n + k];
    const StopFlag stop;
    for (int64_t i = 0; i < lines_.length; ++i) {
      if (i % kPollInterval == 0 && stop.raised()) return;
      const int64_t at = begin + (lines_.reverse ? lines_.length - 1 - i : i) * lines_.inner;
      for (size_t k = 0; k < n; ++k) {
        arguments[n + k] = static_cast<const std::byte*>(buffers[k]) + static_cast<size_t>(at) * widths_[k];
        results[k] = static_cast<std::byte*>(buffers[2 * n + k]) + static_cast<size_t>(at) * widths_[k];
      }
      body_(arguments.data(), results.data(), word);
      for (size_t k = 0; k < n; ++k) arguments[k] = results[k];
    }
  }

  Lines lines_;
  std::vector<size_t> widths_;
  ScalarFunction body_;
};

}  // namespace

StatusOr<std::unique_ptr<Hero>> make_cumulative_hero(const HeroRequest& request) {
  const std::span<const Shape> operands = request.problem.operands;
  const auto& a = hlo::attributes_of<hlo::ReduceWindowAttributes>(request.problem.instruction);
  const std::optional<hlo::Cumulative> c = hlo::cumulative_of(a.window, operands[0].dimensions());
  if (!c) return std::unique_ptr<Hero>();
  const Lines lines = lines_of(*c, operands[0]);
  const ElementType type = operands[0].element_type();
  const hlo::ReducerKind kind = a.to_apply->reducer_kind();
  if (operands.size() == 2 && has_reducer(kind, type))
    return std::unique_ptr<Hero>(std::make_unique<CumulativeHero>(lines, hlo::is_short_window(a.window), type, kind));
  if (!engine::is_scalar_function(*a.to_apply)) return std::unique_ptr<Hero>();
  HILO_ASSIGN_OR_RETURN(const ScalarFunction body, request.code.scalar_program(*a.to_apply));
  std::vector<size_t> widths;
  for (const Shape& s : operands.first(operands.size() / 2)) widths.push_back(element_size_bytes(s.element_type()));
  return std::unique_ptr<Hero>(std::make_unique<CompiledCumulativeHero>(lines, std::move(widths), body));
}

}  // namespace hilo::cpu
