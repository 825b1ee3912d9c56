// SPDX-License-Identifier: Apache-2.0
// hlo/rewrite/rewrite_where.h -- replaces selected instructions of a computation.
#pragma once

#include <functional>

#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::hlo {

/// Returns the id of an instruction's replacement, added by the builder. The instruction's operands are already mapped.
using Replacement = std::function<StatusOr<InstructionId>(RewriteBuilder& builder, const Instruction& instruction)>;

/// Replaces every instruction for which `selected` is true and copies all others. Returns the source itself if nothing
/// is replaced.
/// Errors    those of `replacement`
/// Example   rewrite_where(c, {}, [](const Instruction& i) { return i.opcode == Opcode::kMulhi; }, lowered)
StatusOr<ComputationPtr> rewrite_where(const ComputationPtr& source, const RewriteOptions& options,
                                       const std::function<bool(const Instruction&)>& selected,
                                       const Replacement& replacement);

}  // namespace hilo::hlo
