// SPDX-License-Identifier: Apache-2.0
// engine/kernel_offsets.h -- kernels that differ only in where they read or write have the same code.
#pragma once

#include "hilo/engine/planner.h"

namespace hilo::engine {

/// Moves constant offsets of what kernels read and write from their regions to Plan::argument_offsets. Kernels that the
/// code of whole loops calls, or hands out, keep theirs: that code passes their arguments.
/// Example   an unrolled loop that reads x[0], x[1], ...: each kernel reads element 0 of its argument, which begins at
///           another element of x
void move_offsets_to_arguments(PlannedProgram& program);

}  // namespace hilo::engine
