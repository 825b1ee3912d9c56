// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/known_faults.h -- programs on which compilers of plugins fail without recovery: these must not reach
// them.
#pragma once

#include "hilo/backend/pjrt/plugin.h"
#include "hilo/hlo/ir/module.h"

namespace hilo::plugins {

/// Whether XLA supports the program's ops only as StableHLO. Their HLO is new: XLA has code for a few of their types
/// and ends the process for others.
bool needs_stablehlo(const hlo::Module& program);

/// Checks that the plugin's compiler, for processors or for other devices, doesn't end the process on the program.
/// Errors    UNIMPLEMENTED with the op, the user's line and the plugin's version
Status check_known_faults(const Plugin& plugin, bool on_processors, const hlo::Module& program);

}  // namespace hilo::plugins
