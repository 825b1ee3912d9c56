// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/known_calls.h -- custom calls of XLA that HLO can express: compiler annotations, which return their
// operand, and decompositions and selections that XLA's passes expand.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// Returns whether `instruction` is such a call, and no handler is registered for its target.
bool is_known_call(const Instruction& instruction);

/// Returns the computation of a known call as a function of its operands.
/// Errors    UNIMPLEMENTED for features that hilo lacks, such as the devices of SPMDFullToShardShape;
///           INVALID_ARGUMENT for operands and results that don't fit
StatusOr<ComputationPtr> decompose_known_call(const Instruction& instruction, std::span<const Shape> operands);

}  // namespace hilo::hlo
