// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/known_calls.h -- custom calls of XLA whose meaning HLO has: notes for a compiler, which pass their operand on,
// and decompositions and selections that its passes expand.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// Whether `instruction` is such a call, and nobody registered a handler for its target.
bool is_known_call(const Instruction& instruction);

/// What a known call computes, as a function of its operands.
/// Errors    UNIMPLEMENTED for a part of the meaning that hilo hasn't, such as the devices of SPMDFullToShardShape;
///           INVALID_ARGUMENT for operands and results that don't fit
StatusOr<ComputationPtr> decompose_known_call(const Instruction& instruction, std::span<const Shape> operands);

/// custom_call_op(), with an evaluation that knows these calls.
const OpDef& custom_or_known_call_op();

}  // namespace hilo::hlo
