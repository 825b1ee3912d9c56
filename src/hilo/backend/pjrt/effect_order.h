// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/effect_order.h -- the order of effects, for compilers that know no order but that of operands.
#pragma once

#include "hilo/hlo/ir/module.h"

namespace hilo::plugins {

/// Lets everything with effects wait for what has effects before it, by control predecessors: the instructions that `has_effect` names,
/// and loops and branches with such in them. Calls with effects become the bodies of what they call.
Status put_in_order(hlo::Module& program, bool (*has_effect)(const hlo::Instruction&));

}  // namespace hilo::plugins
