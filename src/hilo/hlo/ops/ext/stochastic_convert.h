// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/stochastic_convert.h -- converts floats to signed integers, rounding up with the probability of their
// fraction.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// stochastic-convert(x, random): |x| is rounded up if `random`, as a fraction of its range, is below the fraction of
/// |x|. NaN gives 0; values out of range saturate.
const OpDef& stochastic_convert_op();

}  // namespace hilo::hlo
