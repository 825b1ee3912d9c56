// SPDX-License-Identifier: Apache-2.0
// stablehlo/devices/sharding_rule.h -- the text of Shardy's rules: how an operation's dimensions belong together.
#pragma once

#include <string_view>

#include "hilo/hlo/sharding/rule.h"

namespace hilo::stablehlo {

/// `<([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}, custom>`; before it `#sdy.op_sharding_rule` may stand. A
/// dimension of several factors is `ik`, major first, one of none `{}`.
/// Errors    INVALID_ARGUMENT for other text, factors without a size, and sizes below 0
StatusOr<hlo::ShardingRule> parse_sharding_rule(std::string_view text);

/// Whether arrays of these shapes have the rule's dimensions, and the factors fit into them.
/// Errors    INVALID_ARGUMENT
Status check_sharding_rule(const hlo::ShardingRule& rule, const std::vector<Shape>& operands,
                           const std::vector<Shape>& results);

}  // namespace hilo::stablehlo
