// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/collective.h"

#include <fmt/format.h>

#include <array>
#include <numeric>

#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/collective_shapes.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

// The fields in XLA's order in HLO text.
template <typename... More>
constexpr auto with_group_fields(const More&... more) {
  return std::array<AttributeField, 3 + sizeof...(More)>{
      field<&CollectiveAttributes::channel_id>("channel_id", FieldShow::kUnlessDefault),
      field<&CollectiveAttributes::replica_groups>("replica_groups", FieldShow::kAlways),
      field<&CollectiveAttributes::constrain_layout>("constrain_layout", FieldShow::kUnlessDefault),
      more...,
  };
}
constexpr AttributeField kGlobalIds =
    field<&CollectiveAttributes::use_global_device_ids>("use_global_device_ids", FieldShow::kUnlessDefault);

constexpr auto kAllReduceFields =
    with_group_fields(kGlobalIds, field<&AllReduceAttributes::to_apply>("to_apply", FieldShow::kAlways));
constexpr auto kReduceScatterFields =
    with_group_fields(kGlobalIds, field<&ReduceScatterAttributes::dimensions>("dimensions", FieldShow::kAlways),
                      field<&ReduceScatterAttributes::to_apply>("to_apply", FieldShow::kAlways));
constexpr auto kAllGatherFields =
    with_group_fields(field<&AllGatherAttributes::dimensions>("dimensions", FieldShow::kAlways), kGlobalIds);
constexpr auto kAllToAllFields =
    with_group_fields(field<&AllToAllAttributes::dimensions>("dimensions", FieldShow::kUnlessDefault));
constexpr auto kBroadcastFields = with_group_fields();
constexpr AttributeField kPermuteFields[] = {
    field<&CollectivePermuteAttributes::channel_id>("channel_id", FieldShow::kUnlessDefault),
    field<&CollectivePermuteAttributes::source_target_pairs>("source_target_pairs", FieldShow::kAlways),
};

/// Returns whether replica 0 of a program with one replica gets an operand instead of zeros.
StatusOr<bool> receives_from_itself(const Instruction& collective) {
  if (collective.opcode == Opcode::kCollectivePermute) {
    HILO_ASSIGN_OR_RETURN(const PermutePartners partners, permute_partners(collective, 0, 1));
    return partners.source == 0;
  }
  HILO_ASSIGN_OR_RETURN(const Int64List group, group_of(collective, 0, 1));
  return !group.empty();
}

/// Evaluates a collective of one replica, which returns its operand.
StatusOr<Literal> evaluate_one_replica(const EvaluateInput& input) {
  const Instruction& i = input.instruction;
  HILO_ASSIGN_OR_RETURN(const bool takes_part, receives_from_itself(i));
  std::vector<Shape> shapes;
  std::vector<Literal> results;
  for (const Literal* operand : input.operands) {
    shapes.push_back(operand->shape());
    results.push_back(takes_part ? *operand : Literal(operand->shape()));
  }
  HILO_RETURN_IF_ERROR(check_members(i, shapes, 1));
  return i.shape.is_tuple() ? Literal::tuple(std::move(results)) : std::move(results[0]);
}

bool has_hook(const EvaluateInput& input) { return input.collective != nullptr && *input.collective; }

StatusOr<Literal> evaluate_collective(const EvaluateInput& input) {
  return has_hook(input) ? (*input.collective)(input.instruction, input.operands) : evaluate_one_replica(input);
}

StatusOr<Literal> evaluate_replica_id(const EvaluateInput& input) {
  if (has_hook(input)) return (*input.collective)(input.instruction, input.operands);
  return Literal::scalar<uint32_t>(0);
}

StatusOr<Literal> evaluate_partition_id(const EvaluateInput&) { return Literal::scalar<uint32_t>(0); }

/// Dimensions along which elements move must be whole; the others pass through.
void moving_rule(std::span<const int64_t> dimensions, RuleBuilder& builder) {
  for (size_t i = 0; i < std::min(builder.operands.size(), builder.results.size()); ++i) {
    for (int64_t d = 0; d < builder.results[i].rank(); ++d) {
      const bool moves = std::ranges::find(dimensions, d) != dimensions.end();
      if (moves && builder.operands[i].dimension(d) != builder.results[i].dimension(d)) continue;
      builder.pair(i, d, i, d, moves ? FactorKind::kReplicate : FactorKind::kPass);
    }
  }
}

template <typename A>
void moving_rule(RuleBuilder& builder) {
  moving_rule(attributes_of<A>(builder.instruction).dimensions, builder);
}
template <typename A>
constexpr OpSharding kMoving = {moving_rule<A>, whole_factors};

template <typename T>
OpDef collective_def(Opcode opcode, std::string_view name, StatusOr<Shape> (*infer_shape)(const ShapeRuleInput&),
                     std::span<const AttributeField> fields, OpSharding sharding, std::string_view spec) {
  return {.opcode = opcode,
          .name = name,
          .arity = -1,
          .operand_types = kAnyArray,
          .traits = kEffect,  // all members of a group must execute collectives in the same order
          .cost = CostClass::kHero,
          .sharding = sharding,
          .infer_shape = infer_shape,
          .attributes = attributes_def<T>(fields),
          .evaluate = evaluate_collective,
          .spec = spec};
}

OpDef id_def(Opcode opcode, std::string_view name, StatusOr<Literal> (*evaluate)(const EvaluateInput&),
             std::string_view spec) {
  return {.opcode = opcode,
          .name = name,
          .arity = 0,
          .operand_types = kAnyArray,
          .cost = CostClass::kHero,
          .sharding = kUnshared,
          .infer_shape = infer_id,
          .evaluate = evaluate,
          .spec = spec};
}

Status outside(std::string_view field, int64_t id, std::string_view what, int64_t count) {
  return invalid_argument(fmt::format("{}: {} is out of range; the program runs on {} {}{}", field, id, count, what,
                                      count == 1 ? "" : "s"));
}

}  // namespace

HILO_DEFINE_OP(all_reduce_op, collective_def<AllReduceAttributes>(Opcode::kAllReduce, "all-reduce", infer_all_reduce,
                                                                  kAllReduceFields, kPointwiseWhole, "all_reduce"))

HILO_DEFINE_OP(reduce_scatter_op,
               collective_def<ReduceScatterAttributes>(Opcode::kReduceScatter, "reduce-scatter", infer_reduce_scatter,
                                                       kReduceScatterFields, kMoving<ReduceScatterAttributes>,
                                                       "reduce_scatter"))

HILO_DEFINE_OP(all_gather_op,
               collective_def<AllGatherAttributes>(Opcode::kAllGather, "all-gather", infer_all_gather, kAllGatherFields,
                                                   kMoving<AllGatherAttributes>, "all_gather"))

HILO_DEFINE_OP(all_to_all_op,
               collective_def<AllToAllAttributes>(Opcode::kAllToAll, "all-to-all", infer_all_to_all, kAllToAllFields,
                                                  kMoving<AllToAllAttributes>, "all_to_all"))

HILO_DEFINE_OP(collective_permute_op,
               collective_def<CollectivePermuteAttributes>(Opcode::kCollectivePermute, "collective-permute",
                                                           infer_collective_permute, kPermuteFields, kPointwiseWhole,
                                                           "collective_permute"))

/// The first replica of each group sends; replicas in no group receive zeros. The attributes are CollectiveAttributes.
HILO_DEFINE_OP(collective_broadcast_op,
               collective_def<CollectiveAttributes>(Opcode::kCollectiveBroadcast, "collective-broadcast",
                                                    infer_collective_broadcast, kBroadcastFields, kPointwiseWhole,
                                                    "collective_broadcast"))

HILO_DEFINE_OP(replica_id_op, id_def(Opcode::kReplicaId, "replica-id", evaluate_replica_id, "replica_id"))

HILO_DEFINE_OP(partition_id_op, id_def(Opcode::kPartitionId, "partition-id", evaluate_partition_id, "partition_id"))

bool is_collective(Opcode opcode) {
  return opcode == Opcode::kAllReduce || opcode == Opcode::kReduceScatter || opcode == Opcode::kAllGather ||
         opcode == Opcode::kAllToAll || opcode == Opcode::kCollectivePermute || opcode == Opcode::kCollectiveBroadcast;
}

bool differs_between_replicas(Opcode opcode) { return is_collective(opcode) || opcode == Opcode::kReplicaId; }

bool stays_in_replica(const Instruction& collective) {
  if (collective.opcode == Opcode::kCollectivePermute)
    return attributes_of<CollectivePermuteAttributes>(collective).channel_id > 0;
  const bool over_partitions =
      collective.opcode == Opcode::kAllToAll || collective.opcode == Opcode::kCollectiveBroadcast;
  return over_partitions && attributes_of<CollectiveAttributes>(collective).channel_id > 0;
}

StatusOr<Int64List> group_of(const Instruction& collective, int64_t replica, int64_t replica_count) {
  const Int64Lists& groups = attributes_of<CollectiveAttributes>(collective).replica_groups;
  const bool inside = stays_in_replica(collective);
  const int64_t count = inside ? 1 : replica_count, me = inside ? 0 : replica;
  Int64List mine;
  size_t members = 0;
  for (const Int64List& group : groups) {
    for (int64_t id : group) {
      if (id >= count) return outside("replica_groups", id, inside ? "partition" : "replica", count);
    }
    if (contains(group, me)) mine = group;
    members += group.size();
  }
  if (groups.empty()) {
    mine.resize(count);
    std::iota(mine.begin(), mine.end(), int64_t{0});
  } else if (collective.opcode != Opcode::kCollectiveBroadcast && static_cast<int64_t>(members) != count) {
    // all_reduce_c2, all_gather_c3, all_to_all_c6, reduce_scatter_c4
    return invalid_argument(fmt::format("replica_groups: {} ids for {} {}; wanted each once", members, count,
                                        inside ? "partition" : "replicas"));
  }
  if (inside && !mine.empty()) mine = {replica};
  return mine;
}

Status check_members(const Instruction& collective, std::span<const Shape> operands, int64_t members) {
  const auto fail = [&](std::string_view expected) {
    return invalid_argument(fmt::format("{} replicas take part; got {} and the result {}; {}", members,
                                        shapes_to_string(operands), collective.shape.to_string(), expected));
  };
  const Shape& result =
      collective.shape.is_tuple() && !operands.empty() ? collective.shape.tuple_element(0) : collective.shape;
  if (collective.opcode == Opcode::kAllGather) {
    const int64_t d = attributes_of<AllGatherAttributes>(collective).dimension();
    if (result.dimension(d) != operands[0].dimension(d) * members) return fail("wanted one shard per replica");
  } else if (collective.opcode == Opcode::kReduceScatter) {
    const int64_t d = attributes_of<ReduceScatterAttributes>(collective).dimension();
    if (result.dimension(d) * members != operands[0].dimension(d)) return fail("wanted one slice per replica");
  } else if (collective.opcode == Opcode::kAllToAll) {
    const Int64List& dimensions = attributes_of<AllToAllAttributes>(collective).dimensions;
    if (dimensions.empty() ? std::ssize(operands) != members : operands[0].dimension(dimensions[0]) % members != 0)
      return fail("wanted equal slices per replica");
  }
  return ok_status();
}

StatusOr<PermutePartners> permute_partners(const Instruction& permute, int64_t replica, int64_t replica_count) {
  const bool inside = stays_in_replica(permute);
  const int64_t count = inside ? 1 : replica_count, me = inside ? 0 : replica;
  PermutePartners partners;
  for (const auto& [source, target] : attributes_of<CollectivePermuteAttributes>(permute).source_target_pairs) {
    for (int64_t id : {source, target}) {
      if (id >= count) return outside("source_target_pairs", id, inside ? "partition" : "replica", count);
    }
    if (source == me) partners.target = inside ? replica : target;
    if (target == me) partners.source = inside ? replica : source;
  }
  return partners;
}

}  // namespace hilo::hlo
