// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/select_and_scatter.h"

#include <algorithm>
#include <cstring>

#include "hilo/backend/cpu/abi/functions.h"
#include "hilo/backend/cpu/runtime/functions.h"
#include "hilo/backend/cpu/runtime/reducers.h"
#include "hilo/backend/cpu/runtime/widest.h"

namespace hilo::cpu::runtime {
namespace {

using hlo::ComparisonDirection;

constexpr int64_t kSelectMostLanes = 512;

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
void scatter_one(const Windows& windows, std::span<const SlidDimension> dimensions, std::span<const int64_t> position,
                 const Stop& stop, const T* in, const T* source, T* out) {
  using A = ReducedIn<T>;
  A chosen[kSelectMostLanes];
  PlaceOf<T> places[kSelectMostLanes];
  for (int64_t begin = 0; begin < windows.lanes; begin += kSelectMostLanes) {
    const int64_t count = std::min(kSelectMostLanes, windows.lanes - begin);
    bool any = false;
    for_each_source(dimensions, position, 0, begin, stop, [&](int64_t at) {
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

/// Advances to the next position, row-major. Returns false after the last one.
bool next_position(std::span<const SlidDimension> dimensions, std::span<int64_t> position) {
  for (size_t d = dimensions.size(); d-- > 0;) {
    if (++position[d] < dimensions[d].count) return true;
    position[d] = 0;
  }
  return false;
}

template <typename T, typename Select>
void run_as(const Call& call, const SelectAndScatterProblem& p, int64_t begin, int64_t end) {
  const std::span<const SlidDimension> dimensions = p.windows.dimensions.of(&p);
  const std::span<int64_t> position = Scratch(call).take<int64_t>(dimensions.size());
  const T initial = *static_cast<const T*>(call.buffers[2]);
  const Stop stop = stop_of(call);
  for (int64_t batch = begin; batch < end && !stop.raised(); ++batch) {
    T* const to = static_cast<T*>(call.buffers[3]) + batch * p.windows.array_batch;
    std::fill_n(to, p.windows.array_batch, initial);
    if (p.windows.positions == 0) continue;
    std::ranges::fill(position, 0);
    const T* const in = static_cast<const T*>(call.buffers[0]) + batch * p.windows.array_batch;
    const T* from = static_cast<const T*>(call.buffers[1]) + batch * p.windows.positions * p.windows.lanes;
    do {
      if (stop.raised()) return;
      scatter_one<T, Select>(p.windows, dimensions, position, stop, in, from, to);
      from += p.windows.lanes;
    } while (next_position(dimensions, position));
  }
}

template <typename T>
void run_order(const Call& call, const SelectAndScatterProblem& p, int64_t begin, int64_t end) {
  switch (p.order) {
    case ComparisonDirection::kGe: return run_as<T, GreaterOrEqual>(call, p, begin, end);
    case ComparisonDirection::kGt: return run_as<T, Greater>(call, p, begin, end);
    case ComparisonDirection::kLe: return run_as<T, LessOrEqual>(call, p, begin, end);
    case ComparisonDirection::kLt: return run_as<T, Less>(call, p, begin, end);
    case ComparisonDirection::kEq:
    case ComparisonDirection::kNe: return;  // plain_order excludes it
  }
}

/// Selects one of the elements at `offsets`, and combines the source with the result there.
void scatter_compiled(const Call& call, int64_t width, std::span<const int64_t> offsets, const std::byte* in,
                      const std::byte* source, std::byte* out) {
  const auto select = reinterpret_cast<ScalarFunction>(call.code[0]);
  const auto scatter = reinterpret_cast<ScalarFunction>(call.code[1]);
  if (offsets.empty()) return;
  int64_t chosen = offsets[0] * width;
  for (const int64_t offset : offsets.subspan(1)) {
    const int64_t at = offset * width;
    uint8_t stays = 0;
    const void* const arguments[] = {in + chosen, in + at};
    void* result = &stays;
    select(arguments, &result, call.stop);
    chosen = stays != 0 ? chosen : at;
  }
  void* to = out + chosen;
  Widest before;
  std::memcpy(&before, to, static_cast<size_t>(width));
  const void* const arguments[] = {&before, source};
  scatter(arguments, &to, call.stop);
}

}  // namespace

void hilo_rt_select_and_scatter(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<SelectAndScatterProblem>(*call);
  visit_element_type(
      p.type,
      [&]<typename T>() {
        if constexpr (!is_complex(element_type_of<T>)) run_order<T>(*call, p, begin, end);
      },
      [] {});
}

void hilo_rt_select_and_scatter_compiled(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<SelectAndScatterCompiledProblem>(*call);
  const std::span<const SlidDimension> dimensions = p.windows.dimensions.of(&p);
  Scratch scratch(*call);
  const std::span<int64_t> position = scratch.take<int64_t>(dimensions.size());
  const std::span<int64_t> offsets = scratch.take<int64_t>(static_cast<size_t>(p.windows.most_sources));
  const Stop stop = stop_of(*call);
  for (int64_t batch = begin; batch < end && !stop.raised(); ++batch) {
    const int64_t array_bytes = p.windows.array_batch * p.width;
    auto* const out = static_cast<std::byte*>(call->buffers[3]) + batch * array_bytes;
    for (int64_t i = 0; i < p.windows.array_batch; ++i)
      std::memcpy(out + i * p.width, call->buffers[2], static_cast<size_t>(p.width));
    if (p.windows.positions == 0) continue;
    const auto* const in = static_cast<const std::byte*>(call->buffers[0]) + batch * array_bytes;
    const auto* source =
        static_cast<const std::byte*>(call->buffers[1]) + batch * p.windows.positions * p.windows.lanes * p.width;
    std::ranges::fill(position, 0);
    do {
      if (stop.raised()) return;
      size_t count = 0;
      for_each_source(dimensions, position, 0, 0, stop, [&](int64_t at) { offsets[count++] = at; });
      for (int64_t lane = 0; lane < p.windows.lanes; ++lane, source += p.width)
        scatter_compiled(*call, p.width, offsets.first(count), in + lane * p.width, source, out + lane * p.width);
    } while (next_position(dimensions, position));
  }
}

}  // namespace hilo::cpu::runtime
