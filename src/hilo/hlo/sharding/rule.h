// SPDX-License-Identifier: Apache-2.0
// hlo/sharding/rule.h -- how the dimensions of an op's operands and results belong together when devices share them.
#pragma once

#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {

/// The rule of an instruction whose called computations stay closed. Control flow, tuples, and whatever can't be sharded have
/// a rule without factors.
/// Source    Shardy's op sharding rules
ShardingRule sharding_rule(const Instruction& instruction, const Computation& computation);

/// `([i,k],[k,j])->([i,j]) {i=8, j=16, k=32} reduction={k}`, for tests and messages.
std::string to_string(const ShardingRule& rule);

}  // namespace hilo::hlo
