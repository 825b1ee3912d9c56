// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/plan_list.h"

#include <algorithm>

#include "hilo/base/sizes.h"
#include "hilo/engine/region_poll.h"
#include "hilo/engine/region_split.h"

namespace hilo::engine {
namespace {

constexpr int64_t kTasksPerKernel = 16;

/// Rounds `requested` units of the outermost dimension to whole vectors or blocks, at least one.
int64_t whole_units(const Region& region, int64_t requested, const Target& target) {
  const RegionShape shape = target.shape_of(region);
  const int64_t step = shape.vector_dimension == 0 ? shape.step : region.row_begin == 2 ? shape.block_rows : 1;
  return (std::max<int64_t>(requested, 1) + step - 1) / step * step;
}

/// Returns the units of the outermost dimension per task; 0 if the kernel runs on the caller's thread.
int64_t chunk_of(const Region& region, double nanoseconds, int64_t units, const Target& target) {
  if (region.row_begin == 0 || units < 2 || nanoseconds < target.costs().fork) return 0;
  const int64_t whole = whole_units(region, units / kTasksPerKernel, target);
  return whole != 1 && units < 2 * whole ? 0 : whole;
}

/// Returns the units between two checks of the stop word; 0 if the kernel is too short to check it.
int64_t poll_interval_of(const Region& region, double nanoseconds, int64_t units, const Target& target) {
  if (region.row_begin == 0 || units < 2 || nanoseconds < 2 * kPollNanoseconds) return 0;
  const auto ranges = static_cast<int64_t>(std::min(nanoseconds / kPollNanoseconds, static_cast<double>(units)));
  return whole_units(region, units / ranges, target);
}

void add_kernel(Scope& scope, Region region, std::span<const SlotId> arguments, PlannedWork work) {
  for (size_t k = 0; k < region.row_begin; ++k) {
    if (region.extents[k] == 0) return;  // nothing to write
  }
  const double nanoseconds = work.nanoseconds = region_cost(region, scope.state.target.costs());
  Step step{
      .kind = StepKind::kKernel, .index = size32(scope.state.kernels), .work = add_work(scope.state, std::move(work))};
  set_arguments(scope.state, step, arguments);
  step.units = region.row_begin > 0 ? region.extents[0] : 1;
  step.chunk = chunk_of(region, nanoseconds, step.units, scope.state.target);
  step.stretch = poll_interval_of(region, nanoseconds, step.units, scope.state.target);
  scope.state.plan.forks |= step.chunk != 0;
  std::vector<bool> single;
  const auto add = [&](ValueId v) {
    single.push_back(v != kNoValue && scope.graph.values[v].shape.element_count() == 1);
  };
  for (const RegionInput& input : region.inputs) add(input.value);
  for (const RegionOutput& output : region.outputs) add(output.value);
  scope.state.kernels.push_back({.region = std::move(region), .single = std::move(single), .nanoseconds = nanoseconds});
  scope.steps.push_back(step);
}

/// Plans a reduction in two steps: of the parts, then over their results. `slots`: those of the inputs.
void plan_split(Scope& scope, const Region& region, SplitRegion split, std::vector<SlotId> slots) {
  PlannedWork rest{.kind = "kernel"};
  for (int64_t bytes : split.partial_bytes) {
    slots.push_back(new_arena_slot(scope.state, bytes));
    rest.bytes += static_cast<double>(bytes);
  }
  add_kernel(scope, std::move(split.parts), slots,
             work_of(scope.state.places, scope.graph, region, scope.state.target));
  ++scope.state.clock;
  for (const RegionOutput& o : region.outputs) slots.push_back(scope.places[o.value].slot);
  for (SlotId slot : slots) use(scope.state, slot);
  add_kernel(scope, std::move(split.whole), slots, std::move(rest));
}

}  // namespace

void plan_region(Scope& scope, Region region) {
  if (!place_outputs(scope, region)) return;
  std::vector<SlotId> arguments;
  for (const RegionInput& input : region.inputs) arguments.push_back(scope.places[input.value].slot);
  if (std::optional<SplitRegion> split = split_reduction(region))
    return plan_split(scope, region, *std::move(split), std::move(arguments));
  for (const RegionOutput& o : region.outputs) arguments.push_back(scope.places[o.value].slot);
  PlannedWork work = work_of(scope.state.places, scope.graph, region, scope.state.target);
  add_kernel(scope, std::move(region), arguments, std::move(work));
}

}  // namespace hilo::engine
