// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/kernel_offsets.h"

#include <algorithm>
#include <limits>

namespace hilo::engine {
namespace {

/// Returns the least value of an index over the domain, or 0 if that depends on values at run time.
int64_t least_of(const IndexExpr& index, std::span<const int64_t> extents) {
  const bool may_fall = std::ranges::any_of(index.terms, [](const IndexTerm& term) { return term.coefficient < 0; });
  return may_fall ? 0 : reach_of(index, extents).least;
}

/// Subtracts the least index from all, if it is positive, and returns it in bytes. The others stay positive: code may
/// compute them without a sign.
int64_t take_offset(std::span<IndexExpr* const> indices, ElementType type, std::span<const int64_t> extents) {
  int64_t least = indices.empty() ? 0 : std::numeric_limits<int64_t>::max();
  for (const IndexExpr* index : indices) least = std::min(least, least_of(*index, extents));
  if (least <= 0) return 0;
  for (IndexExpr* index : indices) index->constant -= least;
  return least * element_size_bytes(type);
}

/// Returns the offset of each argument in bytes: inputs, then outputs. Inputs that are read behind guards keep their
/// beginning: where no guard holds, code reads it, or an index may be far beyond the array.
std::vector<int64_t> take_offsets(Region& region) {
  std::vector<std::vector<IndexExpr*>> indices(region.inputs.size());
  std::vector<bool> is_guarded(region.inputs.size());
  for (RegionNode& node : region.nodes) {
    if (node.kind != NodeKind::kLoad) continue;
    indices[node.input].push_back(&node.index);
    if (!node.guards.empty()) is_guarded[node.input] = true;
  }
  std::vector<int64_t> offsets;
  for (size_t k = 0; k < region.inputs.size(); ++k)
    offsets.push_back(is_guarded[k] ? 0 : take_offset(indices[k], region.inputs[k].type, region.extents));
  for (RegionOutput& output : region.outputs) {
    IndexExpr* const index = &output.index;
    offsets.push_back(take_offset({&index, 1}, output.type, region.extents));
  }
  return offsets;
}

/// Returns the kernels whose arguments the code of a loop passes.
std::vector<bool> called_by_loops(const PlannedProgram& program) {
  std::vector<bool> called(program.kernels.size());
  for (const WholeLoop& loop : program.plan.whole_loops) {
    for (const uint32_t kernel : loop.kernels) called[kernel] = true;
    for (const Step& step : loop.handed_out) {
      if (step.kind == StepKind::kKernel) called[step.index] = true;
    }
  }
  return called;
}

}  // namespace

void move_offsets_to_arguments(PlannedProgram& program) {
  Plan& plan = program.plan;
  const std::vector<bool> is_called_by_loop = called_by_loops(program);
  std::vector<int64_t> all(plan.argument_slots.size());
  for_each_list(plan, [&](StepList& steps) {
    for (const Step& step : steps) {
      if (step.kind != StepKind::kKernel || is_called_by_loop[step.index]) continue;
      std::ranges::copy(take_offsets(program.kernels[step.index].region), all.begin() + step.arguments);
    }
  });
  if (std::ranges::any_of(all, [](int64_t offset) { return offset != 0; })) plan.argument_offsets = std::move(all);
}

}  // namespace hilo::engine
