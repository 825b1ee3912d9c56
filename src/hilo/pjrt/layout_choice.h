// SPDX-License-Identifier: Apache-2.0
// pjrt/layout_choice.h -- layouts that callers leave to the compiler: mhlo.layout_mode = "auto".
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/pjrt/program.h"

namespace hilo::pjrt {

/// A result whose layout is free, and that only transposes an argument, gets the layout in which it has the argument's
/// elements in the argument's order. All others stay row-major, and so do arguments.
void choose_layouts(const hlo::Module& module, const std::vector<ProgramValue>& arguments,
                    std::vector<ProgramValue>& results);

}  // namespace hilo::pjrt
