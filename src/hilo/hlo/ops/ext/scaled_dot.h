// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/scaled_dot.h -- dot of narrow floats with one scale for each block of elements.
#pragma once

#include "hilo/hlo/ops/dot.h"

namespace hilo::hlo {

/// scaled-dot(lhs, rhs, lhs_scale, rhs_scale): dot(lhs * lhs_scale, rhs * rhs_scale) in the result's type. Each scale
/// applies to a block: the dimensions of a scale divide the operand's. A scalar scale applies to all elements.
/// DotAttributes.
const OpDef& scaled_dot_op();

}  // namespace hilo::hlo
