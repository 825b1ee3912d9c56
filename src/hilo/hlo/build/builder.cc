// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/build/builder.h"

#include <fmt/format.h>

#include <boost/container/small_vector.hpp>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::hlo {

StatusOr<InstructionId> Builder::add(Opcode opcode, std::span<const InstructionId> operands, AttributesPtr attributes,
                                     const std::optional<Shape>& declared, std::string name) {
  boost::container::small_vector<Shape, 8> shapes;
  for (InstructionId id : operands) {
    if (id >= draft_.size()) {
      return invalid_argument(fmt::format("{} '{}': operand id {} doesn't exist; {} instructions so far",
                                          opcode_name(opcode), name, id, draft_.size()));
    }
    shapes.push_back(draft_.instruction(id).shape);
  }
  const StatusOr<Shape> shape = check_instruction(op_def(opcode), shapes, attributes.get(), declared);
  if (!shape.ok()) {
    Instruction rejected;
    rejected.opcode = opcode;
    rejected.name = name.empty() ? fmt::format("{}.{}", opcode_name(opcode), draft_.size()) : name;
    rejected.annotations = annotations_;
    return shape.status().with_context(describe(rejected));
  }
  const InstructionId id = draft_.append(opcode, *shape, operands, std::move(attributes), std::move(name));
  draft_.mutable_instruction(id).annotations = annotations_;
  return id;
}

StatusOr<InstructionId> Builder::copy(const Instruction& instruction, std::span<const InstructionId> mapped,
                                      AttributesPtr attributes) {
  boost::container::small_vector<InstructionId, 8> operands;
  for (InstructionId operand : instruction.operands) operands.push_back(mapped[operand]);
  set_annotations(instruction.annotations);
  return add(instruction.opcode, operands, std::move(attributes), instruction.shape);
}

InstructionId Builder::parameter(const Shape& shape, std::string name, std::optional<int64_t> number) {
  auto attributes = std::make_shared<ParameterAttributes>();
  attributes->number = number.value_or(next_parameter_);
  next_parameter_ = attributes->number + 1;
  const InstructionId id = draft_.append(Opcode::kParameter, shape, {}, std::move(attributes), std::move(name));
  draft_.mutable_instruction(id).annotations = annotations_;
  return id;
}

void Builder::renumber_parameter(InstructionId parameter, int64_t number) {
  auto attributes = std::make_shared<ParameterAttributes>();
  attributes->number = number;
  draft_.mutable_instruction(parameter).attributes = std::move(attributes);
}

InstructionId Builder::constant(Literal value, std::string name) {
  auto attributes = std::make_shared<ConstantAttributes>();
  attributes->value = std::move(value);
  const Shape shape = attributes->value.shape();
  const InstructionId id = draft_.append(Opcode::kConstant, shape, {}, std::move(attributes), std::move(name));
  draft_.mutable_instruction(id).annotations = annotations_;
  return id;
}

InstructionId Builder::tuple(std::span<const InstructionId> elements) {
  std::vector<Shape> shapes;
  shapes.reserve(elements.size());
  for (InstructionId id : elements) shapes.push_back(shape(id));
  const InstructionId id = draft_.append(Opcode::kTuple, Shape::tuple(shapes), elements);
  draft_.mutable_instruction(id).annotations = annotations_;
  return id;
}

StatusOr<InstructionId> Builder::get_tuple_element(InstructionId tuple, int64_t index) {
  auto attributes = std::make_shared<GetTupleElementAttributes>();
  attributes->index = index;
  return add(Opcode::kGetTupleElement, {tuple}, std::move(attributes));
}

StatusOr<ComputationPtr> scalar_binary_computation(Opcode opcode, ElementType type) {
  Builder builder(fmt::format("{}.{}", opcode_name(opcode), element_type_name(type)));
  const InstructionId x = builder.parameter(Shape::scalar(type), "x");
  const InstructionId y = builder.parameter(Shape::scalar(type), "y");
  HILO_ASSIGN_OR_RETURN(const InstructionId root, builder.add(opcode, {x, y}));
  return std::move(builder).build(root);
}

}  // namespace hilo::hlo
