// SPDX-License-Identifier: Apache-2.0
// rules/custom_rules.cc -- rules of calls with custom rules, and the defaults for missing ones.
#include "hilo/transform/custom_rules.h"

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/ext/custom_vjp.h"
#include "hilo/lax/carry.h"
#include "hilo/rules/extension_rules.h"
#include "hilo/rules/given.h"
#include "hilo/rules/named_rules.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/linearize.h"
#include "hilo/transform/transpose.h"

namespace hilo::rules {

using namespace lax;
namespace {

/// Returns the rules of the op: the user's, or those of its name.
const CustomRules& rules(const Operation& operation) {
  static const CustomRules kAsCall;
  if (const CustomRules* user = custom_rules_of(operation)) return *user;
  const CustomRules* named = named_custom_rules(attributes_of<hlo::CustomRulesAttributes>(operation).rules);
  return named == nullptr ? kAsCall : *named;
}

/// Binds the same op with another computation. A user's rules are valid only for the user's function.
std::vector<Array> around(const Operation& like, hlo::ComputationPtr computation, std::vector<Array> operands) {
  if (custom_rules_of(like) != nullptr) return ops::call(computation, std::move(operands));
  auto changed = std::make_shared<hlo::CustomRulesAttributes>(attributes_of<hlo::CustomRulesAttributes>(like));
  changed->to_apply = std::move(computation);
  return bind({hlo::kExtCustomRules, std::move(operands), std::move(changed), std::nullopt});
}

[[noreturn]] void refuse_forward_mode(const Operation& operation) {
  or_throw(unimplemented("jvp of " + at_user_line(attributes_of<hlo::CustomRulesAttributes>(operation).rules) + ": " +
                         hlo::kNoForwardMode));
  __builtin_unreachable();
}

JvpResult custom_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const CustomRules& own = rules(operation);
  if (own.jvp) return own.jvp(operation, tangents);
  if (own.reverse_only || attributes_of<hlo::CustomRulesAttributes>(operation).transpose_only)
    refuse_forward_mode(operation);
  const JvpComputation jvp =
      jvp_computation(attributes_of<hlo::CustomRulesAttributes>(operation).to_apply, nonzero_mask(tangents), {});
  std::vector<Array> operands = operation.operands;
  append_nonzero(operands, tangents);
  return split_primals(around(operation, jvp.computation, std::move(operands)), jvp.nonzero_results);
}

/// Returns a call of the function without its rules.
Operation as_call(const Operation& operation) {
  auto call = std::make_shared<hlo::CallAttributes>();
  call->to_apply = attributes_of<hlo::CustomRulesAttributes>(operation).to_apply;
  return {hlo::Opcode::kCall, operation.operands, std::move(call), std::nullopt};
}

LinearizeResult custom_linearize(const Operation& operation, std::span<const bool> nonzero) {
  const CustomRules& own = rules(operation);
  if (own.linearize) return own.linearize(operation, nonzero);
  return call_rules.linearize(as_call(operation), nonzero);
}

/// An op with a transpose rule is linear in its unknown operands and staged whole; so is a host call. Other ops need
/// their rules no longer, because they are being transposed.
std::optional<SplitResult> custom_split(const Operation& operation, const Mask& unknown) {
  const CustomRules& own = rules(operation);
  if (own.split) return own.split(operation, unknown);
  const hlo::CustomRulesAttributes& a = attributes_of<hlo::CustomRulesAttributes>(operation);
  if (own.transpose || a.transpose_only || a.to_apply->has_effect()) return std::nullopt;
  return call_rules.split(as_call(operation), unknown);
}

void custom_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const CustomRules& own = rules(operation);
  if (own.transpose) return own.transpose(operation, cts, out);
  Mask linear;
  std::vector<Array> operands;
  for (const Array& a : operation.operands) {
    linear.push_back(is_linear_operand(a));
    if (!linear.back()) operands.push_back(a);
  }
  append_nonzero(operands, cts);
  const std::vector<Array> pulled = around(
      operation,
      transpose_computation(attributes_of<hlo::CustomRulesAttributes>(operation).to_apply, linear, nonzero_mask(cts)),
      std::move(operands));
  for (size_t i = 0, next = 0; i < linear.size(); ++i) {
    if (linear[i]) out.add(i, pulled[next++]);
  }
}

/// Binds the same op with the batched computation. `force` makes results batched even if they needn't be.
BatchResult batch_inside(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context,
                         const std::vector<bool>& force) {
  const BatchedComputation batched = batch_computation(attributes_of<hlo::CustomRulesAttributes>(operation).to_apply,
                                                       batched_mask(dims), force, context);
  return batched_results(around(operation, batched.computation, batch_in_front(operation.operands, dims)),
                         batched.batched_results);
}

BatchResult custom_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  const CustomRules& own = rules(operation);
  if (own.batch) return own.batch(operation, dims, context);
  if (attributes_of<hlo::CustomRulesAttributes>(operation).transpose_only) refuse_forward_mode(operation);
  return batch_inside(operation, dims, context, {});
}

/// Results of the function and of fwd are interchangeable, so all are batched: one of the two may not depend on batched
/// values.
BatchResult optimize_remat_batch(const Operation& operation, std::span<const BatchDim> dims,
                                 const BatchContext& context) {
  const size_t count = attributes_of<hlo::CustomRulesAttributes>(operation).to_apply->result_shape().leaves().size();
  return batch_inside(operation, dims, context, std::vector<bool>(count, true));
}

/// Under a derivative, only fwd is used.
JvpResult optimize_remat_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  return jvp_flat(
      [&](std::span<const Array> x) {
        return run_computation(*attributes_of<hlo::CustomRulesAttributes>(operation).to_apply, x);
      },
      operation.operands, tangents);
}

}  // namespace

const Rules custom_rules_rules = {custom_jvp, custom_transpose, custom_batch, custom_linearize, custom_split};

}  // namespace hilo::rules

namespace hilo {

const CustomRules* rules::find_named_rules(std::string_view name) {
  static const CustomRules kOptimizeRemat{rules::optimize_remat_jvp, {}, {}, rules::optimize_remat_batch};
  if (name == hlo::kOptimizeRemat) return &kOptimizeRemat;
  if (const CustomRules* found = rules::checkpoint_rules(name)) return found;
  if (const CustomRules* found = rules::check_rules(name)) return found;
  if (const CustomRules* found = rules::sharding_constraint_rules(name)) return found;
  if (const CustomRules* found = rules::free_turns_rules(name)) return found;
  return rules::callback_rules(name);
}

}  // namespace hilo
