// SPDX-License-Identifier: Apache-2.0
// rules/sharding_constraint.cc -- rules of with_sharding_constraint: derived values have the same sharding.
#include "hilo/mesh/sharding_constraint.h"

#include "hilo/mesh/sharded_array.h"
#include "hilo/rules/named_rules.h"

namespace hilo::rules {
namespace {

/// Returns nullopt if the op was read from a file; it is then the identity.
std::optional<NamedSharding> sharding_of(const Operation& operation) {
  return constraint_in(attributes_of<hlo::CustomRulesAttributes>(operation));
}

Array constrained(const Operation& operation, const Array& x) {
  const std::optional<NamedSharding> sharding = sharding_of(operation);
  return sharding ? with_sharding_constraint(x, *sharding) : x;
}

JvpResult constraint_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const Tangent tangent = tangents[0].is_zero() ? Tangent() : Tangent(constrained(operation, tangents[0].value()));
  return {{constrained(operation, operation.operands[0])}, {tangent}};
}

void constraint_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  out.add(0, constrained(operation, cts[0].value()));
}

/// The batch dimension is sharded along spmd_axis_name; without one it is left to propagation.
BatchResult constraint_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  const Array& x = operation.operands[0];
  const std::optional<NamedSharding> sharding = sharding_of(operation);
  if (!sharding) return {{x}, {dims[0]}};
  std::vector<SpecEntry> entries;
  for (int64_t d = 0; d + 1 < x.ndim(); ++d) entries.push_back(sharding->spec().entry(d));
  const SpecEntry batch =
      context.spmd_axis_name.empty() ? SpecEntry(PartitionSpec::UNCONSTRAINED) : SpecEntry(context.spmd_axis_name);
  entries.insert(entries.begin() + *dims[0], batch);
  const NamedSharding batched(sharding->mesh(), PartitionSpec(std::move(entries)));
  return {{with_sharding_constraint(x, batched)}, {dims[0]}};
}

}  // namespace

const CustomRules* sharding_constraint_rules(std::string_view rules) {
  static const CustomRules kRules{constraint_jvp, {}, constraint_transpose, constraint_batch};
  return rules == kShardingConstraint ? &kRules : nullptr;
}

}  // namespace hilo::rules
