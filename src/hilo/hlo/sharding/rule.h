// SPDX-License-Identifier: Apache-2.0
// hlo/sharding/rule.h -- how the dimensions of an op's operands and results correspond when they are sharded.
#pragma once

#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {

/// Returns the rule of an instruction without looking into called computations. Control flow, tuples, and ops that
/// can't be sharded have a rule without factors.
/// Source    Shardy's op sharding rules
ShardingRule sharding_rule(const Instruction& instruction, const Computation& computation);

/// Returns `([i,k],[k,j])->([i,j]) {i=8, j=16, k=32} reduction={k}`, for tests and messages.
std::string to_string(const ShardingRule& rule);

}  // namespace hilo::hlo
