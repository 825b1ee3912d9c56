// SPDX-License-Identifier: Apache-2.0
// rules/policy_cut.h -- what a checkpoint policy keeps of a computation, and what is left to compute again. Not for users.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hilo/hlo/ir/computation.h"

namespace hilo::rules {

/// A policy's text, taken apart.
struct Policy {
  explicit Policy(std::string_view text);

  /// May the forward pass keep the value of `i`, an instruction of `c`?
  /// Errors    throws FAILED_PRECONDITION for a predicate of another process
  bool keeps(const hlo::Computation& c, const hlo::Instruction& i) const;

  bool prevent_cse = true;

 private:
  bool keeps_array(const hlo::Instruction& i, const std::string& name, const hlo::Computation& c) const;

  std::string kind_;
  std::vector<std::string> names_;
};

/// A computation (root: a tuple) in two, that of the forward pass and that of what is computed again.
struct PolicyCut {
  hlo::ComputationPtr forward;  ///< arguments -> results, kept values
  hlo::ComputationPtr again;    ///< arguments, kept values -> results from `first` on
  size_t kept_count = 0;
};

/// Cuts a computation, and the steps of its scans: what is kept of a step is stacked.
///   (x -> a = sin(x), b = cos(a), (b)) that keeps a:   forward x -> (b, a),   again (x, a) -> (cos(a))
PolicyCut cut_by_policy(const hlo::Computation& computation, const Policy& policy, size_t first = 0);

}  // namespace hilo::rules
