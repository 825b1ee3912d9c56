// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/translate/op_context.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/stablehlo/translate/refined.h"

namespace hilo::stablehlo {

const ModuleTree& OpContext::tree() const { return translator.tree; }

StatusOr<hlo::InstructionId> OpContext::operand(uint32_t i) const {
  if (i >= operation.operands.count) {
    return invalid_argument(fmt::format("got {} operands; wanted more than {}", operation.operands.count, i));
  }
  const hlo::InstructionId id = translator.ids[tree().operand(operation, i)];
  if (id == hlo::kNoInstruction) return invalid_argument(fmt::format("operand {} is not defined here", i));
  return id;
}

StatusOr<InstructionIds> OpContext::operands() const {
  InstructionIds all;
  const uint32_t count = operand_count();
  all.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    HILO_ASSIGN_OR_RETURN(const hlo::InstructionId id, operand(i));
    all.push_back(id);
  }
  return all;
}

StatusOr<Shape> OpContext::result_shape(uint32_t i) const {
  if (i >= operation.results.count)
    return invalid_argument(fmt::format("got {} results; wanted more than {}", operation.results.count, i));
  const Type& type = tree().type_of(tree().result(operation, i));
  if (on_real_values && type.quantization != nullptr) {
    HILO_ASSIGN_OR_RETURN(const Shape shape, translator.shape_of(tree().result(operation, i)));
    return shape.with_element_type(type.quantization->expressed);
  }
  if (translator.refines() && has_unknown_sizes(*this)) return refined_shape(*this, i);
  return translator.shape_of(tree().result(operation, i));
}

StatusOr<ElementType> OpContext::result_element(uint32_t i) const {
  if (i >= operation.results.count)
    return invalid_argument(fmt::format("got {} results; wanted more than {}", operation.results.count, i));
  const Type& type = result_type(i);
  return on_real_values && type.quantization != nullptr ? type.quantization->expressed : type.element;
}

void OpContext::define(uint32_t i, hlo::InstructionId id) const {
  if (i < operation.results.count) translator.set(builder, tree().result(operation, i), id);
}

Status OpContext::add(hlo::Opcode opcode, std::span<const hlo::InstructionId> operands,
                      hlo::AttributesPtr attributes) const {
  boost::container::small_vector<Shape, 4> shapes;
  Shape declared;
  if (translator.refines() && has_unknown_sizes(*this)) {
    HILO_ASSIGN_OR_RETURN(declared, refined_result(*this, opcode, operands, attributes));
    shapes.resize(operation.results.count);
  } else {
    for (uint32_t i = 0; i < operation.results.count; ++i) {
      HILO_ASSIGN_OR_RETURN(const Shape shape, result_shape(i));
      shapes.push_back(shape);
    }
    declared = shapes.size() == 1 ? shapes[0] : Shape::tuple(shapes);
  }
  HILO_ASSIGN_OR_RETURN(const hlo::InstructionId id, builder.add(opcode, operands, std::move(attributes), declared));
  if (shapes.size() == 1) {
    define(0, id);
    return ok_status();
  }
  for (uint32_t i = 0; i < shapes.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(const hlo::InstructionId element, builder.get_tuple_element(id, i));
    define(i, element);
  }
  return ok_status();
}

Status OpContext::missing(std::string_view name) const {
  return invalid_argument(fmt::format("attribute '{}' is missing", name));
}

StatusOr<std::vector<int64_t>> OpContext::integers(std::string_view name,
                                                   std::optional<std::vector<int64_t>> otherwise) const {
  for (const auto& [own, values] : lists) {
    if (own == name) return values;
  }
  const Attribute* const attribute = find(name);
  if (attribute == nullptr) {
    if (otherwise) return *std::move(otherwise);
    return missing(name);
  }
  StatusOr<std::vector<int64_t>> values = integers_of(tree(), *attribute);
  return values.ok() ? std::move(values) : values.status().with_context(fmt::format("attribute '{}'", name));
}

StatusOr<int64_t> OpContext::integer(std::string_view name, std::optional<int64_t> otherwise) const {
  const Attribute* const attribute = find(name);
  if (attribute == nullptr && otherwise) return *otherwise;
  if (attribute == nullptr) return missing(name);
  if (attribute->kind != AttributeKind::kInteger && attribute->kind != AttributeKind::kBool)
    return invalid_argument(fmt::format("attribute '{}' is not an integer", name));
  return attribute->integer;
}

bool OpContext::flag(std::string_view name, bool otherwise) const {
  const Attribute* const attribute = find(name);
  if (attribute == nullptr) return otherwise;
  return attribute->kind == AttributeKind::kUnit || attribute->integer != 0;
}

std::string_view OpContext::text(std::string_view name) const {
  const Attribute* const attribute = find(name);
  return attribute == nullptr ? std::string_view() : std::string_view(attribute->text);
}

}  // namespace hilo::stablehlo
