// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "hilo/base/text.h"
#include "hilo/stablehlo/translate/attribute_setter.h"
#include "hilo/stablehlo/translate/refined.h"
#include "hilo/stablehlo/translate/translate.h"

namespace hilo::stablehlo {

using hlo::InstructionId;
using hlo::Opcode;

/// HLO's rng has only the two bounds as operands, and declares its shape.
Status translate_random(const OpContext& op) {
  AttributeSetter attributes(Opcode::kRng);
  HILO_RETURN_IF_ERROR(
      attributes.set_word("distribution", fmt::format("rng_{}", ascii_lower(op.text("rng_distribution")))));
  HILO_ASSIGN_OR_RETURN(const InstructionId a, op.operand(0));
  HILO_ASSIGN_OR_RETURN(const InstructionId b, op.operand(1));
  OpContext sized = op;
  if (op.translator.refines() && has_unknown_sizes(op)) {
    HILO_ASSIGN_OR_RETURN(sized.sizes.emplace_back(), constant_operand(op, 2));
  }
  return sized.add(Opcode::kRng, std::vector<InstructionId>{a, b}, attributes.take());
}

Status translate_random_bits(const OpContext& op) {
  AttributeSetter attributes(Opcode::kRngBitGenerator);
  HILO_RETURN_IF_ERROR(attributes.set_word("algorithm", fmt::format("rng_{}", ascii_lower(op.text("rng_algorithm")))));
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  return op.add(Opcode::kRngBitGenerator, operands, attributes.take());
}

/// Shapes are static, so the size is known.
Status translate_dimension_size(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(0));
  HILO_ASSIGN_OR_RETURN(const int64_t dimension, op.integer("dimension"));
  const Shape shape = op.builder.shape(operand);
  if (!shape.is_array() || dimension < 0 || dimension >= shape.rank())
    return invalid_argument(fmt::format("{} has no dimension {}", shape.to_string(), dimension));
  op.define(0, op.builder.constant(Literal::scalar(static_cast<int32_t>(shape.dimension(dimension)))));
  return ok_status();
}

Status translate_tuple(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  op.define(0, op.builder.tuple(operands));
  return ok_status();
}

Status translate_get_tuple_element(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(0));
  HILO_ASSIGN_OR_RETURN(const int64_t index, op.integer("index"));
  HILO_ASSIGN_OR_RETURN(const InstructionId element, op.builder.get_tuple_element(operand, index));
  op.define(0, element);
  return ok_status();
}

namespace {

/// An operation with sizes as operands: its static equivalent, and the attributes that the operands replace.
struct DynamicForm {
  std::string_view name, without;
  uint32_t first;  ///< index of the first operand that is a size
  std::string_view attributes[3];
};
constexpr DynamicForm kDynamicForms[] = {
    {"dynamic_broadcast_in_dim", "stablehlo.broadcast_in_dim", 1, {}},
    {"dynamic_conv", "stablehlo.convolution", 2, {"padding"}},
    {"dynamic_gather", "stablehlo.gather", 2, {"slice_sizes"}},
    {"dynamic_iota", "stablehlo.iota", 0, {}},
    {"dynamic_pad", "stablehlo.pad", 2, {"edge_padding_low", "edge_padding_high", "interior_padding"}},
    {"dynamic_reshape", "stablehlo.reshape", 1, {}},
    {"real_dynamic_slice", "stablehlo.slice", 1, {"start_indices", "limit_indices", "strides"}},
};

}  // namespace

/// The result's type must be static. So the sizes are known, even if the operands that specify them aren't constants.
Status translate_dynamic(const OpContext& op) {
  for (const DynamicForm& form : kDynamicForms) {
    if (form.name != op.row.name) continue;
    if (op.row.name == "real_dynamic_slice" && op.operation.operands.count == 4 &&
        !(constant_operand(op, 1).ok() && constant_operand(op, 2).ok()))
      return translate_slice_of_known_size(op);
    OpContext inner{op.translator, op.builder, op.operation, *find_row(form.without)};
    inner.operand_limit = form.first;
    if (form.attributes[0].empty() && op.translator.refines()) {
      HILO_ASSIGN_OR_RETURN(inner.sizes.emplace_back(), constant_operand(op, form.first));
    }
    for (uint32_t i = 0; i < 3 && !form.attributes[i].empty(); ++i) {
      HILO_ASSIGN_OR_RETURN(std::vector<int64_t> values, constant_operand(op, form.first + i));
      inner.lists.emplace_back(form.attributes[i], std::move(values));
    }
    return inner.row.translate(inner);
  }
  return unimplemented("this operation is not supported");
}

}  // namespace hilo::stablehlo
