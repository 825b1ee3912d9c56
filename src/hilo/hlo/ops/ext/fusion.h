// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/fusion.h -- ops that XLA's passes add to a program without changing its values: fusion, domain, bitcast.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// A call of the computation that XLA would compile as one kernel. hilo inlines it and forms its own regions.
/// RawAttributes.
const OpDef& fusion_op();
/// Returns its operand; kind, entry and exit are stored as text. RawAttributes.
const OpDef& domain_op();
/// Reinterprets the operand's bytes, in the order of its layout, with the result's shape and layout.
const OpDef& bitcast_op();

}  // namespace hilo::hlo
