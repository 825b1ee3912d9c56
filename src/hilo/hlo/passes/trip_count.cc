// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/trip_count.h"

#include <limits>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/types/twins.h"

namespace hilo::hlo {
namespace {

using Wide = __int128;  // holds every value of every integer type and their differences
constexpr int64_t kWholeCarry = -1;

const Instruction& through_copies(const Computation& c, InstructionId id) {
  const Instruction* i = &c.instruction(id);
  while (i->opcode == Opcode::kCopy) i = &c.instruction(i->operands[0]);
  return *i;
}

std::optional<Wide> scalar_integer(const Instruction& i) {
  if (i.opcode != Opcode::kConstant || !i.shape.is_scalar()) return std::nullopt;
  const Literal& value = attributes_of<ConstantAttributes>(i).value;
  return visit_array_type(
      i.shape.element_type(),
      [&]<typename T>() -> std::optional<Wide> {
        if constexpr (is_integral_element<T>) return Wide(value.data<T>()[0]);
        else return std::nullopt;
      },
      []() -> std::optional<Wide> { return std::nullopt; });
}

/// Returns which element of the carry an instruction of the body or condition reads, if any.
std::optional<int64_t> carry_element(const Computation& c, const Instruction& i) {
  if (i.opcode == Opcode::kParameter && i.shape.is_array()) return kWholeCarry;
  if (i.opcode != Opcode::kGetTupleElement || c.instruction(i.operands[0]).opcode != Opcode::kParameter)
    return std::nullopt;
  return attributes_of<GetTupleElementAttributes>(i).index;
}

/// Returns element `index` of the carry that `root` computes.
const Instruction* element_of(const Computation& c, InstructionId root, int64_t index) {
  const Instruction& i = through_copies(c, root);
  if (index == kWholeCarry) return &i;
  return i.opcode == Opcode::kTuple ? &through_copies(c, i.operands[index]) : nullptr;
}

struct LoopView {
  const Computation& outside;
  const Instruction& loop;
  const Computation& condition;
  const Computation& body;

  std::optional<Wide> initial_value(int64_t index) const {
    const Instruction* init = element_of(outside, loop.operands[0], index);
    return init == nullptr ? std::nullopt : scalar_integer(*init);
  }
  /// Returns the value of a constant of the condition, or of a carry that starts as a constant and never changes.
  std::optional<Wide> bound(const Instruction& i) const {
    if (const auto value = scalar_integer(i)) return value;
    const std::optional<int64_t> index = carry_element(condition, i);
    if (!index) return std::nullopt;
    const Instruction* next = element_of(body, body.root_id(), *index);
    if (next == nullptr || carry_element(body, *next) != index) return std::nullopt;
    return initial_value(*index);
  }
  /// Returns the number that every iteration adds to element `index`.
  std::optional<Wide> step(int64_t index) const {
    const Instruction* next = element_of(body, body.root_id(), index);
    if (next == nullptr || (next->opcode != Opcode::kAdd && next->opcode != Opcode::kSubtract)) return std::nullopt;
    const Instruction& x = through_copies(body, next->operands[0]);
    const Instruction& y = through_copies(body, next->operands[1]);
    if (carry_element(body, x) == index) {
      const std::optional<Wide> value = scalar_integer(y);
      return value && next->opcode == Opcode::kSubtract ? std::optional(-*value) : value;
    }
    return next->opcode == Opcode::kAdd && carry_element(body, y) == index ? scalar_integer(x) : std::nullopt;
  }
};

ComparisonDirection mirrored(ComparisonDirection d) {
  switch (d) {
    case ComparisonDirection::kGe: return ComparisonDirection::kLe;
    case ComparisonDirection::kGt: return ComparisonDirection::kLt;
    case ComparisonDirection::kLe: return ComparisonDirection::kGe;
    case ComparisonDirection::kLt: return ComparisonDirection::kGt;
    case ComparisonDirection::kEq:
    case ComparisonDirection::kNe: return d;
  }
  return d;
}

/// Returns the smallest n >= 0 for which `start + n step d bound` is false, ignoring the width of the type.
std::optional<Wide> count_steps(ComparisonDirection d, Wide start, Wide step, Wide bound) {
  if (!holds(d, start, bound)) return 0;
  const Wide distance = bound - start;
  switch (d) {
    case ComparisonDirection::kEq: return step != 0 ? std::optional<Wide>(1) : std::nullopt;
    case ComparisonDirection::kNe:
      return step != 0 && distance % step == 0 && distance / step > 0 ? std::optional(distance / step) : std::nullopt;
    case ComparisonDirection::kLt: return step > 0 ? std::optional((distance + step - 1) / step) : std::nullopt;
    case ComparisonDirection::kLe: return step > 0 ? std::optional(distance / step + 1) : std::nullopt;
    case ComparisonDirection::kGt: return step < 0 ? std::optional((distance + step + 1) / step) : std::nullopt;
    case ComparisonDirection::kGe: return step < 0 ? std::optional(distance / step + 1) : std::nullopt;
  }
  return std::nullopt;
}

bool fits(ElementType type, Wide value) {
  return visit_array_type(
      type,
      [&]<typename T>() {
        if constexpr (is_integral_element<T>)
          return value >= Wide(std::numeric_limits<T>::lowest()) && value <= Wide(std::numeric_limits<T>::max());
        else return false;
      },
      [] { return false; });
}

bool fits_int64(Wide value) { return value >= INT64_MIN && value <= INT64_MAX; }

}  // namespace

std::optional<CountedLoop> counted_loop(const Instruction& loop, const Computation& computation) {
  const auto& attributes = attributes_of<WhileAttributes>(loop);
  const LoopView view{computation, loop, *attributes.condition, *attributes.body};
  const Instruction& test = through_copies(view.condition, view.condition.root_id());
  if (test.opcode != Opcode::kCompare) return std::nullopt;
  ComparisonDirection direction = attributes_of<CompareAttributes>(test).direction;
  const Instruction* counter = &through_copies(view.condition, test.operands[0]);
  const Instruction* limit = &through_copies(view.condition, test.operands[1]);
  const auto steps = [&](const Instruction& i) {
    const std::optional<int64_t> index = carry_element(view.condition, i);
    return index ? view.step(*index) : std::nullopt;
  };
  if (!steps(*counter)) {
    std::swap(counter, limit);
    direction = mirrored(direction);
  }
  const std::optional<Wide> step = steps(*counter), bound = view.bound(*limit);
  if (!step || !bound) return std::nullopt;
  const int64_t index = *carry_element(view.condition, *counter);
  const std::optional<Wide> start = view.initial_value(index);
  if (!start) return std::nullopt;
  const std::optional<Wide> count = count_steps(direction, *start, *step, *bound);
  // The counter takes every value up to start + count step; out of the type's range it would wrap around.
  if (!count || !fits(counter->shape.element_type(), *start + *count * *step)) return std::nullopt;
  if (!fits_int64(*count) || !fits_int64(*start) || !fits_int64(*step)) return std::nullopt;
  return CountedLoop{index, static_cast<int64_t>(*start), static_cast<int64_t>(*step), static_cast<int64_t>(*count)};
}

std::optional<int64_t> trip_count(const Instruction& loop, const Computation& computation) {
  const Computation& condition = *attributes_of<WhileAttributes>(loop).condition;
  if (const auto value = scalar_integer(condition.root()); value && *value == 0) return 0;
  const std::optional<CountedLoop> counted = counted_loop(loop, computation);
  return counted ? std::optional(counted->trip_count) : std::nullopt;
}

}  // namespace hilo::hlo
