// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/known_faults.h -- what compilers of plugins get wrong so that nobody can go on: it must not reach them.
#pragma once

#include "hilo/backend/pjrt/plugin.h"
#include "hilo/hlo/ir/module.h"

namespace hilo::plugins {

/// Whether XLA knows the program's ops by StableHLO only: HLO of them is new, and it has code for a few of their types or ends
/// the process.
bool needs_stablehlo(const hlo::Module& program);

/// Whether the plugin's compiler, for processors or for other devices, ends the process on the program.
/// Errors    UNIMPLEMENTED with the op, the user's line and the plugin's version
Status check_known_faults(const Plugin& plugin, bool on_processors, const hlo::Module& program);

}  // namespace hilo::plugins
