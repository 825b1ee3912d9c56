// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/fusion.h -- what XLA's passes leave in a program beside its mathematics: fusion, domain, bitcast.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// A call of the computation that XLA would compile as one kernel; hilo inlines it and forms its own. RawAttributes.
const OpDef& fusion_op();
/// Its operand; kind, entry and exit stay text. RawAttributes.
const OpDef& domain_op();
/// The operand's bytes, in the order of its layout, under the result's shape and layout.
const OpDef& bitcast_op();

}  // namespace hilo::hlo
