// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/effect_order.h -- the order of effects, for compilers that only keep the order of operands.
#pragma once

#include "hilo/hlo/ir/module.h"

namespace hilo::plugins {

/// Adds control predecessors, so that everything with effects runs after earlier effects. These are the instructions
/// for which `has_effect` is true, and loops and branches that contain such instructions. Calls with effects are
/// inlined.
Status put_in_order(hlo::Module& program, bool (*has_effect)(const hlo::Instruction&));

}  // namespace hilo::plugins
