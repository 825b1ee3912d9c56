// SPDX-License-Identifier: Apache-2.0
// hlo/sharding/rule.h -- how the dimensions of an op's operands and results belong together when devices share them.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// What sharding a factor asks for.
enum class FactorKind : uint8_t {
  kPass,       ///< nothing: each device computes its part
  kReduction,  ///< results are parts of sums, which devices add up
  kReplicate,  ///< the op wants the dimension whole
  kPermute,    ///< devices hand elements to others along the dimension
};

/// A letter of the rule `([i,k],[k,j])->([i,j])`.
struct Factor {
  int64_t size = 1;
  FactorKind kind = FactorKind::kPass;
  bool blocked = false;  ///< shardings don't propagate along it
};

/// The factors that each dimension of an array consists of, major first; none where a dimension stands alone.
using ArrayFactors = std::vector<std::vector<int>>;

/// Arrays in tuples count one by one, in order.
struct ShardingRule {
  std::vector<Factor> factors;
  std::vector<ArrayFactors> operands, results;
};

/// The rule of an instruction whose called computations stay closed. Control flow, tuples, and whatever can't be sharded have
/// a rule without factors.
/// Source    Shardy's op sharding rules
ShardingRule sharding_rule(const Instruction& instruction, const Computation& computation);

/// `([i,k],[k,j])->([i,j]) {i=8, j=16, k=32} reduction={k}`, for tests and messages.
std::string to_string(const ShardingRule& rule);

}  // namespace hilo::hlo
