// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/appender.h"

#include <algorithm>

#include "hilo/hlo/ops/check_instruction.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::hlo::text {

const AttributeField& field_named(Opcode opcode, std::string_view name) {
  return *std::ranges::find(op_def(opcode).attributes.fields, name, &AttributeField::name);
}

StatusOr<InstructionId> Appender::add(Opcode opcode, std::span<const InstructionId> operands, AttributesPtr attributes,
                                      const std::optional<Shape>& declared) {
  std::vector<Shape> shapes;
  for (InstructionId operand : operands) shapes.push_back(shape(operand));
  HILO_ASSIGN_OR_RETURN(const Shape own, check_instruction(op_def(opcode), shapes, attributes.get(), declared));
  return draft_.append(opcode, own, operands, std::move(attributes));
}

StatusOr<InstructionId> Appender::element(InstructionId tuple, int64_t index) {
  auto attributes = std::make_shared<GetTupleElementAttributes>();
  attributes->index = index;
  return add(Opcode::kGetTupleElement, {tuple}, std::move(attributes));
}

StatusOr<InstructionId> Appender::constant(Literal value) {
  auto attributes = std::make_shared<ConstantAttributes>();
  attributes->value = std::move(value);
  const Shape own = attributes->value.shape();
  return add(Opcode::kConstant, {}, std::move(attributes), own);
}

StatusOr<InstructionId> Appender::spread(InstructionId scalar, const Shape& shape) {
  return add(Opcode::kBroadcast, {scalar}, std::make_shared<BroadcastAttributes>(), shape.with_default_layout());
}

StatusOr<InstructionId> Appender::iota(const Shape& shape, int64_t dimension) {
  auto attributes = std::make_shared<IotaAttributes>();
  attributes->dimension = dimension;
  return add(Opcode::kIota, {}, std::move(attributes), shape.with_default_layout());
}

StatusOr<InstructionId> Appender::less(InstructionId x, InstructionId y) {
  auto attributes = std::make_shared<CompareAttributes>();
  attributes->direction = ComparisonDirection::kLt;
  return add(Opcode::kCompare, {x, y}, std::move(attributes));
}

}  // namespace hilo::hlo::text
