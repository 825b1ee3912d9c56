// SPDX-License-Identifier: Apache-2.0
// Custom calls with registered partitioners, such as Python functions of jax.experimental.custom_partitioning. They
// become manual computations with the partitioner's body.
#include <fmt/format.h>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/stablehlo/translate/calls.h"
#include "hilo/stablehlo/translate/device_parts.h"
#include "hilo/stablehlo/translate/translate.h"

namespace hilo::stablehlo {

using hlo::InstructionId;
using hlo::Opcode;

namespace {

/// Returns the parts, with all axes manual.
StatusOr<DeviceParts> parts_of(const OpContext& op, const Sharding& sharding) {
  std::vector<std::string> axes;
  for (const MeshAxis& axis : sharding.mesh.axes) axes.push_back(axis.name);
  return parts_by_axes(op, sharding, axes);
}

StatusOr<std::vector<InstructionId>> own_parts(const OpContext& op, const CustomPartition& partition) {
  const std::vector<Shape> shapes = partition.body->parameter_shapes();
  const uint32_t count = op.operation.operands.count;
  if (shapes.size() != count || partition.operands.size() != count)
    return invalid_argument(
        fmt::format("its partitioner returned a computation with {} parameters and {} shardings; wanted {}",
                    shapes.size(), partition.operands.size(), count));
  std::vector<InstructionId> parts;
  for (uint32_t i = 0; i < count; ++i) {
    HILO_ASSIGN_OR_RETURN(const DeviceParts cut, parts_of(op, partition.operands[i]));
    HILO_ASSIGN_OR_RETURN(InstructionId value, op.operand(i));
    HILO_ASSIGN_OR_RETURN(value, state_sharding(op, value, cut));
    HILO_RETURN_IF_ERROR(
        check_parts(cut, op.builder.shape(value), shapes[i]).with_context(fmt::format("operand {}", i)));
    HILO_ASSIGN_OR_RETURN(const InstructionId part, cut_part(op, value, cut, shapes[i]));
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

Status translate_partitioned_call(const OpContext& op, const CustomPartition& partition) {
  HILO_ASSIGN_OR_RETURN(const std::vector<InstructionId> parts, own_parts(op, partition));
  auto call = std::make_shared<hlo::CallAttributes>();
  call->to_apply = partition.body;
  HILO_ASSIGN_OR_RETURN(const InstructionId made, op.builder.add(Opcode::kCall, parts, std::move(call)));
  const Shape all = op.builder.shape(made);
  const uint32_t count = op.operation.results.count;
  const auto given = all.is_tuple() ? static_cast<uint32_t>(all.tuple_size()) : 1U;
  if (given != count || partition.results.size() != count)
    return invalid_argument(
        fmt::format("its partitioner returned a computation with {} results and {} shardings; wanted {}", given,
                    partition.results.size(), count));
  for (uint32_t i = 0; i < count; ++i) {
    InstructionId part = made;
    if (all.is_tuple()) {
      auto element = std::make_shared<hlo::GetTupleElementAttributes>();
      element->index = i;
      HILO_ASSIGN_OR_RETURN(part, op.builder.add(Opcode::kGetTupleElement, {made}, std::move(element)));
    }
    HILO_ASSIGN_OR_RETURN(const DeviceParts cut, parts_of(op, partition.results[i]));
    HILO_ASSIGN_OR_RETURN(const Shape whole, op.result_shape(i));
    HILO_RETURN_IF_ERROR(check_parts(cut, whole, op.builder.shape(part)).with_context(fmt::format("result {}", i)));
    HILO_ASSIGN_OR_RETURN(const InstructionId joined, join_parts(op, part, cut));
    op.define(i, joined);
  }
  return ok_status();
}

}  // namespace hilo::stablehlo
