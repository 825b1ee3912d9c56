// SPDX-License-Identifier: Apache-2.0
// hlo/partition/local_op.h -- what becomes of each op when devices share its dimensions.
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/sharding/rule.h"

namespace hilo::hlo {

/// What an op does where devices share a factor of its rule.
enum class LocalWay : uint8_t {
  kWhole,    ///< it needs the factor whole
  kPart,     ///< on parts it gives parts
  kPartial,  ///< on parts it gives what is to be reduced over the devices
};

struct LocalOp {
  ShardingRule rule;
  std::vector<LocalWay> ways;  ///< by factor
};

/// An op whose called computations stay closed.
LocalOp local_op(const Instruction& instruction, const Computation& computation);

/// The attributes on parts, where they say sizes; others as they are. `whole` and `part` are the op's first operand's,
/// `result` its result's part.
AttributesPtr local_attributes(const Instruction& instruction, const Shape& whole, const Shape& part,
                               const Shape& result);

/// Refuses what means something else on several devices: collectives and ids of the program's own, effects, random numbers
/// that have no key.
/// Errors    UNIMPLEMENTED
Status check_partitionable(const Module& module);

}  // namespace hilo::hlo
