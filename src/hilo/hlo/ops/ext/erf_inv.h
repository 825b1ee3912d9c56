// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/erf_inv.h -- the extension op erf_inv: the inverse of erf, in single precision.
#pragma once

#include "hilo/hlo/ir/op_def.h"

namespace hilo::hlo {

const OpDef& ext_erf_inv_op();

}  // namespace hilo::hlo
