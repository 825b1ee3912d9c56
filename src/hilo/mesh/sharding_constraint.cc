// SPDX-License-Identifier: Apache-2.0
#include "hilo/mesh/sharding_constraint.h"

#include "hilo/base/memoize.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/module.h"
#include "hilo/mesh/sharded_array.h"
#include "hilo/mesh/sharded_operation.h"
#include "hilo/trace/eval_trace.h"
#include "hilo/trace/staging_trace.h"

namespace hilo {
namespace {

/// Returns the sharding with dimensions unsharded that the number of devices doesn't divide, because programs can't
/// pad.
NamedSharding dividing(const NamedSharding& sharding, std::span<const int64_t> shape) {
  std::vector<SpecEntry> entries = sharding.spec().entries();
  bool changes = false;
  for (size_t d = 0; d < entries.size() && d < shape.size(); ++d) {
    if (shape[d] % sharding.parts(d) == 0) continue;
    entries[d] = SpecEntry(std::nullopt);
    changes = true;
  }
  return changes ? NamedSharding(sharding.mesh(), PartitionSpec(std::move(entries))) : sharding;
}

Array bind_constraint(const Array& x, const NamedSharding& sharding) {
  run_constrained_by(run_constrained);
  const FlatFunction same = [](std::span<const Array> a) { return std::vector<Array>(a.begin(), a.end()); };
  auto attributes = std::make_shared<hlo::CustomRulesAttributes>();
  attributes->to_apply =
      stage(same, std::vector<Aval>{x.aval()}, std::string(kShardingConstraint), "identity").computation;
  attributes->rules = kShardingConstraint;
  attributes->detail = sharding.key();
  attributes->user = sharding.state();
  return with_weak_type(bind_one(hlo::kExtCustomRules, {x}, std::move(attributes)), x.weak_type());
}

std::optional<Mesh> first_mesh(const hlo::ComputationPtr& computation) {
  for (const hlo::ComputationPtr& c : hlo::computations_of(computation)) {
    for (const hlo::Instruction& i : c->instructions()) {
      if (const auto sharding = constraint_in(i)) return sharding->mesh();
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<NamedSharding> constraint_in(const hlo::CustomRulesAttributes& attributes) {
  if (attributes.rules != kShardingConstraint || attributes.user == nullptr) return std::nullopt;
  return NamedSharding::from_state(attributes.user);
}

std::optional<NamedSharding> constraint_in(const hlo::Instruction& instruction) {
  if (instruction.opcode != hlo::kExtCustomRules) return std::nullopt;
  return constraint_in(hlo::attributes_of<hlo::CustomRulesAttributes>(instruction));
}

std::optional<Mesh> mesh_of_constraints(const hlo::ComputationPtr& computation) {
  static auto* const known = new MemoTable<hlo::Fingerprint, std::optional<Mesh>, std::hash<hlo::Fingerprint>>;
  if (const auto found = known->find(computation->fingerprint())) return *found;
  return known->insert(computation->fingerprint(), first_mesh(computation));
}

Array with_sharding_constraint(const Array& x, const NamedSharding& sharding, std::source_location location) {
  const UserLocation here(location);
  if (&current_trace() == &eval_trace() && is_concrete(x)) return device_put(x, sharding);
  if (sharding.spec().size() > static_cast<size_t>(x.ndim())) sharding.shard_shape(x.shape());
  return bind_constraint(x, dividing(sharding, x.shape()));
}

}  // namespace hilo
