// SPDX-License-Identifier: Apache-2.0
// backend/cpu/whole_loops.h -- which loops of a program become functions, and their code.
#pragma once

#include "hilo/backend/cpu/emit/whole_loop.h"
#include "hilo/hlo/ir/pass_observer.h"

namespace hilo::cpu {

/// Why a loop stays a list of steps; empty if it becomes a function. Forks and library calls are no reason: the function
/// hands such steps out.
std::string_view why_not_whole(const Program& program, const WhileLoop& loop, std::span<const PlannedKernel> kernels);

/// Replaces kWhile steps by kWholeLoop steps, the outermost loops that can be first. Code is shared by all programs of the
/// process. The kernels that it calls are listed in Program::whole_loops and not compiled here.
/// Errors    those of emit_whole_loop and the code generator
Status make_whole_loops(Program& program, std::span<const PlannedKernel> kernels, Isa isa,
                        hlo::PassObserver* observer = nullptr);

}  // namespace hilo::cpu
