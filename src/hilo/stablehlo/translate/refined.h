// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/refined.h -- translates modules whose sizes follow from the shapes of their arguments.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

/// Folds results that are a few integers computed from constants.
Status fold_results(const OpContext& op);

/// Returns the integers of an operand, if it is a constant.
std::optional<std::vector<int64_t>> known_integers(const OpContext& op, uint32_t operand);

/// Returns the integers of an operand that specifies sizes.
/// Errors    UNIMPLEMENTED if it is no constant
StatusOr<std::vector<int64_t>> constant_operand(const OpContext& op, uint32_t i);

/// Returns the custom call without the operands that only specify the sizes of its results (indices_of_shape_operands).
StatusOr<OpContext> without_shape_operands(const OpContext& op);
bool has_unknown_sizes(const OpContext& op);

/// Return the shape of result `i`, whose type has unknown sizes, or of an instruction with all results. Sizes are those
/// that operands specify, or else those of the operands of the same rank, which must agree.
StatusOr<Shape> refined_shape(const OpContext& op, uint32_t i);

/// Returns the shape of an array's bits in the result's element type. Narrower elements add a last dimension; wider
/// ones remove the last dimension.
StatusOr<Shape> bitcast_shape(const OpContext& op, const Shape& operand);
StatusOr<Shape> refined_result(const OpContext& op, hlo::Opcode opcode, std::span<const hlo::InstructionId> operands,
                               const hlo::AttributesPtr& attributes);
Status inline_call(const OpContext& op, std::string_view callee);
Status check_shape_assertion(const OpContext& op);

/// Translates real_dynamic_slice with an unknown start and a known size. JAX clamps the start.
Status translate_slice_of_known_size(const OpContext& op);

}  // namespace hilo::stablehlo
