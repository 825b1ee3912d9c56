// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/element_operations.h"

#include <cmath>
#include <limits>
#include <utility>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::engine {

using hlo::attributes_of;
using hlo::InstructionId;
using hlo::kNoInstruction;
using hlo::Opcode;

namespace {

/// Returns the value of a constant; nullopt if it isn't one of a type that identities are for.
std::optional<double> number_of(const Expansion& x, InstructionId id) {
  if (x.builder.opcode(id) != Opcode::kConstant) return std::nullopt;
  const Literal& value = attributes_of<hlo::ConstantAttributes>(x.builder.node(id)).value;
  switch (value.shape().element_type()) {  // NOLINT: a partial list on purpose
    case ElementType::kF32: return value.data<float>()[0];
    case ElementType::kF64: return value.data<double>()[0];
    default: return std::nullopt;
  }
}

/// Whether the element is this number; the sign of zero counts.
bool is_number(Expansion& x, InstructionId id, double number) {
  const std::optional<double> known = known_number(x, id);
  return known && *known == number && std::signbit(*known) == std::signbit(number);
}
bool is_zero(Expansion& x, InstructionId id) { return known_number(x, id) == 0.0; }

InstructionId multiply_elements(Expansion& x, InstructionId a, InstructionId b, ElementType type) {
  if (is_zero(x, b) || is_number(x, b, 1)) std::swap(a, b);
  if (is_number(x, a, 1)) return b;
  if (x.options.guarded && is_zero(x, a) && !known_number(x, b)) {
    x.dropped.push_back(b);
    return zero_element(x, type);
  }
  const InstructionId operands[] = {a, b};
  return append(x, Opcode::kMultiply, operands, nullptr, type);
}

InstructionId subtract_elements(Expansion& x, InstructionId a, InstructionId b, ElementType type) {
  if (is_zero(x, b)) return a;
  if (is_zero(x, a)) return append(x, Opcode::kNegate, std::span(&b, 1), nullptr, type);
  const InstructionId operands[] = {a, b};
  return append(x, Opcode::kSubtract, operands, nullptr, type);
}

InstructionId negate_element(Expansion& x, InstructionId a, ElementType type) {
  if (x.builder.opcode(a) == Opcode::kNegate) return x.builder.node(a).operand(0);
  return append(x, Opcode::kNegate, std::span(&a, 1), nullptr, type);
}

}  // namespace

InstructionId fail(Expansion& x) {
  x.failed = true;
  return kNoInstruction;
}

InstructionId append(Expansion& x, Opcode opcode, std::span<const InstructionId> operands,
                     hlo::AttributesPtr attributes, ElementType type) {
  // Most additions may fold, and some of the others may turn out to be unused.
  const uint32_t most = x.options.max_operations;
  if (x.failed || ++x.work > 4 * most + 1000 || x.builder.size() > most + most / 2 + 1000) return fail(x);
  const InstructionId id = x.builder.add(opcode, operands, std::move(attributes), Shape::scalar(type));
  return id == kNoInstruction ? fail(x) : id;
}

InstructionId append_parameter(Expansion& x, const ElementPlace& place, ElementType type) {
  auto number = std::make_shared<hlo::ParameterAttributes>();
  number->number = std::ssize(x.line.parameters);
  x.line.parameters.push_back(place);
  return append(x, Opcode::kParameter, {}, std::move(number), type);
}

std::optional<double> known_number(Expansion& x, InstructionId id) {
  if (id == kNoInstruction) return std::nullopt;  // of an expansion that has failed
  while (x.numbers.size() <= id) x.numbers.push_back(number_of(x, static_cast<InstructionId>(x.numbers.size())));
  return x.numbers[id];
}

std::optional<int64_t> known_integer(const Expansion& x, InstructionId id) {
  if (x.builder.opcode(id) != Opcode::kConstant) return std::nullopt;
  const Literal& value = attributes_of<hlo::ConstantAttributes>(x.builder.node(id)).value;
  return visit_element_type(
      value.shape().element_type(),
      [&]<typename T>() -> std::optional<int64_t> {
        if constexpr (std::is_integral_v<T>) {
          const T number = value.data<T>()[0];
          if constexpr (std::is_same_v<T, uint64_t>) {
            if (number > std::numeric_limits<int64_t>::max()) return std::nullopt;
          }
          return static_cast<int64_t>(number);
        }
        return std::nullopt;
      },
      [] { return std::optional<int64_t>(); });
}

InstructionId zero_element(Expansion& x, ElementType type) {
  InstructionId& zero = x.zeros[type == ElementType::kF32 ? 0 : 1];
  if (zero == kNoInstruction)
    zero = x.builder.constant(type == ElementType::kF32 ? Literal::scalar(0.0f) : Literal::scalar(0.0));
  return zero;
}

InstructionId add_elements(Expansion& x, InstructionId a, InstructionId b, ElementType type) {
  if (is_zero(x, a)) return b;
  if (is_zero(x, b)) return a;
  const InstructionId operands[] = {a, b};
  return append(x, Opcode::kAdd, operands, nullptr, type);
}

InstructionId add_term(Expansion& x, InstructionId sum, InstructionId a, InstructionId b, ElementType type) {
  const bool is_plain =
      !is_zero(x, a) && !is_zero(x, b) && !is_number(x, a, 1) && !is_number(x, b, 1) && !is_zero(x, sum);
  if (!is_plain || !x.options.fused) return add_elements(x, sum, multiply_elements(x, a, b, type), type);
  const InstructionId operands[] = {a, b, sum};
  return append(x, hlo::kExtFma, operands, nullptr, type);
}

InstructionId sum_in_pairs(Expansion& x, std::vector<InstructionId> elements, ElementType type) {
  while (elements.size() > 1 && !x.failed) {
    for (size_t k = 0; k + 1 < elements.size(); k += 2)
      elements[k / 2] = add_elements(x, elements[k], elements[k + 1], type);
    if (elements.size() % 2 == 1) elements[elements.size() / 2] = elements.back();
    elements.resize((elements.size() + 1) / 2);
  }
  return x.failed ? kNoInstruction : elements[0];
}

InstructionId operate(Expansion& x, Opcode opcode, std::span<const InstructionId> operands,
                      const hlo::AttributesPtr& attributes, ElementType type) {
  if (type == ElementType::kF32 || type == ElementType::kF64) {
    if (opcode == Opcode::kMultiply) return multiply_elements(x, operands[0], operands[1], type);
    if (opcode == Opcode::kAdd) return add_elements(x, operands[0], operands[1], type);
    if (opcode == Opcode::kSubtract) return subtract_elements(x, operands[0], operands[1], type);
    if (opcode == Opcode::kNegate) return negate_element(x, operands[0], type);
    if (opcode == Opcode::kDivide && is_number(x, operands[1], 1)) return operands[0];
  }
  if (opcode == Opcode::kSelect && x.builder.opcode(operands[0]) == Opcode::kConstant) {
    const Literal& predicate = attributes_of<hlo::ConstantAttributes>(x.builder.node(operands[0])).value;
    return operands[predicate.data<bool>()[0] ? 1 : 2];
  }
  return append(x, opcode, operands, attributes, type);
}

}  // namespace hilo::engine
