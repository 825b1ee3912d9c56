// SPDX-License-Identifier: Apache-2.0
// rules/given.h -- what this folder gives to trace/ and transform/, which don't include it: rules/given.cc puts it into their
// tables. Each function does the work of one that a lower header declares.
#pragma once

#include <functional>

#include "hilo/transform/check_state.h"
#include "hilo/transform/custom_rules.h"
#include "hilo/transform/jet_trace.h"

namespace hilo::rules {

const Rules& find_rules(hlo::Opcode opcode);       ///< rules_of
void find_bad_values(const Operation& operation);  ///< report_bad_values
std::vector<Array> walk_keys(const Operation& operation,
                             const std::function<std::vector<Array>()>& run);  ///< follow_keys
const CustomRules* find_named_rules(std::string_view name);                    ///< named_custom_rules
std::optional<Series> find_series(const Operation& operation, std::span<const Series> operands,
                                  size_t order);                ///< jet_rule
hlo::ComputationPtr find_stand_in(const Operation& operation);  ///< jet_stand_in

}  // namespace hilo::rules

namespace hilo::checkify {

std::vector<Array> check_op(const Operation& operation, ErrorSet errors, CheckState& state);  ///< bind_checked_op
/// bind_checked_calls
std::optional<std::vector<Array>> check_calls(const Operation& operation, ErrorSet errors, CheckState& state);

}  // namespace hilo::checkify
