// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/stochastic_convert.h -- floats to signed integers, rounded up with the probability of their fraction.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// stochastic-convert(x, random): |x| is rounded up where `random`, as a fraction of its range, lies below the fraction of
/// |x|. NaN gives 0; what is out of range saturates.
const OpDef& stochastic_convert_op();

}  // namespace hilo::hlo
