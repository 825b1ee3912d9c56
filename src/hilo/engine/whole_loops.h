// SPDX-License-Identifier: Apache-2.0
// engine/whole_loops.h -- which loops of a plan become functions, and what such a function is made of.
#pragma once

#include "hilo/engine/planner.h"

namespace hilo::engine {

/// Why a loop stays a list of steps; empty if it becomes a function. Forks and library calls are no reason: the
/// function hands such steps out.
std::string_view why_not_whole(const Plan& plan, const WhileLoop& loop, std::span<const PlannedKernel> kernels,
                               const Costs& costs);

/// Replaces kWhile steps by kWholeLoop steps, the outermost loops that can be first. Their lists stay, for who writes
/// the functions, until drop_whole_lists().
void make_whole_loops(PlannedProgram& program, const Costs& costs);
void drop_whole_lists(PlannedProgram& program);

}  // namespace hilo::engine
