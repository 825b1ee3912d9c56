// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/elementwise.h -- the elementwise extension ops; each is a row of hlo/ir/extensions.inc and a formula.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

// ext_erf_inv_op(), ...
#define HILO_EXTENSION(...)
#define HILO_EXTENSION_ELEMENTWISE(enumerator, name, ...) const OpDef& ext_##name##_op();
#include "hilo/hlo/ir/extensions.inc"

}  // namespace hilo::hlo
