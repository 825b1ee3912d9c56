// SPDX-License-Identifier: Apache-2.0
// inspect/graph/unit_groups.h -- the units of an executable as groups of instructions, for pictures.
#pragma once

#include <string>
#include <vector>

#include "hilo/device/executable.h"
#include "hilo/inspect/graph/group.h"

namespace hilo {

/// Returns "row kernel reduce.8": form, kind and last instruction.
std::string label_of(const ExecutionUnit& unit);

/// Returns the groups that the engine runs, for pictures of optimized_module(). Valid as long as the executable.
std::vector<hlo::InstructionGroup> groups_of(const Executable& executable);

}  // namespace hilo
