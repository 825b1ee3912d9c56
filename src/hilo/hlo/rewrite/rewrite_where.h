// SPDX-License-Identifier: Apache-2.0
// hlo/rewrite/rewrite_where.h -- a computation in which some instructions become others.
#pragma once

#include <functional>

#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::hlo {

/// What stands for an instruction: an id that the builder gave. Its operands are mapped already.
using Replacement = std::function<StatusOr<InstructionId>(RewriteBuilder& builder, const Instruction& instruction)>;

/// Every instruction that is `wanted` becomes its replacement, all others are copied. The source itself if none is wanted.
/// Errors    those of `replacement`
/// Example   rewrite_where(c, {}, [](const Instruction& i) { return i.opcode == Opcode::kMulhi; }, lowered)
StatusOr<ComputationPtr> rewrite_where(const ComputationPtr& source, const RewriteOptions& options,
                                       const std::function<bool(const Instruction&)>& wanted,
                                       const Replacement& replacement);

}  // namespace hilo::hlo
