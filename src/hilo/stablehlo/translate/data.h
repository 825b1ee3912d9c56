// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/data.h -- elementwise operations, constants, products, slices, and what they are made with.
#pragma once

#include "hilo/hlo/ops/dot.h"
#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

Status translate_elementwise(const OpContext& op);
Status translate_compare(const OpContext& op);
Status translate_select(const OpContext& op);
Status translate_sharding_constraint(const OpContext& op);

/// The comparison of the operands that the operation's direction and type say.
Status add_compare(const OpContext& op, InstructionIds operands);

/// `operand` spread over `result`: its dimension i becomes result's dimensions[i], stretched where it has extent 1.
StatusOr<hlo::InstructionId> add_broadcast(const OpContext& op, hlo::InstructionId operand,
                                           const std::vector<int64_t>& dimensions, const Shape& result);

/// Sets a dot's precisions from the attribute precision_config.
Status set_precision(const OpContext& op, hlo::DotAttributes& attributes);

/// Annotations of the operation's location with these frontend attributes.
using FrontendAttributes = std::vector<std::pair<std::string_view, std::string>>;
hlo::AnnotationsPtr with_frontend_attributes(const OpContext& op, const FrontendAttributes& entries);

/// The one that states a sharding, given as text `<@mesh, [{"x"}]>`.
std::pair<std::string_view, std::string> sharding_attribute(std::string_view sharding);

/// The value under a sharding, as text `<@mesh, [{"x"}]>`: a copy that carries it as a frontend attribute.
StatusOr<hlo::InstructionId> add_constraint(const OpContext& op, hlo::InstructionId value, std::string_view sharding);

/// A scalar operand, spread over `shape`; other operands as they are.
StatusOr<hlo::InstructionId> spread_scalar(const OpContext& op, hlo::InstructionId operand, const Shape& shape);

/// A constant of `shape`: the elements, or a scalar spread over it.
StatusOr<hlo::InstructionId> add_constant(const OpContext& op, const Attribute& value, const Shape& shape);

}  // namespace hilo::stablehlo
