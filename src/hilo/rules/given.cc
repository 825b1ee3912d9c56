// SPDX-License-Identifier: Apache-2.0
#include "hilo/rules/given.h"

#include "hilo/transform/given_rules.h"

namespace hilo::rules {
namespace {

constexpr RegisteredRules kForTrace = {
    .rules_of = find_rules, .report_bad_values = find_bad_values, .track_keys = walk_keys};
constexpr RegisteredTransformRules kForTransform = {.named_custom_rules = find_named_rules,
                                                    .jet_rule = find_series,
                                                    .jet_replacement = find_jet_replacement,
                                                    .bind_checked_op = checkify::check_op,
                                                    .bind_checked_calls = checkify::check_calls};
[[maybe_unused]] const bool given = register_rules(kForTrace) && register_transform_rules(kForTransform);

}  // namespace
}  // namespace hilo::rules
