// SPDX-License-Identifier: Apache-2.0
// hlo/rewrite/fold.h -- constant folding, if all operands are known and the result is small enough.
#pragma once

#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::hlo {

inline constexpr int64_t kMaxFoldedElements = 65536;  ///< elements of a result
inline constexpr int64_t kMaxFoldedWork = 1 << 18;    ///< scalar steps of the reference kernel; at most about 10 ms
inline constexpr int64_t kAlwaysFoldedElements = 16;  ///< results up to this size may be larger than their operands

/// A RewriteRule: evaluates `node` by the op's reference kernel and returns the constant. Elementwise ops whose
/// operands repeat one scalar each give a broadcast of one scalar. Not folded: effects, barriers, loops, branches and
/// calls; broadcast and iota (smaller than their values); results of several values.
InstructionId fold_constant(RewriteBuilder& builder, const RewriteNode& node);

}  // namespace hilo::hlo
