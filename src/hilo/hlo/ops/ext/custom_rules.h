// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/custom_rules.h -- the extension op custom_rules: a call of a computation with custom rules for
// derivatives, transposes and batches.
#pragma once

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// Operands: the parameters of `to_apply`. Result: its result.
struct CustomRulesAttributes : Attributes {
  ComputationPtr to_apply;
  /// The kind of rules: "custom_jvp", "custom_vjp", "custom_vmap", "checkpoint", "checkpoint_name", ...
  std::string rules;
  /// Argument of these rules: the policy of a checkpoint, the name of a value.
  std::string detail;
  /// Identifies `user` in comparisons of attributes; 0 without it.
  int64_t id = 0;
  /// The op can only be transposed, not run.
  bool transpose_only = false;
  /// The rules of a user's function, a transform's CustomRules; for "sharding_constraint" the sharding. It is not a
  /// field: a stored program has none, and the op then has the derivatives of the called computation.
  std::shared_ptr<const void> user;
};

/// The value of `rules` for a call that returns the results of a function, then those of its custom_vjp's fwd, then the
/// residuals; `detail` is their number. The pass optimize_remat uses the first if no residual is needed.
inline constexpr char kOptimizeRemat[] = "optimize_remat";

}  // namespace hilo::hlo
