// SPDX-License-Identifier: Apache-2.0
// mesh/sharding_constraint.h -- with_sharding_constraint as programs keep it: a call of the identity by rules of that name,
// whose detail is the sharding's key and whose user the sharding itself. Not for users.
#pragma once

#include "hilo/hlo/ops/ext/custom_rules.h"
#include "hilo/mesh/named_sharding.h"
#include "hilo/trace/trace.h"

namespace hilo {

inline constexpr std::string_view kShardingConstraint = "sharding_constraint";

/// The sharding that the attributes of a custom_rules op state; nothing if its rules are others.
std::optional<NamedSharding> constraint_in(const hlo::CustomRulesAttributes& attributes);
/// The same of an instruction of any op.
std::optional<NamedSharding> constraint_in(const hlo::Instruction& instruction);

/// The mesh of the first constraint in a program; nothing without one.
/// Cost    linear in the program; memoised
std::optional<Mesh> mesh_of_constraints(const hlo::ComputationPtr& computation);

}  // namespace hilo
