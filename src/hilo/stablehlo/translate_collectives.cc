// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/stablehlo/translate_parts.h"

namespace hilo::stablehlo {

using hlo::InstructionId;
using hlo::Opcode;

namespace {

/// Rows of a tensor of integers; -1 fills short rows and is left out.
StatusOr<hlo::Int64Lists> rows_of(const OpContext& op, std::string_view name) {
  hlo::Int64Lists rows;
  const Attribute* const attribute = op.find(name);
  if (attribute == nullptr) return rows;
  if (attribute->kind != AttributeKind::kElements)
    return unimplemented(fmt::format("attribute '{}' is no table of ids", name));
  const std::vector<int64_t>& dimensions = op.tree().types[attribute->type].dimensions;
  if (dimensions.size() != 2) return invalid_argument(fmt::format("attribute '{}' is no matrix", name));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> values, op.integers(name));
  const auto width = static_cast<size_t>(dimensions[1]);
  for (size_t begin = 0; width > 0 && begin < values.size(); begin += width) {
    hlo::Int64List& row = rows.emplace_back();
    for (size_t i = begin; i < begin + width; ++i) {
      if (values[i] >= 0) row.push_back(values[i]);
    }
  }
  return rows;
}

/// What the ids of the operation's groups count. Where they can count devices, they say so.
GroupMode group_mode(const OpContext& op, int64_t channel_id, bool counts_devices) {
  if (channel_id <= 0) return GroupMode::kCrossReplica;
  if (!counts_devices) return GroupMode::kCrossPartition;
  return op.flag("use_global_device_ids") ? GroupMode::kFlattenedIds : GroupMode::kCrossReplicaAndPartition;
}

/// A program for several devices has its groups written out for them; one for a single device keeps what it says.
Status set_common(const OpContext& op, hlo::CollectiveAttributes& attributes, bool counts_devices) {
  HILO_ASSIGN_OR_RETURN(attributes.replica_groups, rows_of(op, "replica_groups"));
  HILO_ASSIGN_OR_RETURN(const int64_t channel_id, op.integer("channel_id", 0));
  const DeviceGrid& grid = op.translator.devices.grid;
  if (grid.count() == 1) {
    attributes.channel_id = channel_id;
    attributes.use_global_device_ids = op.flag("use_global_device_ids");
    return ok_status();
  }
  HILO_ASSIGN_OR_RETURN(attributes.replica_groups,
                        device_groups(attributes.replica_groups, group_mode(op, channel_id, counts_devices), grid));
  return ok_status();
}

StatusOr<hlo::ComputationPtr> reducer(const OpContext& op) {
  if (op.operation.regions.count != 1) return invalid_argument("wanted one region");
  const Region& region = op.tree().regions[op.operation.regions.begin];
  return op.translator.body(fmt::format("{}.to_apply", op.row.name), region);
}

template <typename A>
Status add(const OpContext& op, std::shared_ptr<A> attributes) {
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  return op.add(op.row.opcode, operands, std::move(attributes));
}

}  // namespace

Status translate_all_reduce(const OpContext& op) {
  auto attributes = std::make_shared<hlo::AllReduceAttributes>();
  HILO_RETURN_IF_ERROR(set_common(op, *attributes, /*counts_devices=*/true));
  HILO_ASSIGN_OR_RETURN(attributes->to_apply, reducer(op));
  return add(op, attributes);
}

Status translate_reduce_scatter(const OpContext& op) {
  auto attributes = std::make_shared<hlo::ReduceScatterAttributes>();
  HILO_RETURN_IF_ERROR(set_common(op, *attributes, /*counts_devices=*/true));
  HILO_ASSIGN_OR_RETURN(const int64_t dimension, op.integer("scatter_dimension"));
  attributes->dimensions = {dimension};
  HILO_ASSIGN_OR_RETURN(attributes->to_apply, reducer(op));
  return add(op, attributes);
}

Status translate_all_gather(const OpContext& op) {
  auto attributes = std::make_shared<hlo::AllGatherAttributes>();
  HILO_RETURN_IF_ERROR(set_common(op, *attributes, /*counts_devices=*/true));
  HILO_ASSIGN_OR_RETURN(const int64_t dimension, op.integer("all_gather_dim"));
  attributes->dimensions = {dimension};
  return add(op, attributes);
}

Status translate_collective_broadcast(const OpContext& op) {
  auto attributes = std::make_shared<hlo::CollectiveAttributes>();
  HILO_RETURN_IF_ERROR(set_common(op, *attributes, /*counts_devices=*/false));
  return add(op, attributes);
}

Status translate_collective_permute(const OpContext& op) {
  auto attributes = std::make_shared<hlo::CollectivePermuteAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->channel_id, op.integer("channel_id", 0));
  HILO_ASSIGN_OR_RETURN(const hlo::Int64Lists rows, rows_of(op, "source_target_pairs"));
  for (const hlo::Int64List& row : rows) {
    if (row.size() != 2) return invalid_argument("source_target_pairs holds something else than pairs");
    attributes->source_target_pairs.emplace_back(row[0], row[1]);
  }
  if (const DeviceGrid& grid = op.translator.devices.grid; grid.count() > 1) {
    const GroupMode mode = group_mode(op, attributes->channel_id, /*counts_devices=*/false);
    HILO_ASSIGN_OR_RETURN(attributes->source_target_pairs, device_pairs(attributes->source_target_pairs, mode, grid));
    attributes->channel_id = 0;
  }
  return add(op, attributes);
}

/// HLO's all-to-all joins along the dimension it cuts. Another one to join along is a transposition after it.
Status translate_all_to_all(const OpContext& op) {
  auto attributes = std::make_shared<hlo::AllToAllAttributes>();
  HILO_RETURN_IF_ERROR(set_common(op, *attributes, /*counts_devices=*/false));
  HILO_ASSIGN_OR_RETURN(const int64_t split, op.integer("split_dimension"));
  HILO_ASSIGN_OR_RETURN(const int64_t join, op.integer("concat_dimension"));
  HILO_ASSIGN_OR_RETURN(const int64_t count, op.integer("split_count"));
  attributes->dimensions = {split};
  if (split == join) return add(op, attributes);
  for (uint32_t i = 0; i < op.operation.operands.count; ++i) {
    HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(i));
    HILO_ASSIGN_OR_RETURN(const Shape result, op.result_shape(i));
    const Shape shape = op.builder.shape(operand);
    if (!shape.is_array() || split < 0 || split >= shape.rank() || join < 0 || join >= shape.rank() || count < 1 ||
        shape.dimension(split) % count != 0)
      return invalid_argument("split_dimension, concat_dimension and split_count don't fit the operand");
    HILO_ASSIGN_OR_RETURN(InstructionId value, op.builder.add(Opcode::kAllToAll, {operand},
                                                              std::make_shared<hlo::AllToAllAttributes>(*attributes)));
    std::vector<int64_t> parted(shape.dimensions().begin(), shape.dimensions().end());
    parted[static_cast<size_t>(split)] /= count;
    parted.insert(parted.begin() + split, count);
    HILO_ASSIGN_OR_RETURN(value, op.builder.add(Opcode::kReshape, {value}, nullptr, shape.with_dimensions(parted)));
    auto order = std::make_shared<hlo::TransposeAttributes>();
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (d == join) order->permutation.push_back(split);
      order->permutation.push_back(d < split ? d : d + 1);
    }
    HILO_ASSIGN_OR_RETURN(value, op.builder.add(Opcode::kTranspose, {value}, std::move(order)));
    HILO_ASSIGN_OR_RETURN(value, op.builder.add(Opcode::kReshape, {value}, nullptr, result));
    op.define(i, value);
  }
  return ok_status();
}

/// An all-reduce of which the first device of each group keeps the result; others have zeros.
Status translate_collective_reduce(const OpContext& op) {
  auto attributes = std::make_shared<hlo::AllReduceAttributes>();
  HILO_RETURN_IF_ERROR(set_common(op, *attributes, /*counts_devices=*/true));
  HILO_ASSIGN_OR_RETURN(attributes->to_apply, reducer(op));
  const int64_t devices = op.translator.devices.grid.count();
  if (devices == 1) return add(op, attributes);
  std::vector<int64_t> is_root(static_cast<size_t>(devices));
  for (const hlo::Int64List& group : attributes->replica_groups) {
    if (!group.empty()) is_root[static_cast<size_t>(group[0])] = 1;
  }
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  for (uint32_t i = 0; i < operands.size(); ++i) {
    auto own = std::make_shared<hlo::AllReduceAttributes>(*attributes);
    HILO_ASSIGN_OR_RETURN(const InstructionId sum, op.builder.add(Opcode::kAllReduce, {operands[i]}, std::move(own)));
    HILO_ASSIGN_OR_RETURN(const InstructionId kept, zero_elsewhere(op, sum, is_root));
    op.define(i, kept);
  }
  return ok_status();
}

namespace {

/// Of each device, its replica or partition.
Status add_id(const OpContext& op, int64_t divisor, int64_t modulus) {
  std::vector<int64_t> numbers;
  for (int64_t device = 0; device < op.translator.devices.grid.count(); ++device)
    numbers.push_back(device / divisor % modulus);
  if (numbers.size() == 1) return op.add(op.row.opcode, {});
  HILO_ASSIGN_OR_RETURN(const InstructionId number, device_entry(op, numbers));
  return op.add(Opcode::kConvert, std::vector<InstructionId>{number});
}

}  // namespace

Status translate_replica_id(const OpContext& op) {
  const DeviceGrid& grid = op.translator.devices.grid;
  return add_id(op, grid.partitions, grid.replicas);
}

Status translate_partition_id(const OpContext& op) { return add_id(op, 1, op.translator.devices.grid.partitions); }

}  // namespace hilo::stablehlo
