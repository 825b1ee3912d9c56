// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/stop_gradient.h -- the extension op stop_gradient: the identity, whose tangent is zero.
#pragma once

#include "hilo/hlo/ir/op_def.h"

namespace hilo::hlo {

const OpDef& ext_stop_gradient_op();

}  // namespace hilo::hlo
