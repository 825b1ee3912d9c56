// SPDX-License-Identifier: Apache-2.0
// transform/part_of.h -- extracts a part of a computation: one to recompute, or to run before a loop.
#pragma once

#include <span>
#include <vector>

#include "hilo/hlo/ir/computation.h"

namespace hilo {

/// Whether the instruction has a side effect. It must be neither repeated nor moved.
bool has_effect(const hlo::Instruction& instruction);

/// Returns the instructions that `outputs` need, walking back to those for which `is_given` holds; adds the reached
/// ones of these to `given`.
std::vector<bool> needed_for(const hlo::Computation& computation, std::span<const hlo::InstructionId> outputs,
                             const std::vector<bool>& is_given, std::vector<hlo::InstructionId>& given);

/// Returns the part that computes `outputs` from the values of `given`, as a computation: its parameters are these
/// values in order, its root is a tuple. The instructions in `also` are included too.
///   part_of(x, w -> a = sin(w), b = a * x, given [w], outputs [a])   is   w -> (sin(w))
hlo::ComputationPtr part_of(const hlo::Computation& computation, std::span<const hlo::InstructionId> given,
                            std::span<const hlo::InstructionId> outputs, const std::string& name,
                            std::span<const hlo::InstructionId> also = {});

/// Returns one entry per instruction: whether its value depends only on `given` and constants, without an effect.
std::vector<bool> follows_from(const hlo::Computation& computation, std::span<const hlo::InstructionId> given);

}  // namespace hilo
