// SPDX-License-Identifier: Apache-2.0
// hlo/rewrite/fold.h -- computes an instruction now, if all it needs is known and the result is worth keeping.
#pragma once

#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::hlo {

inline constexpr int64_t kMostFoldedElements = 65536;  ///< elements of a result
inline constexpr int64_t kMostFoldedWork = 1 << 18;    ///< scalar steps of the reference kernel: about 10 ms at worst
inline constexpr int64_t kAlwaysFoldedElements = 16;   ///< results up to this size may be larger than their operands

/// A RewriteRule: the constant that `node` evaluates to, by the op's reference kernel. Elementwise ops whose operands
/// hold one scalar each give a broadcast of one scalar. Not folded: effects, barriers, loops, branches and calls;
/// broadcast and iota (they are smaller than their values); results of several values.
InstructionId fold_constant(RewriteBuilder& builder, const RewriteNode& node);

}  // namespace hilo::hlo
