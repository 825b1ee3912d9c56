// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/reducer_kind.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/types/twins.h"

namespace hilo::hlo {
namespace {

constexpr std::pair<Opcode, ReducerKind> kKinds[] = {
    {Opcode::kAdd, ReducerKind::kAdd},         {Opcode::kMultiply, ReducerKind::kMultiply},
    {Opcode::kMaximum, ReducerKind::kMaximum}, {Opcode::kMinimum, ReducerKind::kMinimum},
    {Opcode::kAnd, ReducerKind::kAnd},         {Opcode::kOr, ReducerKind::kOr},
    {Opcode::kXor, ReducerKind::kXor}};

/// Returns whether `id` is the parameter `number`.
bool is_parameter(const Computation& body, InstructionId id, int64_t number) {
  const Instruction& i = body.instruction(id);
  return i.opcode == Opcode::kParameter && parameter_number(i) == number;
}

bool compares(const Computation& body, InstructionId id, ComparisonDirection direction, int64_t left, int64_t right) {
  const Instruction& i = body.instruction(id);
  return i.opcode == Opcode::kCompare && attributes_of<CompareAttributes>(i).direction == direction &&
         attributes_of<CompareAttributes>(i).type != ComparisonType::kTotalOrder &&
         is_parameter(body, i.operands[0], left) && is_parameter(body, i.operands[1], right);
}

bool is_binary(const Computation& body, InstructionId id, Opcode opcode) {
  return body.instruction(id).opcode == opcode;
}

/// Recognizes JAX's argmax body over (value a, index i, value b, index j):
///   keep = a > b | a != a;  keep_index = keep | (a == b & i < j);  (select(keep, a, b), select(keep_index, i, j))
ReducerKind arg_reducer_kind(const Computation& body) {
  const Instruction& root = body.root();
  const Instruction& value = body.instruction(root.operands[0]);
  const Instruction& index = body.instruction(root.operands[1]);
  if (value.opcode != Opcode::kSelect || index.opcode != Opcode::kSelect) return ReducerKind::kGeneric;
  if (!is_parameter(body, value.operands[1], 0) || !is_parameter(body, value.operands[2], 2) ||
      !is_parameter(body, index.operands[1], 1) || !is_parameter(body, index.operands[2], 3)) {
    return ReducerKind::kGeneric;
  }
  const InstructionId keep = value.operands[0];
  const InstructionId keep_index = index.operands[0];
  if (!is_binary(body, keep, Opcode::kOr) || !is_binary(body, keep_index, Opcode::kOr)) return ReducerKind::kGeneric;
  const Instruction& keep_or = body.instruction(keep);
  const Instruction& index_or = body.instruction(keep_index);
  const Instruction& tie = body.instruction(index_or.operands[1]);
  if (index_or.operands[0] != keep || tie.opcode != Opcode::kAnd ||
      !compares(body, tie.operands[0], ComparisonDirection::kEq, 0, 2) ||
      !compares(body, tie.operands[1], ComparisonDirection::kLt, 1, 3) ||
      !compares(body, keep_or.operands[1], ComparisonDirection::kNe, 0, 0)) {
    return ReducerKind::kGeneric;
  }
  if (compares(body, keep_or.operands[0], ComparisonDirection::kGt, 0, 2)) return ReducerKind::kArgMax;
  if (compares(body, keep_or.operands[0], ComparisonDirection::kLt, 0, 2)) return ReducerKind::kArgMin;
  return ReducerKind::kGeneric;
}

/// Returns the lowest (-inf) or highest value of an ordered type.
template <typename T>
T extreme(bool least) {
  if constexpr (is_integral_element<T>) {
    return least ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  } else {
    float bound = std::numeric_limits<float>::infinity();
    if constexpr (is_narrow_float_twin<T>) {
      // Types with the suffix fn have no infinity: their largest value bounds all others.
      if (T::kFormat.specials != Specials::kIeee) bound = narrow_largest(T::kFormat);
      if (T::kFormat.specials == Specials::kUnsigned && least) return static_cast<T>(narrow_value(T::kFormat, 0));
    }
    return static_cast<T>(least ? -bound : bound);
  }
}

template <typename T>
std::optional<Literal> neutral(ReducerKind kind) {
  constexpr bool kComplex = is_complex(element_type_of<T>);
  switch (kind) {
    case ReducerKind::kAdd:
      if constexpr (std::is_same_v<T, float8_e8m0fnu>) break;  // it has no zero
      return filled(Shape::scalar(element_type_of<T>), -0.0);
    case ReducerKind::kMultiply: return filled(Shape::scalar(element_type_of<T>), 1);
    case ReducerKind::kMaximum:
    case ReducerKind::kMinimum:
      if constexpr (!kComplex) return Literal::scalar(extreme<T>(kind == ReducerKind::kMaximum));
      break;
    case ReducerKind::kAnd:
      if constexpr (is_signed_element<T>) return Literal::scalar(static_cast<T>(-1));
      else if constexpr (is_integral_element<T>) return Literal::scalar(std::numeric_limits<T>::max());
      break;
    case ReducerKind::kOr:
    case ReducerKind::kXor: return Literal(Shape::scalar(element_type_of<T>));
    case ReducerKind::kArgMax:
    case ReducerKind::kArgMin:
    case ReducerKind::kGeneric: break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Literal> neutral_value(ReducerKind kind, ElementType type) {
  return visit_array_type(
      type, [&]<typename T>() { return neutral<T>(kind); }, []() -> std::optional<Literal> { return std::nullopt; });
}

int64_t parameter_number(const Instruction& parameter) { return attributes_of<ParameterAttributes>(parameter).number; }

std::optional<Opcode> opcode_of(ReducerKind kind) {
  const auto* const known = std::ranges::find(kKinds, kind, &std::pair<Opcode, ReducerKind>::second);
  return known == std::end(kKinds) ? std::nullopt : std::optional(known->first);
}

ReducerKind reducer_kind_of(const Computation& body) {
  const Instruction& root = body.root();
  if (body.parameter_count() == 4 && root.opcode == Opcode::kTuple && root.operands.size() == 2)
    return arg_reducer_kind(body);
  if (body.parameter_count() != 2 || body.size() != 3 || root.operands.size() != 2) return ReducerKind::kGeneric;
  const bool in_order = is_parameter(body, root.operands[0], 0) && is_parameter(body, root.operands[1], 1);
  const bool swapped = is_parameter(body, root.operands[0], 1) && is_parameter(body, root.operands[1], 0);
  if (!in_order && !swapped) return ReducerKind::kGeneric;
  const auto* const known = std::ranges::find(kKinds, root.opcode, &std::pair<Opcode, ReducerKind>::first);
  return known == std::end(kKinds) ? ReducerKind::kGeneric : known->second;
}

}  // namespace hilo::hlo
