// SPDX-License-Identifier: Apache-2.0
// transform/part_of.h -- cuts a computation out of another one: what is computed again, or before a loop.
#pragma once

#include <span>
#include <vector>

#include "hilo/hlo/ir/computation.h"

namespace hilo {

/// Does something happen beside the result? That is not done again, nor elsewhere.
bool has_effect(const hlo::Instruction& instruction);

/// Instructions that `outputs` need, walking back as far as `is_given`; the given ones that are met go to `given`.
std::vector<bool> needed_for(const hlo::Computation& computation, std::span<const hlo::InstructionId> outputs,
                             const std::vector<bool>& is_given, std::vector<hlo::InstructionId>& given);

/// The part that computes `outputs` from the values of `given`, as a computation: its parameters are these values in order,
/// its root is a tuple. `also` has instructions that stay in it beside.
///   part_of(x, w -> a = sin(w), b = a * x, given [w], outputs [a])   is   w -> (sin(w))
hlo::ComputationPtr part_of(const hlo::Computation& computation, std::span<const hlo::InstructionId> given,
                            std::span<const hlo::InstructionId> outputs, const std::string& name,
                            std::span<const hlo::InstructionId> also = {});

/// One entry an instruction: does its value follow from the `given` ones and constants alone, without an effect?
std::vector<bool> follows_from(const hlo::Computation& computation, std::span<const hlo::InstructionId> given);

}  // namespace hilo
