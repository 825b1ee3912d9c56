// SPDX-License-Identifier: Apache-2.0
// Restores hilo's extension ops from the composites that write/calls.cc creates for them.
#include "hilo/hlo/ops/check_instruction.h"
#include "hilo/hlo/text/lexer.h"
#include "hilo/stablehlo/translate/attribute_setter.h"
#include "hilo/stablehlo/translate/calls.h"

namespace hilo::stablehlo {
namespace {

using hlo::FieldKind;

/// Sets a field to an attribute's value. Returns false for kinds of fields that composites don't have.
StatusOr<bool> set_field(const OpContext& op, const hlo::AttributeField& field, const Attribute& value,
                         AttributeSetter& attributes) {
  switch (field.kind) {
    case FieldKind::kInt64: HILO_RETURN_IF_ERROR(attributes.set(field.name, value.integer)); return true;
    case FieldKind::kBool: HILO_RETURN_IF_ERROR(attributes.set_flag(field.name, value.integer != 0)); return true;
    case FieldKind::kEnum: HILO_RETURN_IF_ERROR(attributes.set_word(field.name, value.text)); return true;
    case FieldKind::kWindow:
      HILO_RETURN_IF_ERROR(attributes.set_text(field.name, std::string(value.text)));
      return true;
    case FieldKind::kString:
      HILO_RETURN_IF_ERROR(attributes.set_text(field.name, hlo::text::quoted_text(value.text)));
      return true;
    case FieldKind::kInt64List: {
      HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> list, integers_of(op.tree(), value));
      HILO_RETURN_IF_ERROR(attributes.set_list(field.name, list));
      return true;
    }
    case FieldKind::kComputation: {
      HILO_ASSIGN_OR_RETURN(const hlo::ComputationPtr computation, op.translator.function(value.text));
      HILO_RETURN_IF_ERROR(attributes.set_computation(field.name, computation));
      return true;
    }
    default: return false;
  }
}

}  // namespace

StatusOr<bool> restore_extension(const OpContext& op, std::string_view name) {
  const std::optional<hlo::Opcode> opcode = hlo::opcode_from_name(name);
  if (!opcode || !hlo::is_extension(*opcode)) return false;
  const hlo::OpDef& def = hlo::op_def(*opcode);
  const Attribute* const values = op.find("composite_attributes");
  AttributeSetter attributes(*opcode);
  for (const hlo::AttributeField& field : def.attributes.fields) {
    if (field.show == hlo::FieldShow::kAsOperand) continue;
    const Attribute* const value = values == nullptr ? nullptr : op.tree().find(*values, field.name);
    if (value == nullptr) return false;
    HILO_ASSIGN_OR_RETURN(const bool known, set_field(op, field, *value, attributes));
    if (!known) return false;
  }
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  std::vector<Shape> shapes, results;
  for (hlo::InstructionId id : operands) shapes.push_back(op.builder.shape(id));
  for (uint32_t i = 0; i < op.operation.results.count; ++i) {
    HILO_ASSIGN_OR_RETURN(const Shape shape, op.result_shape(i));
    results.push_back(shape);
  }
  const Shape declared = results.size() == 1 ? results[0] : Shape::tuple(results);
  const hlo::AttributesPtr made = attributes.take();
  const StatusOr<Shape> inferred = hlo::check_instruction(def, shapes, made.get(), declared);
  if (!inferred.ok() || *inferred != declared) return false;  // the composite's decomposition is used instead
  HILO_RETURN_IF_ERROR(op.add(*opcode, operands, made));
  return true;
}

}  // namespace hilo::stablehlo
