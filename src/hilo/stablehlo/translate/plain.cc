// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/translate/plain.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/sizes.h"
#include "hilo/base/text.h"
#include "hilo/stablehlo/translate/attribute_setter.h"

namespace hilo::stablehlo {

namespace {

/// Sets an HLO field from an attribute of StableHLO, depending on the kind of value.
Status set_field(const OpContext& op, const FieldRow& row, AttributeSetter& attributes) {
  for (const auto& [name, values] : op.lists) {
    if (name == row.name) return attributes.set_list(row.hlo_name(), values);
  }
  const Attribute* const attribute = op.find(row.name);
  if (attribute == nullptr) return ok_status();
  switch (attribute->kind) {
    case AttributeKind::kUnit: return attributes.set_flag(row.hlo_name(), true);
    case AttributeKind::kBool: return attribute->integer != 0 ? attributes.set_flag(row.hlo_name(), true) : ok_status();
    case AttributeKind::kInteger: return attributes.set(row.hlo_name(), attribute->integer);
    case AttributeKind::kIntegers:
    case AttributeKind::kArray:
    case AttributeKind::kElements: {
      HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> values, op.integers(row.name));
      return attributes.set_list(row.hlo_name(), values);
    }
    case AttributeKind::kString:
    case AttributeKind::kWord: return attributes.set_word(row.hlo_name(), attribute->text);
    case AttributeKind::kFloat: return attributes.set_text(row.hlo_name(), fmt::format("{}", attribute->number));
    case AttributeKind::kSymbol:
    case AttributeKind::kType:
    case AttributeKind::kDictionary:
    case AttributeKind::kOther: break;
  }
  return unimplemented(fmt::format("attribute '{}' has a value of a kind that HLO doesn't allow here", row.name));
}

/// Returns the operand, converted to the element type of the region's argument `i`.
Status promote_to(const OpContext& op, uint32_t region_index, uint32_t i, hlo::InstructionId& operand) {
  const Region& region = op.tree().regions[op.operation.regions.begin + region_index];
  if (i >= region.arguments.count) return ok_status();  // the shape rule reports a mismatch
  const Type& type = op.tree().type_of(region.arguments.begin + i);
  const Shape shape = op.builder.shape(operand);
  if (type.kind != TypeKind::kTensor || !shape.is_array() || shape.element_type() == type.element) return ok_status();
  if (type.quantization != nullptr || is_complex(shape.element_type()) != is_complex(type.element)) return ok_status();
  HILO_ASSIGN_OR_RETURN(
      operand, op.builder.add(hlo::Opcode::kConvert, {operand}, nullptr, shape.with_element_type(type.element)));
  return ok_status();
}

}  // namespace

StatusOr<InstructionIds> promoted_operands(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(InstructionIds operands, op.operands());
  if (op.operation.regions.count == 0) return operands;
  const auto count = size32(operands);
  const std::string_view name = op.row.name;
  const bool scatters = name == "scatter", halves = name == "reduce" || name == "reduce_window";
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t region = 0, argument = 0;
    if (scatters && i == count / 2) continue;  // the indices
    if (i + 1 == count && op.flag("has_dynamic_root")) continue;
    if (scatters) argument = i < count / 2 ? i : i - 1;
    else if (halves) argument = i % std::max(count / 2, 1u);
    else if (name == "select_and_scatter") region = op.operation.regions.count - 1;
    HILO_RETURN_IF_ERROR(promote_to(op, region, argument, operands[i]));
  }
  return operands;
}

Status translate_plain(const OpContext& op) {
  AttributeSetter attributes(op.row.opcode);
  for (const FieldRow& field : op.row.fields) {
    if (!field.name.empty()) HILO_RETURN_IF_ERROR(set_field(op, field, attributes));
  }
  for (uint32_t i = 0; i < std::size(op.row.regions) && !op.row.regions[i].empty(); ++i) {
    if (i >= op.operation.regions.count)
      return invalid_argument(fmt::format("got {} regions; wanted more", op.operation.regions.count));
    const Region& region = op.tree().regions[op.operation.regions.begin + i];
    const std::string name = fmt::format("{}.{}", op.row.name, op.row.regions[i]);
    HILO_ASSIGN_OR_RETURN(const hlo::ComputationPtr body, op.translator.body(name, region));
    HILO_RETURN_IF_ERROR(attributes.set_computation(op.row.regions[i], body));
  }
  const bool reduces = !op.row.regions[0].empty() && op.row.name != "sort";
  const StatusOr<InstructionIds> operands = reduces ? promoted_operands(op) : op.operands();
  if (!operands.ok()) return operands.status();
  return op.add(op.row.opcode, *operands, attributes.take());
}

/// A negative dimension counts from the end; the default is the last one.
Status translate_sort(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const hlo::InstructionId first, op.operand(0));
  HILO_ASSIGN_OR_RETURN(int64_t dimension, op.integer("dimension", -1));
  if (dimension < 0) dimension += op.builder.shape(first).rank();
  OpContext counted = op;
  counted.lists.emplace_back("dimension", std::vector<int64_t>{dimension});
  return translate_plain(counted);
}

Status translate_identity(const OpContext& op) {
  for (uint32_t i = 0; i < op.operation.results.count; ++i) {
    HILO_ASSIGN_OR_RETURN(const hlo::InstructionId value, op.operand(i));
    op.define(i, value);
  }
  return ok_status();
}

}  // namespace hilo::stablehlo
