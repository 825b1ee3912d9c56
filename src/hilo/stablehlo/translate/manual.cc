// SPDX-License-Identifier: Apache-2.0
// sdy.manual_computation: every device has complete operands, cuts its own parts out of them, and runs the body on the
// parts. Then all parts of the results are joined.
#include "hilo/stablehlo/translate/manual.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/stablehlo/devices/mesh_axes.h"
#include "hilo/stablehlo/devices/sharding.h"
#include "hilo/stablehlo/translate/device_parts.h"

namespace hilo::stablehlo {

using hlo::InstructionId;
using hlo::Opcode;

StatusOr<InstructionId> device_entry(const OpContext& op, const std::vector<int64_t>& by_device) {
  const Shape shape = Shape::array(ElementType::kS32, {std::ssize(by_device)});
  std::vector<int32_t> values(by_device.begin(), by_device.end());
  const InstructionId table =
      op.builder.constant(Literal::from_bytes(shape, std::as_bytes(std::span<const int32_t>(values))));
  HILO_ASSIGN_OR_RETURN(const InstructionId device, op.builder.add(Opcode::kReplicaId, {}));
  auto one = std::make_shared<hlo::DynamicSliceAttributes>();
  one->sizes = {1};
  HILO_ASSIGN_OR_RETURN(const InstructionId entry,
                        op.builder.add(Opcode::kDynamicSlice, {table, device}, std::move(one)));
  return op.builder.add(Opcode::kReshape, {entry}, nullptr, Shape::scalar(ElementType::kS32));
}

StatusOr<InstructionId> zero_elsewhere(const OpContext& op, InstructionId value,
                                       const std::vector<int64_t>& by_device) {
  HILO_ASSIGN_OR_RETURN(const InstructionId flag, device_entry(op, by_device));
  HILO_ASSIGN_OR_RETURN(const InstructionId keeps,
                        op.builder.add(Opcode::kConvert, {flag}, nullptr, Shape::scalar(ElementType::kPred)));
  return zero_unless(op, keeps, value);
}

StatusOr<InstructionId> choose(const OpContext& op, InstructionId first, InstructionId value, InstructionId otherwise) {
  const Shape flags = op.builder.shape(value).with_element_type(ElementType::kPred);
  HILO_ASSIGN_OR_RETURN(
      const InstructionId everywhere,
      op.builder.add(Opcode::kBroadcast, {first}, std::make_shared<hlo::BroadcastAttributes>(), flags));
  return op.builder.add(Opcode::kSelect, {everywhere, value, otherwise});
}

StatusOr<InstructionId> zero_unless(const OpContext& op, InstructionId keeps, InstructionId value) {
  const Shape shape = op.builder.shape(value);
  HILO_ASSIGN_OR_RETURN(Literal zero, Literal::make(Shape::scalar(shape.element_type())));
  const InstructionId scalar = op.builder.constant(std::move(zero));
  HILO_ASSIGN_OR_RETURN(const InstructionId zeros, op.builder.add(Opcode::kBroadcast, {scalar},
                                                                  std::make_shared<hlo::BroadcastAttributes>(), shape));
  return choose(op, keeps, value, zeros);
}

StatusOr<InstructionId> join_devices(const OpContext& op, InstructionId value, int64_t dimension,
                                     const hlo::Int64Lists& groups) {
  if (groups.empty()) return value;
  auto attributes = std::make_shared<hlo::AllGatherAttributes>();
  attributes->replica_groups = groups;
  attributes->dimensions = {dimension};
  const Shape part = op.builder.shape(value);
  std::vector<int64_t> sizes(part.dimensions().begin(), part.dimensions().end());
  sizes[dimension] *= std::ssize(groups[0]);
  return op.builder.add(Opcode::kAllGather, {value}, std::move(attributes), part.with_dimensions(sizes));
}

namespace {

StatusOr<std::vector<DeviceParts>> all_parts(const OpContext& op, std::string_view name, uint32_t count) {
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string> manual_axes, parse_axis_names(op.text("manual_axes")));
  HILO_ASSIGN_OR_RETURN(const std::vector<Sharding> shardings, parse_shardings(op.text(name)));
  if (shardings.size() != count)
    return invalid_argument(fmt::format("{} has {} entries; wanted {}", name, shardings.size(), count));
  std::vector<DeviceParts> parts;
  for (const Sharding& sharding : shardings) {
    HILO_ASSIGN_OR_RETURN(DeviceParts made, parts_by_axes(op, sharding, manual_axes));
    parts.push_back(std::move(made));
  }
  return parts;
}

}  // namespace

Status translate_manual_computation(const OpContext& op) {
  if (op.operation.regions.count != 1) return invalid_argument("wanted a body");
  const Region& body = op.tree().regions[op.operation.regions.begin];
  if (body.arguments.count != op.operation.operands.count)
    return invalid_argument("the body's arguments don't match the operands");
  HILO_ASSIGN_OR_RETURN(const std::vector<DeviceParts> in, all_parts(op, "in_shardings", op.operation.operands.count));
  HILO_ASSIGN_OR_RETURN(const std::vector<DeviceParts> out, all_parts(op, "out_shardings", op.operation.results.count));
  for (uint32_t i = 0; i < body.arguments.count; ++i) {
    const ValueId argument = body.arguments.begin + i;
    HILO_ASSIGN_OR_RETURN(InstructionId value, op.operand(i));
    HILO_ASSIGN_OR_RETURN(value, state_sharding(op, value, in[i]));
    HILO_ASSIGN_OR_RETURN(const Shape part, shape_of(op.tree(), op.tree().values[argument].type));
    HILO_RETURN_IF_ERROR(check_parts(in[i], op.builder.shape(value), part));
    HILO_ASSIGN_OR_RETURN(const InstructionId own, cut_part(op, value, in[i], part));
    op.translator.set(op.builder, argument, own);
  }
  std::vector<InstructionId> results;
  HILO_RETURN_IF_ERROR(op.translator.translate_block(op.builder, body, results));
  if (results.size() != op.operation.results.count)
    return invalid_argument("the body returns another number of values");
  for (uint32_t i = 0; i < results.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(const Shape whole, op.result_shape(i));
    HILO_RETURN_IF_ERROR(check_parts(out[i], whole, op.builder.shape(results[i])));
    HILO_ASSIGN_OR_RETURN(const InstructionId joined, join_parts(op, results[i], out[i]));
    op.define(i, joined);
  }
  return ok_status();
}

}  // namespace hilo::stablehlo
