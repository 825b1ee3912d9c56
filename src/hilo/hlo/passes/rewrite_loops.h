// SPDX-License-Identifier: Apache-2.0
// hlo/passes/rewrite_loops.h -- replaces while loops of a computation.
#pragma once

#include <functional>

#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::hlo {

/// Maps a loop to its replacement in the builder and returns true, or returns false.
using LoopRewrite = std::function<StatusOr<bool>(RewriteBuilder& builder, const Instruction& loop)>;

/// Copies the computation, except the loops that are replaced. Tuples that the replacements create are forwarded.
/// Returns the source itself if it has no loop.
/// Errors    those of `rewrite`
StatusOr<ComputationPtr> rewrite_loops(const ComputationPtr& source, const LoopRewrite& rewrite);

}  // namespace hilo::hlo
