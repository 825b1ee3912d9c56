// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/reduce/select_and_scatter.cc -- the gradient of max and min pooling. Finds per window the
// position of the selected element for all lanes at once, then adds once per lane. Batches run in parallel. Windows of
// one batch run in order, so equal positions give the same bits in every run.
#include "hilo/hlo/ops/select_and_scatter.h"

#include <complex>
#include <cstring>

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/backend/cpu/library/reduce/reducers.h"
#include "hilo/backend/cpu/library/reduce/window_plan.h"
#include "hilo/engine/scalar_program.h"
#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/elementwise.h"

namespace hilo::cpu {
namespace {

using hlo::ComparisonDirection;

constexpr int64_t kSelectMostLanes = 512;

int64_t parts_of(const WindowPlan& plan) {
  const double work = work_ns(kCpuCosts.library.selected, plan.batches * plan.array_batch);
  return worth_forking(work) ? plan.batches : 1;
}

// The selected element stays if Select::stays(chosen, next).
struct GreaterOrEqual {
  template <typename T>
  static bool stays(T chosen, T next) {
    return chosen >= next;
  }
};
struct Greater {
  template <typename T>
  static bool stays(T chosen, T next) {
    return chosen > next;
  }
};
struct LessOrEqual {
  template <typename T>
  static bool stays(T chosen, T next) {
    return chosen <= next;
  }
};
struct Less {
  template <typename T>
  static bool stays(T chosen, T next) {
    return chosen < next;
  }
};

/// The position of the selected element of each lane. It is as wide as the elements, so that a selection is one vector
/// operation.
template <typename T>
using PlaceOf = std::conditional_t<sizeof(ReducedIn<T>) == 8, int64_t, int32_t>;

template <typename T, typename Select>
void scatter_one(const WindowPlan& plan, std::span<const int64_t> position, const T* in, const T* source, T* out) {
  using A = ReducedIn<T>;
  A chosen[kSelectMostLanes];
  PlaceOf<T> places[kSelectMostLanes];
  for (int64_t begin = 0; begin < plan.lanes; begin += kSelectMostLanes) {
    const int64_t count = std::min(kSelectMostLanes, plan.lanes - begin);
    bool any = false;
    for_each_source(plan, position, 0, begin, [&](int64_t at) {
      const T* __restrict from = in + at;
      const auto place = static_cast<PlaceOf<T>>(at);
      if (!any) {
        for (int64_t k = 0; k < count; ++k) chosen[k] = static_cast<A>(from[k]);
        std::fill_n(places, count, place);
        any = true;
        return;
      }
      for (int64_t k = 0; k < count; ++k) {
        const A next = static_cast<A>(from[k]);
        const bool stays = Select::stays(chosen[k], next);
        chosen[k] = stays ? chosen[k] : next;
        places[k] = stays ? places[k] : place;
      }
    });
    if (!any) continue;
    for (int64_t k = 0; k < count; ++k) {
      T& to = out[static_cast<int64_t>(places[k]) + k];
      to = static_cast<T>(AddReducer::apply(static_cast<A>(to), static_cast<A>(source[begin + k])));
    }
  }
}

template <typename T, typename Select>
void run_as(const WindowPlan& plan, void* const* buffers) {
  const auto* in = static_cast<const T*>(buffers[0]);
  const auto* source = static_cast<const T*>(buffers[1]);
  const T initial = *static_cast<const T*>(buffers[2]);
  auto* out = static_cast<T*>(buffers[3]);
  const auto one = [&](int64_t batch) {
    T* const to = out + batch * plan.array_batch;
    std::fill_n(to, plan.array_batch, initial);
    const int64_t positions = plan.positions();
    if (positions == 0) return;
    std::vector<int64_t> position(plan.counts.size(), 0);
    const T* from = source + batch * plan.result_batch;
    const StopFlag stop;
    do {
      if (stop.raised()) return;
      scatter_one<T, Select>(plan, position, in + batch * plan.array_batch, from, to);
      from += plan.lanes;
    } while (hlo::next_index(plan.counts, position));
  };
  each_in_parts(plan.batches, parts_of(plan), one);
}

template <typename T>
void run_order(const WindowPlan& plan, ComparisonDirection order, void* const* buffers) {
  switch (order) {
    case ComparisonDirection::kGe: return run_as<T, GreaterOrEqual>(plan, buffers);
    case ComparisonDirection::kGt: return run_as<T, Greater>(plan, buffers);
    case ComparisonDirection::kLe: return run_as<T, LessOrEqual>(plan, buffers);
    case ComparisonDirection::kLt: return run_as<T, Less>(plan, buffers);
    case ComparisonDirection::kEq:
    case ComparisonDirection::kNe: return;  // plain_order excludes it
  }
}

class SelectAndScatterHero final : public Hero {
 public:
  SelectAndScatterHero(WindowPlan plan, ElementType type, ComparisonDirection order)
      : plan_(std::move(plan)), type_(type), order_(order) {}

  Status run(void* const* buffers, const CallContext&) const override {
    return visit_element_type(
        type_,
        [&]<typename T>() -> Status {
          if constexpr (is_complex(element_type_of<T>)) {
            return internal_error("select-and-scatter: element type");
          } else {
            run_order<T>(plan_, order_, buffers);
            return ok_status();
          }
        },
        [] { return internal_error("select-and-scatter: element type"); });
  }

 private:
  WindowPlan plan_;
  ElementType type_;
  ComparisonDirection order_;
};

/// Any selection and any combination, as compiled functions of scalars.
class CompiledSelectAndScatterHero final : public Hero {
 public:
  CompiledSelectAndScatterHero(WindowPlan plan, size_t width, ScalarFunction select, ScalarFunction scatter)
      : plan_(std::move(plan)), width_(width), select_(select), scatter_(scatter) {}

  Status run(void* const* buffers, const CallContext&) const override {
    const auto batch = [&](int64_t b) {
      auto* const out = static_cast<std::byte*>(buffers[3]) + bytes(b * plan_.array_batch);
      for (int64_t i = 0; i < plan_.array_batch; ++i) std::memcpy(out + bytes(i), buffers[2], width_);
      if (plan_.positions() == 0) return;
      const auto* const in = static_cast<const std::byte*>(buffers[0]) + bytes(b * plan_.array_batch);
      const auto* source = static_cast<const std::byte*>(buffers[1]) + bytes(b * plan_.result_batch);
      std::vector<int64_t> position(plan_.counts.size(), 0), offsets;
      const StopFlag stop;
      do {
        if (stop.raised()) return;
        list_sources(plan_, position, offsets);
        for (int64_t lane = 0; lane < plan_.lanes; ++lane, source += width_)
          scatter_one(offsets, bytes(lane), in, source, out);
      } while (hlo::next_index(plan_.counts, position));
    };
    each_in_parts(plan_.batches, parts_of(plan_), batch);
    return ok_status();
  }

 private:
  size_t bytes(int64_t elements) const { return static_cast<size_t>(elements) * width_; }

  void scatter_one(std::span<const int64_t> offsets, size_t lane, const std::byte* in, const std::byte* source,
                   std::byte* out) const {
    if (offsets.empty()) return;
    const uint32_t* const word = polled_word(stop_word());  // the functions may have loops
    size_t chosen = lane + bytes(offsets[0]);
    for (const int64_t offset : offsets.subspan(1)) {
      const size_t at = lane + bytes(offset);
      uint8_t stays = 0;
      const void* const arguments[] = {in + chosen, in + at};
      void* result = &stays;
      select_(arguments, &result, word);
      chosen = stays != 0 ? chosen : at;
    }
    void* to = out + chosen;
    alignas(16) std::byte before[sizeof(std::complex<double>)];  // as wide as any element
    std::memcpy(before, to, width_);
    const void* const arguments[] = {before, source};
    scatter_(arguments, &to, word);
  }

  WindowPlan plan_;
  size_t width_;
  ScalarFunction select_, scatter_;
};

}  // namespace

StatusOr<std::unique_ptr<Hero>> make_select_and_scatter_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  const auto& a = hlo::attributes_of<hlo::SelectAndScatterAttributes>(instruction);
  const std::optional<ComparisonDirection> order = hlo::plain_order(*a.select);
  const ElementType type = operands[0].element_type();
  WindowPlan plan = window_plan(a.window, operands[0].dimensions(), operands[1].dimensions());
  const bool is_plain = order && a.scatter->reducer_kind() == hlo::ReducerKind::kAdd && !is_complex(type) &&
                        has_reducer(hlo::ReducerKind::kAdd, type) && plan.array_batch <= INT32_MAX;
  if (is_plain) return std::unique_ptr<Hero>(std::make_unique<SelectAndScatterHero>(std::move(plan), type, *order));
  if (!engine::is_scalar_function(*a.select) || !engine::is_scalar_function(*a.scatter)) return std::unique_ptr<Hero>();
  HILO_ASSIGN_OR_RETURN(const ScalarFunction select, request.code.scalar_program(*a.select));
  HILO_ASSIGN_OR_RETURN(const ScalarFunction scatter, request.code.scalar_program(*a.scatter));
  const size_t width = element_size_bytes(type);
  return std::unique_ptr<Hero>(std::make_unique<CompiledSelectAndScatterHero>(std::move(plan), width, select, scatter));
}

}  // namespace hilo::cpu
