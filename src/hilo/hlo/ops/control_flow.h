// SPDX-License-Identifier: Apache-2.0
// hlo/ops/control_flow.h -- parameters, tuples, calls, loops, branches and the barrier.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

struct ParameterAttributes : Attributes {
  int64_t number = 0;
};

struct GetTupleElementAttributes : Attributes {
  int64_t index = 0;
};

/// A composite is a call that represents a named op; `to_apply` is its decomposition.
struct CallAttributes : Attributes {
  ComputationPtr to_apply;
  bool is_composite = false;
};

/// One operand, the carry (a tuple or an array). condition: carry -> pred[]; body: carry -> carry.
struct WhileAttributes : Attributes {
  ComputationPtr condition;
  ComputationPtr body;
};

/// Two forms: (pred[], true operand, false operand) with {true, false}; (s32[], operand 0, ...) with n branches, where
/// an index out of range selects the last branch. Each branch has one operand. `predicated` distinguishes the two
/// forms.
struct ConditionalAttributes : Attributes {
  std::vector<ComputationPtr> branches;
  bool predicated = false;
};

/// Returns the branch that a predicate or an index selects.
size_t chosen_branch(const ConditionalAttributes& conditional, int64_t selector);
size_t chosen_branch(const ConditionalAttributes& conditional, const Literal& selector);

}  // namespace hilo::hlo
