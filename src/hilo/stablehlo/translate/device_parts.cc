// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/translate/device_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/stablehlo/devices/mesh_axes.h"
#include "hilo/stablehlo/translate/data.h"
#include "hilo/stablehlo/translate/manual.h"

namespace hilo::stablehlo {

using hlo::InstructionId;
using hlo::Opcode;

StatusOr<DeviceParts> parts_by_axes(const OpContext& op, const Sharding& sharding,
                                    const std::vector<std::string>& manual_axes) {
  Mesh mesh = sharding.mesh;
  if (!sharding.mesh_name.empty()) {
    HILO_ASSIGN_OR_RETURN(mesh, find_mesh(op.tree(), sharding.mesh_name));
  }
  const auto split = [&](const std::vector<AxisReference>& axes) -> StatusOr<DimensionSplit> {
    std::vector<AxisReference> manual;  // the manual axes; along other axes arrays aren't split inside
    for (const AxisReference& axis : axes) {
      if (std::find(manual_axes.begin(), manual_axes.end(), axis.name) != manual_axes.end()) manual.push_back(axis);
    }
    StatusOr<DimensionSplit> made = split_dimension(mesh, manual);
    const int64_t devices = mesh.device_count(), wanted = op.translator.devices.grid.count();
    if (made.ok() && made->parts > 1 && devices != wanted)
      return unimplemented(fmt::format("a sharding over {} of {} devices", devices, wanted));
    return made;
  };
  DeviceParts parts;
  for (const DimensionSharding& stated : sharding.dimensions) {
    HILO_ASSIGN_OR_RETURN(DimensionSplit dimension, split(stated.axes));
    parts.dimensions.push_back(std::move(dimension));
  }
  HILO_ASSIGN_OR_RETURN(parts.summands, split(sharding.unreduced));
  parts.reduction = sharding.reduction;
  parts.sharding = to_string(sharding);
  Sharding manual = sharding;
  std::vector<std::string> left = manual_axes;
  const auto stays = [&](const AxisReference& axis) {
    std::erase(left, axis.name);
    return std::find(manual_axes.begin(), manual_axes.end(), axis.name) == manual_axes.end();
  };
  for (DimensionSharding& dimension : manual.dimensions) std::erase_if(dimension.axes, stays);
  std::erase_if(manual.unreduced, stays);
  std::erase_if(manual.replicated, stays);
  for (const std::string& axis : left) manual.replicated.push_back({axis});
  parts.manual = to_string(manual);
  return parts;
}

Status check_parts(const DeviceParts& parts, const Shape& whole, const Shape& part) {
  const auto fail = [&] {
    return invalid_argument(fmt::format("{} on each device doesn't match the whole array {} and its sharding",
                                        part.to_string(), whole.to_string()));
  };
  if (!whole.is_array() || !part.is_array()) return whole == part ? ok_status() : fail();
  if (part.rank() != whole.rank() || std::ssize(parts.dimensions) != whole.rank() ||
      part.element_type() != whole.element_type())
    return fail();
  for (int64_t d = 0; d < whole.rank(); ++d) {
    const DimensionSplit& split = parts.dimensions[d];
    if (part.dimension(d) * split.parts != whole.dimension(d)) return fail();
  }
  return ok_status();
}

namespace {

/// Keeps the value on the first of the devices that add to the same elements; the others get zeros. As a partial
/// maximum or minimum all of them keep it.
StatusOr<InstructionId> one_summand(const OpContext& op, InstructionId value, const DeviceParts& parts) {
  if (parts.summands.parts == 1 || parts.reduction != hlo::ReducerKind::kAdd) return value;
  std::vector<int64_t> has = parts.summands.part_of_device;
  for (int64_t& part : has) part = part == 0 ? 1 : 0;
  return zero_elsewhere(op, value, has);
}

}  // namespace

namespace {

/// Adds an instruction with frontend attributes.
StatusOr<InstructionId> add_marked(const OpContext& op, Opcode opcode, std::span<const InstructionId> operands,
                                   hlo::AttributesPtr attributes, const FrontendAttributes& entries) {
  op.builder.set_annotations(with_frontend_attributes(op, entries));
  StatusOr<InstructionId> added = op.builder.add(opcode, operands, std::move(attributes));
  op.builder.set_annotations(op.translator.annotations_of(op.operation.location));
  return added;
}

}  // namespace

StatusOr<InstructionId> cut_part(const OpContext& op, InstructionId value, const DeviceParts& parts,
                                 const Shape& part) {
  HILO_ASSIGN_OR_RETURN(value, one_summand(op, value, parts));
  if (!part.is_array()) return value;
  const FrontendAttributes mark = {{"hilo.manual", "in " + parts.manual}};
  std::vector<InstructionId> operands = {value};
  if (op.builder.shape(value) == part) return add_marked(op, Opcode::kCopy, operands, nullptr, mark);
  auto attributes = std::make_shared<hlo::DynamicSliceAttributes>();
  for (int64_t d = 0; d < part.rank(); ++d) {
    attributes->sizes.push_back(part.dimension(d));
    const DimensionSplit& split = parts.dimensions[d];
    std::vector<int64_t> starts = split.part_of_device;
    for (int64_t& start : starts) start *= part.dimension(d);
    if (split.parts == 1) {
      operands.push_back(op.builder.constant(Literal::scalar(int32_t{0})));
    } else {
      HILO_ASSIGN_OR_RETURN(const InstructionId start, device_entry(op, starts));
      operands.push_back(start);
    }
  }
  return add_marked(op, Opcode::kDynamicSlice, operands, std::move(attributes), mark);
}

StatusOr<InstructionId> join_parts(const OpContext& op, InstructionId value, const DeviceParts& parts) {
  if (!op.builder.shape(value).is_array()) return value;
  int joins = 0;
  if (parts.summands.parts > 1) {
    ++joins;
    auto attributes = std::make_shared<hlo::AllReduceAttributes>();
    attributes->replica_groups = parts.summands.groups;
    HILO_ASSIGN_OR_RETURN(attributes->to_apply, hlo::scalar_binary_computation(*hlo::opcode_of(parts.reduction),
                                                                               op.builder.shape(value).element_type()));
    HILO_ASSIGN_OR_RETURN(value, op.builder.add(Opcode::kAllReduce, {value}, std::move(attributes)));
  }
  for (size_t d = 0; d < parts.dimensions.size(); ++d) {
    if (parts.dimensions[d].parts == 1) continue;
    HILO_ASSIGN_OR_RETURN(value, join_devices(op, value, d, parts.dimensions[d].groups));
    ++joins;
  }
  return add_marked(
      op, Opcode::kCopy, {{value}}, nullptr,
      {sharding_attribute(parts.sharding), {"hilo.manual", fmt::format("out {} {}", joins, parts.manual)}});
}

StatusOr<InstructionId> state_sharding(const OpContext& op, InstructionId value, const DeviceParts& parts) {
  if (!op.builder.shape(value).is_array()) return value;
  return add_constraint(op, value, parts.sharding);
}

}  // namespace hilo::stablehlo
