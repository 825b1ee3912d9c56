// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/translate/collectives.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/stablehlo/devices/mesh_axes.h"
#include "hilo/stablehlo/translate/manual.h"
#include "hilo/stablehlo/translate/plain.h"

namespace hilo::stablehlo {

using hlo::InstructionId;
using hlo::Opcode;

namespace {

/// Returns the rows of an integer tensor. Short rows are padded with -1, which is removed.
StatusOr<hlo::Int64Lists> rows_of(const OpContext& op, std::string_view name) {
  hlo::Int64Lists rows;
  const Attribute* const attribute = op.find(name);
  if (attribute == nullptr) return rows;
  if (attribute->kind != AttributeKind::kElements)
    return unimplemented(fmt::format("attribute '{}' is not a table of ids", name));
  const std::vector<int64_t>& dimensions = op.tree().types[attribute->type].dimensions;
  if (dimensions.size() != 2) return invalid_argument(fmt::format("attribute '{}' is not a matrix", name));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> values, op.integers(name));
  const size_t width = dimensions[1];
  for (size_t begin = 0; width > 0 && begin < values.size(); begin += width) {
    hlo::Int64List& row = rows.emplace_back();
    for (size_t i = begin; i < begin + width; ++i) {
      if (values[i] >= 0) row.push_back(values[i]);
    }
  }
  return rows;
}

/// Returns lists of ids, which are explicit or given by the axes of a mesh.
StatusOr<hlo::Int64Lists> groups_of(const OpContext& op) {
  const Attribute* const groups = op.find("replica_groups");
  if (groups == nullptr || !is_mesh_axes(*groups)) return rows_of(op, "replica_groups");
  return mesh_groups(op.tree(), *groups);
}

/// Returns the meaning of the ids in the operation's groups. use_global_device_ids applies only if ids can be devices.
GroupMode group_mode(const OpContext& op, int64_t channel_id, bool counts_devices) {
  if (channel_id <= 0) return GroupMode::kCrossReplica;
  if (!counts_devices) return GroupMode::kCrossPartition;
  return op.flag("use_global_device_ids") ? GroupMode::kFlattenedIds : GroupMode::kCrossReplicaAndPartition;
}

}  // namespace

Status set_collective(const OpContext& op, hlo::CollectiveAttributes& attributes, bool counts_devices) {
  HILO_ASSIGN_OR_RETURN(attributes.replica_groups, groups_of(op));
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

namespace {

StatusOr<hlo::ComputationPtr> reducer(const OpContext& op) {
  if (op.operation.regions.count != 1) return invalid_argument("wanted one region");
  const Region& region = op.tree().regions[op.operation.regions.begin];
  return op.translator.body(fmt::format("{}.to_apply", op.row.name), region);
}

template <typename A>
Status add(const OpContext& op, std::shared_ptr<A> attributes) {
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, promoted_operands(op));
  return op.add(op.row.opcode, operands, std::move(attributes));
}

/// Operands with the root of each value: the member of a group that it is sent to or from. The roots are the last
/// operand.
struct Rooted {
  InstructionIds values;
  InstructionId roots = hlo::kNoInstruction;  ///< s32[number of values]; if absent, the first member is the root
};

StatusOr<Rooted> rooted_operands(const OpContext& op) {
  Rooted rooted;
  HILO_ASSIGN_OR_RETURN(rooted.values, promoted_operands(op));
  if (!op.flag("has_dynamic_root")) return rooted;
  if (rooted.values.size() < 2) return invalid_argument("has_dynamic_root: wanted at least an operand and its root");
  rooted.roots = rooted.values.back();
  rooted.values.pop_back();
  const Shape got = op.builder.shape(rooted.roots).with_default_layout();
  const Shape wanted = Shape::array(ElementType::kS32, {std::ssize(rooted.values)});
  if (got != wanted)
    return invalid_argument(fmt::format("got roots {}; wanted {}", got.to_string(), wanted.to_string()));
  return rooted;
}

/// Returns the root of value `i`: s32[].
StatusOr<InstructionId> root_of(const OpContext& op, const Rooted& rooted, uint32_t i) {
  auto one = std::make_shared<hlo::DynamicSliceAttributes>();
  one->sizes = {1};
  const InstructionId start = op.builder.constant(Literal::scalar(static_cast<int32_t>(i)));
  HILO_ASSIGN_OR_RETURN(const InstructionId root,
                        op.builder.add(Opcode::kDynamicSlice, {rooted.roots, start}, std::move(one)));
  return op.builder.add(Opcode::kReshape, {root}, nullptr, Shape::scalar(ElementType::kS32));
}

/// Returns the value of member `root` in each group, selected from the values of all members.
StatusOr<InstructionId> value_of_root(const OpContext& op, InstructionId value, InstructionId root,
                                      const hlo::Int64Lists& groups) {
  const Shape shape = op.builder.shape(value);
  auto one = std::make_shared<hlo::DynamicSliceAttributes>();
  one->sizes.assign(shape.dimensions().begin(), shape.dimensions().end());
  one->sizes.insert(one->sizes.begin(), 1);
  HILO_ASSIGN_OR_RETURN(const InstructionId row,
                        op.builder.add(Opcode::kReshape, {value}, nullptr, shape.with_dimensions(one->sizes)));
  HILO_ASSIGN_OR_RETURN(const InstructionId rows, join_devices(op, row, 0, groups));
  std::vector<InstructionId> operands = {rows, root};
  operands.resize(one->sizes.size() + 1, op.builder.constant(Literal::scalar(int32_t{0})));
  HILO_ASSIGN_OR_RETURN(const InstructionId taken, op.builder.add(Opcode::kDynamicSlice, operands, std::move(one)));
  return op.builder.add(Opcode::kReshape, {taken}, nullptr, shape);
}

/// Like value_of_root, with one broadcast per possible root position. It supports groups of different sizes, and
/// devices without a group, which get zeros.
StatusOr<InstructionId> value_by_places(const OpContext& op, InstructionId value, InstructionId root,
                                        const hlo::Int64Lists& groups) {
  InstructionId result = hlo::kNoInstruction;
  for (size_t place = 0, most = 1; place < most; ++place) {
    auto from_place = std::make_shared<hlo::CollectiveAttributes>();
    for (hlo::Int64List group : groups) {
      most = std::max(most, group.size());
      if (place >= group.size()) continue;
      std::swap(group[0], group[place]);
      from_place->replica_groups.push_back(std::move(group));
    }
    HILO_ASSIGN_OR_RETURN(const InstructionId sent,
                          op.builder.add(Opcode::kCollectiveBroadcast, {value}, std::move(from_place)));
    if (place == 0) {
      result = sent;
      continue;
    }
    const InstructionId number = op.builder.constant(Literal::scalar(static_cast<int32_t>(place)));
    HILO_ASSIGN_OR_RETURN(const InstructionId here,
                          op.builder.add(Opcode::kCompare, {root, number}, std::make_shared<hlo::CompareAttributes>()));
    HILO_ASSIGN_OR_RETURN(result, choose(op, here, sent, result));
  }
  return result;
}

/// Returns whether all-gather supports the groups: they have equal sizes and contain every device once.
bool are_whole(const hlo::Int64Lists& groups, int64_t devices) {
  int64_t members = 0;
  for (const hlo::Int64List& group : groups) members += std::ssize(group);
  return members >= devices &&
         std::ranges::all_of(groups, [&](const hlo::Int64List& g) { return g.size() == groups[0].size(); });
}

/// HLO broadcasts from the first member of a group. For a root that is chosen at run time, each device selects its
/// value from those of all.
Status broadcast_from_roots(const OpContext& op, const Rooted& rooted, const hlo::CollectiveAttributes& attributes) {
  const hlo::Int64Lists& groups = attributes.replica_groups;
  const bool alone = std::ranges::all_of(groups, [](const hlo::Int64List& group) { return group.size() < 2; });
  if (groups.empty()) return unimplemented("a dynamic root in a group of all devices whose number isn't specified");
  if (attributes.channel_id > 0 && !alone)
    return unimplemented("a dynamic root across partitions, in a program with one partition");
  const bool whole = are_whole(groups, op.translator.devices.grid.count());
  for (uint32_t i = 0; i < rooted.values.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(const InstructionId root, root_of(op, rooted, i));
    HILO_ASSIGN_OR_RETURN(const InstructionId value, whole ? value_of_root(op, rooted.values[i], root, groups)
                                                           : value_by_places(op, rooted.values[i], root, groups));
    op.define(i, value);
  }
  return ok_status();
}

/// Returns whether the device is the root of value `i` in its group: pred[].
StatusOr<InstructionId> is_root(const OpContext& op, const Rooted& rooted, uint32_t i, const hlo::Int64Lists& groups) {
  std::vector<int64_t> place(op.translator.devices.grid.count(), -1);  // position in its group
  for (const hlo::Int64List& group : groups) {
    for (size_t k = 0; k < group.size(); ++k) place[group[k]] = k;
  }
  HILO_ASSIGN_OR_RETURN(const InstructionId own, device_entry(op, place));
  InstructionId root = op.builder.constant(Literal::scalar(int32_t{0}));
  if (rooted.roots != hlo::kNoInstruction) {
    HILO_ASSIGN_OR_RETURN(root, root_of(op, rooted, i));
  }
  return op.builder.add(Opcode::kCompare, {own, root}, std::make_shared<hlo::CompareAttributes>());
}

}  // namespace

Status translate_all_reduce(const OpContext& op) {
  auto attributes = std::make_shared<hlo::AllReduceAttributes>();
  HILO_RETURN_IF_ERROR(set_collective(op, *attributes, /*counts_devices=*/true));
  HILO_ASSIGN_OR_RETURN(attributes->to_apply, reducer(op));
  return add(op, attributes);
}

Status translate_reduce_scatter(const OpContext& op) {
  auto attributes = std::make_shared<hlo::ReduceScatterAttributes>();
  HILO_RETURN_IF_ERROR(set_collective(op, *attributes, /*counts_devices=*/true));
  HILO_ASSIGN_OR_RETURN(const int64_t dimension, op.integer("scatter_dimension"));
  attributes->dimensions = {dimension};
  HILO_ASSIGN_OR_RETURN(attributes->to_apply, reducer(op));
  return add(op, attributes);
}

Status translate_all_gather(const OpContext& op) {
  auto attributes = std::make_shared<hlo::AllGatherAttributes>();
  HILO_RETURN_IF_ERROR(set_collective(op, *attributes, /*counts_devices=*/true));
  HILO_ASSIGN_OR_RETURN(const int64_t dimension, op.integer("all_gather_dim"));
  attributes->dimensions = {dimension};
  return add(op, attributes);
}

Status translate_collective_broadcast(const OpContext& op) {
  auto attributes = std::make_shared<hlo::CollectiveAttributes>();
  HILO_RETURN_IF_ERROR(set_collective(op, *attributes, /*counts_devices=*/false));
  HILO_ASSIGN_OR_RETURN(const Rooted rooted, rooted_operands(op));
  if (rooted.roots != hlo::kNoInstruction) return broadcast_from_roots(op, rooted, *attributes);
  return add(op, attributes);
}

Status translate_collective_permute(const OpContext& op) {
  auto attributes = std::make_shared<hlo::CollectivePermuteAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->channel_id, op.integer("channel_id", 0));
  HILO_ASSIGN_OR_RETURN(const hlo::Int64Lists rows, rows_of(op, "source_target_pairs"));
  for (const hlo::Int64List& row : rows) {
    if (row.size() != 2) return invalid_argument("source_target_pairs: wanted pairs");
    attributes->source_target_pairs.emplace_back(row[0], row[1]);
  }
  if (const DeviceGrid& grid = op.translator.devices.grid; grid.count() > 1) {
    const GroupMode mode = group_mode(op, attributes->channel_id, /*counts_devices=*/false);
    HILO_ASSIGN_OR_RETURN(attributes->source_target_pairs, device_pairs(attributes->source_target_pairs, mode, grid));
    attributes->channel_id = 0;
  }
  return add(op, attributes);
}

/// HLO's all-to-all concatenates along the dimension that it splits. For another one a transpose follows.
Status translate_all_to_all(const OpContext& op) {
  auto attributes = std::make_shared<hlo::AllToAllAttributes>();
  HILO_RETURN_IF_ERROR(set_collective(op, *attributes, /*counts_devices=*/false));
  HILO_ASSIGN_OR_RETURN(const int64_t split, op.integer("split_dimension"));
  HILO_ASSIGN_OR_RETURN(const int64_t join, op.integer("concat_dimension"));
  HILO_ASSIGN_OR_RETURN(const int64_t count, op.integer("split_count"));
  attributes->dimensions = {split};
  if (split == join && op.operation.operands.count == 1) return add(op, attributes);
  for (uint32_t i = 0; i < op.operation.operands.count; ++i) {
    HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(i));
    HILO_ASSIGN_OR_RETURN(const Shape result, op.result_shape(i));
    const Shape shape = op.builder.shape(operand);
    if (!shape.is_array() || split < 0 || split >= shape.rank() || join < 0 || join >= shape.rank() || count < 1 ||
        shape.dimension(split) % count != 0)
      return invalid_argument("split_dimension, concat_dimension and split_count don't match the operand");
    HILO_ASSIGN_OR_RETURN(InstructionId value, op.builder.add(Opcode::kAllToAll, {operand},
                                                              std::make_shared<hlo::AllToAllAttributes>(*attributes)));
    if (split == join) {
      op.define(i, value);
      continue;
    }
    std::vector<int64_t> parted(shape.dimensions().begin(), shape.dimensions().end());
    parted[split] /= count;
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

/// Translates collective_reduce: an all-reduce whose result only the root of each group keeps; others have zeros.
Status translate_collective_reduce(const OpContext& op) {
  hlo::AllReduceAttributes attributes;
  HILO_RETURN_IF_ERROR(set_collective(op, attributes, /*counts_devices=*/true));
  HILO_ASSIGN_OR_RETURN(attributes.to_apply, reducer(op));
  HILO_ASSIGN_OR_RETURN(const Rooted rooted, rooted_operands(op));
  for (uint32_t i = 0; i < rooted.values.size(); ++i) {
    auto own = std::make_shared<hlo::AllReduceAttributes>(attributes);
    HILO_ASSIGN_OR_RETURN(InstructionId sum, op.builder.add(Opcode::kAllReduce, {rooted.values[i]}, std::move(own)));
    if (op.translator.devices.grid.count() > 1) {
      HILO_ASSIGN_OR_RETURN(const InstructionId keeps, is_root(op, rooted, i, attributes.replica_groups));
      HILO_ASSIGN_OR_RETURN(sum, zero_unless(op, keeps, sum));
    }
    op.define(i, sum);
  }
  return ok_status();
}

namespace {

/// Adds each device's replica or partition number.
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
