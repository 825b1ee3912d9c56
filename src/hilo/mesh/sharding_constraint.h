// SPDX-License-Identifier: Apache-2.0
// mesh/sharding_constraint.h -- with_sharding_constraint in programs: a call of the identity with rules of that name,
// whose detail is the sharding's key and whose user data is the sharding. Not for users.
#pragma once

#include "hilo/hlo/ops/ext/custom_rules.h"
#include "hilo/mesh/named_sharding.h"
#include "hilo/trace/trace.h"

namespace hilo {

inline constexpr std::string_view kShardingConstraint = "sharding_constraint";

/// Returns the sharding of a custom_rules op's attributes; nullopt if they belong to other rules.
std::optional<NamedSharding> constraint_in(const hlo::CustomRulesAttributes& attributes);
/// Returns the sharding of an instruction; nullopt for other ops.
std::optional<NamedSharding> constraint_in(const hlo::Instruction& instruction);

/// Returns the mesh of the first constraint in a program; nullopt without one.
/// Cost       linear in the program; memoised
std::optional<Mesh> mesh_of_constraints(const hlo::ComputationPtr& computation);

}  // namespace hilo
