// SPDX-License-Identifier: Apache-2.0
// hlo/partition/local_op.h -- what becomes of each op when devices share its dimensions.
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/hlo/sharding/rule.h"

namespace hilo::hlo {

/// How reduce-windows run along a line, and the extension ops that do: nothing for all other instructions.
std::optional<Cumulative> cumulative_of(const Instruction& instruction, const Computation& computation);

/// What such an instruction reduces by; of a sum of exponentials, the kind that has its neutral value.
ReducerKind running_kind(const Instruction& instruction);

/// An op whose called computations stay closed.
LocalOp local_op(const Instruction& instruction, const Computation& computation);

/// The attributes on parts, where they say sizes; others as they are. `whole` and `part` are the op's first operand's,
/// `result` its result's part.
AttributesPtr local_attributes(const Instruction& instruction, const Shape& whole, const Shape& part,
                               const Shape& result);

/// A custom call that each device makes with its parts, effects and all: it has no results (JAX's callbacks with
/// `partitioned=True`).
bool is_called_by_each_device(const Instruction& instruction);

/// Refuses what means something else on several devices: effects, random numbers that have no key, and unless the program has
/// computations by hand collectives and ids of devices.
/// Errors    UNIMPLEMENTED
Status check_partitionable(const Module& module, bool by_hand);

}  // namespace hilo::hlo
