// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/scan_decompose.h -- scan as a while loop.
#pragma once

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// Returns a computation with scan's operands as parameters and its result. The loop carries
///     (counter, constants..., carries..., xs..., ys...)
/// and each iteration reads row i (length-1-i in reverse) of xs, calls the step and writes that row of ys in place. The
/// counter is s32 if `length` fits. A scan of length 0 has no loop.
StatusOr<ComputationPtr> decompose_scan(const Instruction& scan, std::span<const Shape> operands);

}  // namespace hilo::hlo
