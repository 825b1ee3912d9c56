// SPDX-License-Identifier: Apache-2.0
// stablehlo/devices/sharding_rule.h -- reads the text of Shardy's rules, which relate the dimensions of an operation's
// arrays.
#pragma once

#include <string_view>

#include "hilo/hlo/sharding/rule.h"

namespace hilo::stablehlo {

/// Parses `<([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}, custom>`, optionally after
/// `#sdy.op_sharding_rule`. A dimension with several factors is `ik`, major first; one without factors is `{}`.
/// Errors    INVALID_ARGUMENT for other text, factors without a size, and negative sizes
StatusOr<hlo::ShardingRule> parse_sharding_rule(std::string_view text);

/// Checks that the rule's dimensions match arrays of these shapes, and that the factors divide them.
/// Errors    INVALID_ARGUMENT
Status check_sharding_rule(const hlo::ShardingRule& rule, const std::vector<Shape>& operands,
                           const std::vector<Shape>& results);

}  // namespace hilo::stablehlo
