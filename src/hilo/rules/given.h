// SPDX-License-Identifier: Apache-2.0
// rules/given.h -- functions that this folder provides to trace/ and transform/, which don't include it. rules/given.cc
// registers them. Each implements a function that a lower header declares.
#pragma once

#include <functional>

#include "hilo/transform/check_state.h"
#include "hilo/transform/custom_rules.h"
#include "hilo/transform/jet_trace.h"

namespace hilo::rules {

const Rules& find_rules(hlo::Opcode opcode);       ///< implements rules_of
void find_bad_values(const Operation& operation);  ///< implements report_bad_values
std::vector<Array> walk_keys(const Operation& operation,
                             const std::function<std::vector<Array>()>& run);  ///< implements track_keys
const CustomRules* find_named_rules(std::string_view name);                    ///< implements named_custom_rules
std::optional<Series> find_series(const Operation& operation, std::span<const Series> operands,
                                  size_t order);                       ///< implements jet_rule
hlo::ComputationPtr find_jet_replacement(const Operation& operation);  ///< implements jet_replacement

}  // namespace hilo::rules

namespace hilo::checkify {

/// implements bind_checked_op
std::vector<Array> check_op(const Operation& operation, ErrorSet errors, CheckState& state);
/// Implements bind_checked_calls.
std::optional<std::vector<Array>> check_calls(const Operation& operation, ErrorSet errors, CheckState& state);

}  // namespace hilo::checkify
