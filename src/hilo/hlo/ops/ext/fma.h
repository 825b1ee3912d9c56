// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/fma.h -- the extension op fma: x * y + z with one rounding, on every instruction set. Engines run it
// natively.
#pragma once

#include "hilo/hlo/ir/op_def.h"

namespace hilo::hlo {

const OpDef& ext_fma_op();

}  // namespace hilo::hlo
