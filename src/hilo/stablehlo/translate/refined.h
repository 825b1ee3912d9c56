// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/refined.h -- modules whose sizes follow from the shapes of their arguments.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

/// Results that are a few integers and computed from constants become constants.
Status fold_results(const OpContext& op);

/// The integers of an operand that is a constant by now.
std::optional<std::vector<int64_t>> known_integers(const OpContext& op, uint32_t operand);

/// The same of an operand that gives sizes.
/// Errors    UNIMPLEMENTED where it is no constant
StatusOr<std::vector<int64_t>> constant_operand(const OpContext& op, uint32_t i);

/// The custom call without those operands that only say the sizes of its results (indices_of_shape_operands).
StatusOr<OpContext> without_shape_operands(const OpContext& op);
bool has_unknown_sizes(const OpContext& op);

/// The shape of result `i`, whose type leaves sizes unknown: as operands say, else that of the operands of its rank, which
/// agree. And the shape of an instruction that is all results.
StatusOr<Shape> refined_shape(const OpContext& op, uint32_t i);

/// The shape of the bits of an array as the result's element type: narrower elements are a new last dimension, wider ones
/// take the last.
StatusOr<Shape> bitcast_shape(const OpContext& op, const Shape& operand);
StatusOr<Shape> refined_result(const OpContext& op, hlo::Opcode opcode, std::span<const hlo::InstructionId> operands,
                               const hlo::AttributesPtr& attributes);
Status inline_call(const OpContext& op, std::string_view callee);
Status check_shape_assertion(const OpContext& op);

/// real_dynamic_slice from a start that isn't known, of a size that is: JAX clamps the start.
Status translate_slice_of_known_size(const OpContext& op);

}  // namespace hilo::stablehlo
