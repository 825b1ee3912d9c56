// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/reduce/reduce_window.cc -- windows that passes don't expand and that aren't running reductions:
// large ones, and reducers of several arrays.
#include "hilo/hlo/ops/reduce_window.h"

#include <complex>
#include <cstring>

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/backend/cpu/library/reduce/reducers.h"
#include "hilo/backend/cpu/library/reduce/window_plan.h"
#include "hilo/engine/scalar_program.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kMaxLanes = 512;
constexpr int64_t kWindowMostParts = 64;

/// Returns the number of ranges into which positions are split.
int64_t parts_of(const WindowPlan& plan) {
  double work = static_cast<double>(plan.batches) * static_cast<double>(plan.positions() * plan.lanes);
  for (int64_t size : plan.window_sizes) work *= static_cast<double>(size);
  const bool worth = worth_forking(work_ns(kCpuCosts.library.combined, work));
  return worth ? std::min(plan.batches * plan.positions(), kWindowMostParts) : 1;
}

template <typename T, typename Reducer, bool kShort>
void reduce_lanes(const WindowPlan& plan, std::span<const int64_t> position, T initial, const T* in, T* out) {
  using State = typename StateOf<T, Reducer, kShort>::Type;
  State running[kMaxLanes];
  for (int64_t begin = 0; begin < plan.lanes; begin += kMaxLanes) {
    const int64_t count = std::min(kMaxLanes, plan.lanes - begin);
    std::fill_n(running, count, State(initial));
    for_each_source(plan, position, 0, begin, [&](int64_t at) {
      const T* __restrict from = in + at;
      for (int64_t k = 0; k < count; ++k) running[k].take(from[k]);
    });
    for (int64_t k = 0; k < count; ++k) out[begin + k] = running[k].value();
  }
}

class ReduceWindowHero final : public Hero {
 public:
  ReduceWindowHero(WindowPlan plan, bool is_short, ElementType type, hlo::ReducerKind kind)
      : plan_(std::move(plan)), is_short_(is_short), type_(type), kind_(kind) {}

  Status run(void* const* buffers, const CallContext&) const override {
    const bool known = visit_reducer_of(kind_, type_, [&]<typename T, typename Reducer>() {
      run_as<T, Reducer>(static_cast<const T*>(buffers[0]), *static_cast<const T*>(buffers[1]),
                         static_cast<T*>(buffers[2]));
    });
    return known ? ok_status() : internal_error("reduce-window: unknown reducer");
  }

 private:
  template <typename T, typename Reducer>
  void run_as(const T* in, T initial, T* out) const {
    const int64_t positions = plan_.positions();
    const auto reduce = is_short_ ? reduce_lanes<T, Reducer, true> : reduce_lanes<T, Reducer, false>;
    in_parts(plan_.batches * positions, parts_of(plan_), [&](int64_t begin, int64_t end) {
      std::vector<int64_t> position(plan_.counts.size());
      const StopFlag stop;
      for (int64_t i = begin; i < end && !stop.raised(); ++i) {
        const int64_t batch = i / positions;
        position_at(plan_.counts, i % positions, position);
        reduce(plan_, position, initial, in + batch * plan_.array_batch, out + i * plan_.lanes);
      }
    });
  }

  WindowPlan plan_;
  bool is_short_;
  ElementType type_;
  hlo::ReducerKind kind_;
};

/// Any reducer of n arrays, as a compiled function of scalars.
class CompiledReduceWindowHero final : public Hero {
 public:
  CompiledReduceWindowHero(WindowPlan plan, std::vector<size_t> widths, ScalarFunction body)
      : plan_(std::move(plan)), widths_(std::move(widths)), body_(body) {}

  Status run(void* const* buffers, const CallContext&) const override {
    const int64_t positions = plan_.positions();
    in_parts(plan_.batches * positions, parts_of(plan_), [&](int64_t begin, int64_t end) {
      std::vector<int64_t> position(plan_.counts.size()), offsets;
      Accumulators accumulators(widths_.size());
      const StopFlag stop;
      for (int64_t i = begin; i < end && !stop.raised(); ++i) {
        position_at(plan_.counts, i % positions, position);
        list_sources(plan_, position, offsets);
        for (int64_t lane = 0; lane < plan_.lanes; ++lane) {
          accumulators.reduce(*this, buffers, offsets, i / positions * plan_.array_batch + lane,
                              i * plan_.lanes + lane);
        }
      }
    });
    return ok_status();
  }

 private:
  /// The accumulators of one window, which pass from one call of the body to the next, and to the result.
  class Accumulators {
   public:
    explicit Accumulators(size_t n) : sums_(2 * n), arguments_(2 * n), results_(n) {}

    void reduce(const CompiledReduceWindowHero& hero, void* const* buffers, std::span<const int64_t> offsets,
                int64_t from, int64_t to) {
      const uint32_t* const word = polled_word(stop_word());  // the body may have a loop
      const size_t n = hero.widths_.size();
      size_t now = 0;  // the half that contains the sums
      for (size_t k = 0; k < n; ++k) std::memcpy(&sums_[k], buffers[n + k], hero.widths_[k]);
      for (const int64_t offset : offsets) {
        for (size_t k = 0; k < n; ++k) {
          arguments_[k] = &sums_[now + k];
          results_[k] = &sums_[n - now + k];
          arguments_[n + k] =
              static_cast<const std::byte*>(buffers[k]) + static_cast<size_t>(from + offset) * hero.widths_[k];
        }
        hero.body_(arguments_.data(), results_.data(), word);
        now = n - now;
      }
      for (size_t k = 0; k < n; ++k) {
        std::memcpy(static_cast<std::byte*>(buffers[2 * n + k]) + static_cast<size_t>(to) * hero.widths_[k],
                    &sums_[now + k], hero.widths_[k]);
      }
    }

   private:
    std::vector<std::complex<double>> sums_;  ///< twice n, as wide as any element
    std::vector<const void*> arguments_;
    std::vector<void*> results_;
  };

  WindowPlan plan_;
  std::vector<size_t> widths_;
  ScalarFunction body_;
};

}  // namespace

StatusOr<std::unique_ptr<Hero>> make_reduce_window_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  const auto& a = hlo::attributes_of<hlo::ReduceWindowAttributes>(instruction);
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Hero> cumulative, make_cumulative_hero(request));
  if (cumulative != nullptr) return cumulative;
  WindowPlan plan = window_plan(a.window, operands[0].dimensions(), results[0].dimensions());
  const ElementType type = operands[0].element_type();
  const hlo::ReducerKind kind = a.to_apply->reducer_kind();
  if (operands.size() == 2 && has_reducer(kind, type))
    return std::unique_ptr<Hero>(
        std::make_unique<ReduceWindowHero>(std::move(plan), hlo::is_short_window(a.window), type, kind));
  if (!engine::is_scalar_function(*a.to_apply)) return std::unique_ptr<Hero>();
  std::vector<size_t> widths;
  for (const Shape& s : results) widths.push_back(element_size_bytes(s.element_type()));
  HILO_ASSIGN_OR_RETURN(const ScalarFunction body, request.code.scalar_program(*a.to_apply));
  return std::unique_ptr<Hero>(std::make_unique<CompiledReduceWindowHero>(std::move(plan), std::move(widths), body));
}

}  // namespace hilo::cpu
