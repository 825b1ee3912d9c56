// SPDX-License-Identifier: Apache-2.0
// engine/whole_loops.h -- selects the loops of a plan that are compiled as functions, and lays out these functions.
#pragma once

#include "hilo/engine/planner.h"

namespace hilo::engine {

/// Returns the reason why a loop stays a list of steps; empty if it becomes a function. Forks and library calls are no
/// reason: the host runs these steps for the function.
std::string_view why_not_whole(const Plan& plan, const WhileLoop& loop, std::span<const PlannedKernel> kernels,
                               const Costs& costs);

/// Replaces kWhile steps by kWholeLoop steps, starting with the outermost loops. Code generation needs their lists,
/// which stay until drop_whole_lists().
void make_whole_loops(PlannedProgram& program, const Costs& costs);
void drop_whole_lists(PlannedProgram& program);

}  // namespace hilo::engine
