// SPDX-License-Identifier: Apache-2.0
// transform/given_rules.h -- functions of rules/ that this folder calls, besides the rules of ops (trace/rules.h). Not
// for users.
#pragma once

#include "hilo/transform/check_state.h"
#include "hilo/transform/custom_rules.h"
#include "hilo/transform/jet_trace.h"

namespace hilo {

/// The functions of the same names in the three headers call these. rules/given.cc registers them when the library is
/// loaded.
struct RegisteredTransformRules {
  const CustomRules* (*named_custom_rules)(std::string_view rules);
  std::optional<Series> (*jet_rule)(const Operation& operation, std::span<const Series> operands, size_t order);
  hlo::ComputationPtr (*jet_replacement)(const Operation& operation);
  std::vector<Array> (*bind_checked_op)(const Operation& operation, checkify::ErrorSet errors,
                                        checkify::CheckState& state);
  std::optional<std::vector<Array>> (*bind_checked_calls)(const Operation& operation, checkify::ErrorSet errors,
                                                          checkify::CheckState& state);
};
/// Registers the functions. Returns true, so that it can initialize a constant.
/// Precondition: `rules` lives as long as the process
bool register_transform_rules(const RegisteredTransformRules& rules);

}  // namespace hilo
