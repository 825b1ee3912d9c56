// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/given_rules.h"

namespace hilo {
namespace {

constinit const RegisteredTransformRules* given = nullptr;

const RegisteredTransformRules& given_rules() {
  if (given == nullptr) [[unlikely]]
    or_throw(internal_error("a program without hilo/rules asks for the rules of a call"));
  return *given;
}

}  // namespace

bool register_transform_rules(const RegisteredTransformRules& rules) {
  given = &rules;
  return true;
}

const CustomRules* named_custom_rules(std::string_view rules) { return given_rules().named_custom_rules(rules); }

std::optional<Series> jet_rule(const Operation& operation, std::span<const Series> operands, size_t order) {
  return given_rules().jet_rule(operation, operands, order);
}

hlo::ComputationPtr jet_replacement(const Operation& operation) { return given_rules().jet_replacement(operation); }

std::vector<Array> checkify::bind_checked_op(const Operation& operation, ErrorSet errors, CheckState& state) {
  return given_rules().bind_checked_op(operation, errors, state);
}

std::optional<std::vector<Array>> checkify::bind_checked_calls(const Operation& operation, ErrorSet errors,
                                                               CheckState& state) {
  return given_rules().bind_checked_calls(operation, errors, state);
}

}  // namespace hilo
