// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/select_and_scatter.cc -- the gradient of pooling by extremes: per window the place of the chosen
// element, for all lanes at once, then one addition a lane. Batches run side by side; windows of one in order, so equal
// places give the same bits on every run.
#include "hilo/hlo/ops/select_and_scatter.h"
#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/backend/cpu/library/reducers.h"
#include "hilo/backend/cpu/library/window_plan.h"
#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/elementwise.h"

namespace hilo::cpu {
namespace {

using hlo::ComparisonDirection;

constexpr int64_t kMostLanes = 512;
constexpr int64_t kWorthForking = 1 << 14;  // compared elements

// The chosen element stays if Select::stays(chosen, next).
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

/// compare(p0, p1) by one of the four orders.
std::optional<ComparisonDirection> order_of(const hlo::Computation& select) {
  const hlo::Instruction& root = select.root();
  if (select.size() != 3 || root.opcode != hlo::Opcode::kCompare) return std::nullopt;
  const auto& a = hlo::attributes_of<hlo::CompareAttributes>(root);
  const auto is_parameter = [&](size_t operand, int64_t number) {
    const hlo::Instruction& i = select.instruction(root.operands[operand]);
    return i.opcode == hlo::Opcode::kParameter && hlo::parameter_number(i) == number;
  };
  if (!is_parameter(0, 0) || !is_parameter(1, 1) || a.type == hlo::ComparisonType::kTotalOrder) return std::nullopt;
  if (a.direction == ComparisonDirection::kEq || a.direction == ComparisonDirection::kNe) return std::nullopt;
  return a.direction;
}

/// The place of the chosen element of each lane. As wide as the elements, so that choosing is one vector operation.
template <typename T>
using PlaceOf = std::conditional_t<sizeof(ReducedIn<T>) == 8, int64_t, int32_t>;

template <typename T, typename Select>
void scatter_one(const WindowPlan& plan, std::span<const int64_t> position, const T* in, const T* source, T* out) {
  using A = ReducedIn<T>;
  A chosen[kMostLanes];
  PlaceOf<T> places[kMostLanes];
  for (int64_t begin = 0; begin < plan.lanes; begin += kMostLanes) {
    const int64_t count = std::min(kMostLanes, plan.lanes - begin);
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
  each_in_parts(plan.batches, plan.batches * plan.array_batch > kWorthForking ? plan.batches : 1, one);
}

template <typename T>
void run_order(const WindowPlan& plan, ComparisonDirection order, void* const* buffers) {
  switch (order) {
    case ComparisonDirection::kGe: return run_as<T, GreaterOrEqual>(plan, buffers);
    case ComparisonDirection::kGt: return run_as<T, Greater>(plan, buffers);
    case ComparisonDirection::kLe: return run_as<T, LessOrEqual>(plan, buffers);
    case ComparisonDirection::kLt: return run_as<T, Less>(plan, buffers);
    case ComparisonDirection::kEq:
    case ComparisonDirection::kNe: return;  // order_of lets none through
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

}  // namespace

std::unique_ptr<Hero> make_select_and_scatter_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  const auto& a = hlo::attributes_of<hlo::SelectAndScatterAttributes>(instruction);
  const std::optional<ComparisonDirection> order = order_of(*a.select);
  const ElementType type = operands[0].element_type();
  if (!order || a.scatter->reducer_kind() != hlo::ReducerKind::kAdd || is_complex(type) ||
      !has_reducer(hlo::ReducerKind::kAdd, type))
    return nullptr;
  WindowPlan plan = window_plan(a.window, operands[0].dimensions(), operands[1].dimensions());
  if (plan.array_batch > INT32_MAX) return nullptr;
  return std::make_unique<SelectAndScatterHero>(std::move(plan), type, *order);
}

}  // namespace hilo::cpu
