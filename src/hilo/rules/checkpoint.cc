// SPDX-License-Identifier: Apache-2.0
// rules/checkpoint.cc -- rules of checkpoint: the forward pass saves the values that the policy selects; the linear
// function of the tangents first recomputes the others.
#include <algorithm>

#include "hilo/base/log.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/lax/carry.h"
#include "hilo/rules/named_rules.h"
#include "hilo/rules/policy_cut.h"
#include "hilo/rules/recompute.h"
#include "hilo/trace/ops.h"
#include "hilo/trace/settings.h"
#include "hilo/transform/custom_rules.h"
#include "hilo/transform/linearize.h"
#include "hilo/transform/part_of.h"
#include "hilo/transform/transpose.h"

namespace hilo {
namespace {

using hlo::ComputationPtr;
using hlo::InstructionId;
using Ids = std::vector<InstructionId>;

/// A function in two parts: the first returns (results, saved values), the second computes all residuals from saved
/// values and the arguments that it reads.
struct Rematerialized {
  ComputationPtr forward;          ///< arguments -> results, saved values
  ComputationPtr tangent;          ///< unknown arguments, saved values, arguments that it reads -> unknown results
  std::vector<size_t> read_again;  ///< indices of these arguments
  size_t result_count = 0;
};

/// Prints the report of log_checkpoint_residuals.
void log_kept(const hlo::Computation& again, size_t kept_count) {
  std::string kept, arguments;
  for (InstructionId id : again.parameters()) {
    std::string& text = id < kept_count ? kept : arguments;
    text += (text.empty() ? "" : ", ") + again.instruction(id).shape.to_string();
  }
  log_warning("{} keeps the arguments {} and the values {}", at_user_line("checkpoint"),
              arguments.empty() ? "(none)" : arguments, kept.empty() ? "(none)" : kept);
}

Rematerialized rematerialize(const SplitComputation& split, const std::string& name, const rules::Policy& policy) {
  Rematerialized out;
  out.result_count = split.known_result_count();
  const rules::PolicyCut cut = rules::cut_by_policy(*rules::without_calls(split.known), policy, out.result_count);

  const std::span<const InstructionId> all = cut.forward->root().operands;
  Ids results(all.begin(), all.begin() + out.result_count), effects;
  results.insert(results.end(), all.end() - cut.kept_count, all.end());
  for (const hlo::Instruction& i : cut.forward->instructions()) {
    if (has_effect(i)) effects.push_back(i.id);
  }
  out.forward = part_of(*cut.forward, cut.forward->parameters(), results, name + ".forward", effects);

  // Saved values follow the arguments, of which only those are passed that are read again.
  const auto parameters = cut.again->parameters();
  const size_t argument_count = parameters.size() - cut.kept_count;
  std::vector<bool> is_given(cut.again->size());
  for (InstructionId id : parameters) is_given[id] = true;
  Ids read, begin(parameters.begin() + argument_count, parameters.end());
  const std::vector<bool> needed = needed_for(*cut.again, cut.again->root().operands, is_given, read);
  for (size_t i = 0; i < argument_count; ++i) {
    if (!needed[parameters[i]]) continue;
    out.read_again.push_back(i);
    begin.push_back(parameters[i]);
  }
  const ComputationPtr again = part_of(*cut.again, begin, cut.again->root().operands, name + ".again");
  if (is_on(Setting::kLogCheckpointResiduals)) log_kept(*again, cut.kept_count);

  out.tangent = rules::with_residuals_from(*again, *split.unknown, split.residual_count, name + ".tangent");
  return out;
}

// ---- rules ----------------------------------------------------------------------------------------------------------

/// Binds a call of the computation that recomputes the function. `detail` is the policy's text.
std::vector<Array> bind_tangent(hlo::ComputationPtr computation, const std::string& detail,
                                std::vector<Array> operands) {
  auto own = std::make_shared<hlo::CustomRulesAttributes>();
  own->to_apply = std::move(computation);
  own->rules = kCheckpointTangent;
  own->detail = detail;
  return bind({hlo::kExtCustomRules, std::move(operands), std::move(own), std::nullopt});
}

/// The first part after its run: its results, and the operands of the second part.
struct Forward {
  Rematerialized parts;
  std::string detail;
  std::vector<Array> results, kept;

  std::vector<Array> bind_rest(std::vector<Array> unknown) const {
    unknown.insert(unknown.end(), kept.begin(), kept.end());
    return bind_tangent(parts.tangent, detail, std::move(unknown));
  }
};

/// Marks a value that the policy saves: a loop around the function must not compute it again.
Array saved(const Array& x) {
  return runs_at_once(std::span(&x, 1)) ? x : bind_identity(x, kCheckpointSaved, std::string());
}

Forward run_forward(const Operation& operation, const SplitComputation& split, std::span<const Array> known) {
  const std::string& detail = attributes_of<hlo::CustomRulesAttributes>(operation).detail;
  Forward run{rematerialize(split, attributes_of<hlo::CustomRulesAttributes>(operation).to_apply->name(),
                            rules::Policy(detail)),
              detail,
              {},
              {}};
  run.results = ops::call(run.parts.forward, {known.begin(), known.end()});
  for (size_t i = run.parts.result_count; i < run.results.size(); ++i) run.kept.push_back(saved(run.results[i]));
  run.results.resize(run.parts.result_count);
  for (size_t i : run.parts.read_again) run.kept.push_back(known[i]);
  return run;
}

LinearizeResult checkpoint_linearize(const Operation& operation, std::span<const bool> nonzero) {
  const auto& own = attributes_of<hlo::CustomRulesAttributes>(operation);
  const SplitComputation split = [&] {
    const PolicyScope inside(own.detail);
    return linearize_computation(own.to_apply, {nonzero.begin(), nonzero.end()}, {});
  }();
  const Forward run = run_forward(operation, split, operation.operands);
  return {run.results, [run, nonzero_results = split.unknown_results](std::span<const Tangent> tangents) {
            std::vector<Array> operands;
            lax::append_nonzero(operands, tangents);
            return lax::spread_tangents(run.bind_rest(std::move(operands)), nonzero_results);
          }};
}

std::optional<SplitResult> checkpoint_split(const Operation& operation, const Mask& unknown) {
  const auto& own = attributes_of<hlo::CustomRulesAttributes>(operation);
  const SplitComputation split = [&] {
    const PolicyScope inside(own.detail);
    return split_computation(own.to_apply, unknown, {});
  }();
  const auto [known, rest] = lax::known_and_unknown(operation.operands, unknown);
  const Forward run = run_forward(operation, split, known);
  return SplitResult{lax::spread_known(run.results, split.unknown_results),
                     [run, rest] { return run.bind_rest(rest); }};
}

/// Recomputation depends on the cotangents through a barrier. Otherwise the compiler would merge it with the forward
/// pass and store the values. Without prevent_cse this is permitted.
void tangent_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  Mask linear;
  std::vector<Array> operands;
  for (const Array& a : operation.operands) {
    linear.push_back(is_linear_operand(a));
    if (!linear.back()) operands.push_back(a);
  }
  lax::append_nonzero(operands, cts);
  const std::string& detail = attributes_of<hlo::CustomRulesAttributes>(operation).detail;
  if (rules::Policy(detail).prevent_cse)
    operands = bind({hlo::Opcode::kOptimizationBarrier, std::move(operands), nullptr, std::nullopt});
  const std::vector<Array> pulled =
      bind_tangent(transpose_computation(attributes_of<hlo::CustomRulesAttributes>(operation).to_apply, linear,
                                         lax::nonzero_mask(cts)),
                   detail, std::move(operands));
  for (size_t i = 0, next = 0; i < linear.size(); ++i) {
    if (linear[i]) out.add(i, pulled[next++]);
  }
}

JvpResult name_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  return {bind(operation), {tangents[0]}};
}

void name_transpose(const Operation&, std::span<const Tangent> cts, Cotangents& out) {
  if (!cts[0].is_zero()) out.add(0, cts[0].value());
}

BatchResult name_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext&) {
  const auto& own = attributes_of<hlo::CustomRulesAttributes>(operation);
  return {{bind_identity(operation.operands[0], own.rules, own.detail)}, {dims[0]}};
}

}  // namespace

const CustomRules* rules::checkpoint_rules(std::string_view rules) {
  static const CustomRules kWhole{{}, checkpoint_linearize, {}, {}, checkpoint_split},
      kTangent{{}, {}, tangent_transpose, {}}, kName{name_jvp, {}, name_transpose, name_batch};
  if (rules == kCheckpoint) return &kWhole;
  if (rules == kCheckpointTangent) return &kTangent;
  return rules == kCheckpointName || rules == kCheckpointSaved ? &kName : nullptr;
}

}  // namespace hilo
