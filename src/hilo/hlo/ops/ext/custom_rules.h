// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/custom_rules.h -- the extension op custom_rules: a call of a computation that brings rules of its own for
// derivatives, transposes and batches.
#pragma once

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// Operands: the parameters of `to_apply`. Result: what it gives for them.
struct CustomRulesAttributes : Attributes {
  ComputationPtr to_apply;
  /// Whose rules: "custom_jvp", "custom_vjp", "custom_vmap", "checkpoint", "checkpoint_name", ...
  std::string rules;
  /// What these rules are told: the policy of a checkpoint, the name that a value has.
  std::string detail;
  /// Stands for `user` where two of these are compared; 0 without it.
  int64_t id = 0;
  /// Only the transpose is known: it can't run.
  bool transpose_only = false;
  /// The rules of a user's function, a transform's CustomRules; of a "sharding_constraint" the sharding. No field: a stored
  /// program has none, and there the op is as differentiable as what it calls.
  std::shared_ptr<const void> user;
};

/// `rules` of a call that gives the results of a function, then those of its custom_vjp's fwd, then the residuals; `detail`
/// has their number. The pass optimize_remat picks the first where no residual is needed.
inline constexpr char kOptimizeRemat[] = "optimize_remat";

const OpDef& ext_custom_rules_op();

}  // namespace hilo::hlo
