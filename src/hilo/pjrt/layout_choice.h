// SPDX-License-Identifier: Apache-2.0
// pjrt/layout_choice.h -- chooses layouts that callers leave to the compiler: mhlo.layout_mode = "auto".
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/pjrt/program.h"

namespace hilo::pjrt {

/// Chooses the layouts of free results. A result that only transposes an argument gets the layout with the argument's
/// element order. All others, and arguments, stay row-major.
void choose_layouts(const hlo::Module& module, const std::vector<ProgramValue>& arguments,
                    std::vector<ProgramValue>& results);

}  // namespace hilo::pjrt
