// SPDX-License-Identifier: Apache-2.0
#include "hilo/rules/vanishing.h"

#include "hilo/hlo/ops/ext/custom_rules.h"
#include "hilo/hlo/ops/extensions.h"
#include "hilo/rules/named_rules.h"
#include "hilo/transform/jvp.h"

namespace hilo::rules {
namespace {

/// The operands from here on are `linear`; transposes and batches keep them last.
size_t known_count(const Operation& operation) {
  return std::stoul(attributes_of<hlo::CustomRulesAttributes>(operation).detail);
}

/// By `known` with f's derivative, by `linear` with the same op.
JvpResult vanishing_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const hlo::ComputationPtr& f = attributes_of<hlo::CustomRulesAttributes>(operation).to_apply;
  const size_t count = known_count(operation);
  std::vector<Tangent> of_known(tangents.begin(), tangents.end());
  std::fill(of_known.begin() + static_cast<int64_t>(count), of_known.end(), Tangent());
  JvpResult result{bind(operation), std::vector<Tangent>(f->result_shape().leaves().size())};
  if (std::ranges::any_of(of_known, [](const Tangent& t) { return !t.is_zero(); })) {
    const auto run = [&](std::span<const Array> x) { return run_computation(*f, x); };
    result.tangents = jvp_flat(run, operation.operands, of_known).tangents;
  }
  const auto of_linear = tangents.subspan(count);
  if (std::ranges::all_of(of_linear, [](const Tangent& t) { return t.is_zero(); })) return result;
  Operation moved = operation;
  for (size_t i = count; i < moved.operands.size(); ++i)
    moved.operands[i] = materialize(tangents[i], {operation.operands[i].aval_shape(), false});
  const std::vector<Array> along = bind(moved);
  for (size_t i = 0; i < along.size(); ++i) result.tangents[i] = add_tangents(result.tangents[i], along[i]);
  return result;
}

}  // namespace

std::vector<Array> vanishing(const FlatFunction& f, const std::vector<Array>& known, const std::vector<Array>& linear) {
  std::vector<Array> operands = known;
  operands.insert(operands.end(), linear.begin(), linear.end());
  const StagedFunction staged = stage(f, avals_of(operands), hlo::kVanishing, hlo::kVanishing, CapturePlace::kNone);
  return bind_custom_rules(staged, operands, hlo::kVanishing, 0, nullptr, std::to_string(known.size()));
}

const CustomRules* vanishing_rules(std::string_view rules) {
  static const CustomRules kRules{.jvp = vanishing_jvp,
                                  .linearize = {},
                                  .transpose = {},
                                  .batch = {},
                                  // Staged whole, or its parts would be what they call.
                                  .split = [](const Operation&, const std::vector<bool>&) { return std::nullopt; }};
  return rules == hlo::kVanishing ? &kRules : nullptr;
}

}  // namespace hilo::rules
