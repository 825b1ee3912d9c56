// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/data.h -- translates elementwise operations, constants, products and slices.
#pragma once

#include "hilo/hlo/ops/dot.h"
#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

Status translate_elementwise(const OpContext& op);
Status translate_compare(const OpContext& op);
Status translate_select(const OpContext& op);
Status translate_sharding_constraint(const OpContext& op);

/// Adds the comparison of the operands by the operation's direction and type.
Status add_compare(const OpContext& op, InstructionIds operands);

/// Broadcasts `operand` to `result`: its dimension i becomes result's dimensions[i], expanded if it has extent 1.
StatusOr<hlo::InstructionId> add_broadcast(const OpContext& op, hlo::InstructionId operand,
                                           const std::vector<int64_t>& dimensions, const Shape& result);

/// Sets a dot's precisions from the attribute precision_config.
Status set_precision(const OpContext& op, hlo::DotAttributes& attributes);

/// Frontend attributes that are added to the annotations of the operation's location.
using FrontendAttributes = std::vector<std::pair<std::string_view, std::string>>;
hlo::AnnotationsPtr with_frontend_attributes(const OpContext& op, const FrontendAttributes& entries);

/// Returns the frontend attribute of a sharding, whose text is `<@mesh, [{"x"}]>`.
std::pair<std::string_view, std::string> sharding_attribute(std::string_view sharding);

/// Returns a copy of the value with the sharding as a frontend attribute. Its text is `<@mesh, [{"x"}]>`.
StatusOr<hlo::InstructionId> add_constraint(const OpContext& op, hlo::InstructionId value, std::string_view sharding);

/// Broadcasts a scalar operand to `shape`; other operands are unchanged.
StatusOr<hlo::InstructionId> spread_scalar(const OpContext& op, hlo::InstructionId operand, const Shape& shape);

/// Adds a constant of `shape`: the elements, or a broadcast scalar.
StatusOr<hlo::InstructionId> add_constant(const OpContext& op, const Attribute& value, const Shape& shape);

}  // namespace hilo::stablehlo
