// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/collective.h"
#include "hilo/stablehlo/write/write_context.h"

namespace hilo::stablehlo {
namespace {

void put_common(const WriteContext& context, NewOperation& operation, bool device_ids) {
  const auto& collective = context.attributes<hlo::CollectiveAttributes>();
  TreeBuilder& builder = context.builder();
  builder.put_attribute(operation, "replica_groups", builder.matrix(collective.replica_groups, 0));
  builder.put(operation, "channel_id", collective.channel_id);
  if (device_ids) builder.put(operation, "use_global_device_ids", collective.use_global_device_ids ? 1 : 0);
}

}  // namespace

StatusOr<bool> write_all_reduce(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  put_common(context, operation, true);
  const hlo::ComputationPtr& to_apply = context.attributes<hlo::AllReduceAttributes>().to_apply;
  HILO_RETURN_IF_ERROR(context.add(operation, std::span(&to_apply, 1)));
  return true;
}

StatusOr<bool> write_reduce_scatter(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  const auto& attributes = context.attributes<hlo::ReduceScatterAttributes>();
  if (operation.operands.size() != 1) return unimplemented("StableHLO's reduce_scatter takes one operand");
  put_common(context, operation, true);
  context.builder().put(operation, "scatter_dimension", attributes.dimension());
  HILO_RETURN_IF_ERROR(context.add(operation, std::span(&attributes.to_apply, 1)));
  return true;
}

StatusOr<bool> write_all_gather(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  put_common(context, operation, true);
  context.builder().put(operation, "all_gather_dim", context.attributes<hlo::AllGatherAttributes>().dimension());
  HILO_RETURN_IF_ERROR(context.add(operation));
  return true;
}

StatusOr<bool> write_collective_broadcast(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  if (operation.operands.size() != 1) return unimplemented("StableHLO's collective_broadcast takes one operand");
  put_common(context, operation, false);
  HILO_RETURN_IF_ERROR(context.add(operation));
  return true;
}

StatusOr<bool> write_collective_permute(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  if (operation.operands.size() != 1) return unimplemented("StableHLO's collective_permute takes one operand");
  const auto& permute = context.attributes<hlo::CollectivePermuteAttributes>();
  std::vector<std::vector<int64_t>> rows;
  for (const auto& [source, target] : permute.source_target_pairs) rows.push_back({source, target});
  TreeBuilder& builder = context.builder();
  builder.put_attribute(operation, "source_target_pairs", builder.matrix(rows, 2));
  builder.put(operation, "channel_id", permute.channel_id);
  HILO_RETURN_IF_ERROR(context.add(operation));
  return true;
}

/// StableHLO declares the number of pieces; in HLO it follows from the groups.
StatusOr<bool> write_all_to_all(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  const auto& attributes = context.attributes<hlo::AllToAllAttributes>();
  if (attributes.dimensions.size() != 1) return unimplemented("StableHLO's all_to_all cuts along one dimension");
  if (attributes.replica_groups.empty())
    return unimplemented("all_to_all among all replicas whose number isn't specified");
  put_common(context, operation, false);
  TreeBuilder& builder = context.builder();
  builder.put(operation, "split_dimension", attributes.dimensions[0]);
  builder.put(operation, "concat_dimension", attributes.dimensions[0]);
  builder.put(operation, "split_count", std::ssize(attributes.replica_groups[0]));
  HILO_RETURN_IF_ERROR(context.add(operation));
  return true;
}

}  // namespace hilo::stablehlo
