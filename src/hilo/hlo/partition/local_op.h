// SPDX-License-Identifier: Apache-2.0
// hlo/partition/local_op.h -- how each op is computed when its dimensions are sharded.
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/hlo/sharding/rule.h"

namespace hilo::hlo {

/// Returns the dimension and direction of a cumulative reduction: certain reduce-windows and extension ops. Returns
/// nothing for all other instructions.
std::optional<Cumulative> cumulative_of(const Instruction& instruction, const Computation& computation);

/// Returns the reducer of such an instruction. For cumlogsumexp, the kind with the same neutral value.
ReducerKind running_kind(const Instruction& instruction);

/// Returns the rule and strategies of an op, without looking into called computations.
LocalOp local_op(const Instruction& instruction, const Computation& computation);

/// Returns the attributes for shards: sizes are adapted, other attributes are unchanged. `whole` and `part` are those
/// of the first operand, `result` is the result's shard.
AttributesPtr local_attributes(const Instruction& instruction, const Shape& whole, const Shape& part,
                               const Shape& result);

/// Returns whether each device runs the custom call on its shards, including its effects. Such a call has no results
/// (JAX's callbacks with `partitioned=True`, dce_sink).
bool is_per_device_call(const Instruction& instruction);

/// Rejects programs whose meaning would change on several devices: effects, random numbers without a key and, unless
/// the program has manual computations, collectives and device ids.
/// Errors    UNIMPLEMENTED
Status check_partitionable(const Module& module, bool has_manual);

}  // namespace hilo::hlo
