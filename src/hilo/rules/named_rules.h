// SPDX-License-Identifier: Apache-2.0
// rules/named_rules.h -- rules without user data, by the name in CustomRulesAttributes::rules; null for other names.
#pragma once

#include "hilo/transform/custom_rules.h"

namespace hilo::rules {

const CustomRules* callback_rules(std::string_view rules);
const CustomRules* check_rules(std::string_view rules);
const CustomRules* checkpoint_rules(std::string_view rules);
const CustomRules* free_turns_rules(std::string_view rules);
const CustomRules* sharding_constraint_rules(std::string_view rules);

}  // namespace hilo::rules
