// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/stablehlo/write/write_context.h"

namespace hilo::stablehlo {

StatusOr<bool> write_while(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(const NewOperation operation, context.operation());
  const auto& loop = context.attributes<hlo::WhileAttributes>();
  const hlo::ComputationPtr regions[] = {loop.condition, loop.body};
  HILO_RETURN_IF_ERROR(context.add(operation, regions));
  return true;
}

namespace {

/// Branches access their operands as values outside of the region.
StatusOr<bool> write_branches(const WriteContext& context, bool predicated) {
  const auto& conditional = context.attributes<hlo::ConditionalAttributes>();
  if (conditional.predicated != predicated) return false;
  HILO_ASSIGN_OR_RETURN(NewOperation operation, context.operation());
  operation.operands.resize(1);
  const OperationId id = context.builder().begin(operation, context.writer.location(context.instruction));
  std::vector<Region> regions;
  for (size_t i = 0; i < conditional.branches.size(); ++i) {
    const std::span<const ValueId> leaves = context.body.leaves(context.instruction.operands[i + 1]);
    HILO_ASSIGN_OR_RETURN(const Region region, context.writer.region_on(*conditional.branches[i], leaves));
    regions.push_back(region);
  }
  context.builder().end(id, regions, context.body.region);
  std::vector<ValueId> results;
  const ModuleTree& tree = context.builder().tree;
  for (uint32_t i = 0; i < operation.results.size(); ++i) results.push_back(tree.result(tree.operations[id], i));
  context.body.define(context.instruction.id, results);
  return true;
}

}  // namespace

StatusOr<bool> write_case(const WriteContext& context) { return write_branches(context, false); }

StatusOr<bool> write_if(const WriteContext& context) { return write_branches(context, true); }

StatusOr<bool> write_barrier(const WriteContext& context) {
  HILO_ASSIGN_OR_RETURN(const NewOperation operation, context.operation());
  HILO_RETURN_IF_ERROR(context.add(operation));
  return true;
}

}  // namespace hilo::stablehlo
