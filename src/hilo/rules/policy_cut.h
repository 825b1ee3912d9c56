// SPDX-License-Identifier: Apache-2.0
// rules/policy_cut.h -- splits a computation by a checkpoint policy into saved and recomputed values. Not for users.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hilo/hlo/ir/computation.h"

namespace hilo::rules {

/// A parsed policy.
struct Policy {
  explicit Policy(std::string_view text);

  /// Returns whether the forward pass may save the value of `i`, an instruction of `c`.
  /// Errors     throws FAILED_PRECONDITION for a predicate of another process
  bool keeps(const hlo::Computation& c, const hlo::Instruction& i) const;

  bool prevent_cse = true;

 private:
  bool keeps_array(const hlo::Instruction& i, const std::string& name, const hlo::Computation& c) const;

  std::string kind_;
  std::vector<std::string> names_;
};

/// A computation (root: a tuple) in two parts: the forward pass, and the recomputation.
struct PolicyCut {
  hlo::ComputationPtr forward;  ///< arguments -> results, saved values
  hlo::ComputationPtr again;    ///< arguments, saved values -> results from `first` on
  size_t kept_count = 0;
};

/// Splits a computation, and the steps of its scans; values saved in a step are stacked.
///   (x -> a = sin(x), b = cos(a), (b)) that saves a:   forward x -> (b, a),   again (x, a) -> (cos(a))
PolicyCut cut_by_policy(const hlo::Computation& computation, const Policy& policy, size_t first = 0);

}  // namespace hilo::rules
