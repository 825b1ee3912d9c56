// SPDX-License-Identifier: Apache-2.0
// engine/straight_plan.h -- chooses between a program's plan and its straight line.
#pragma once

#include "hilo/engine/plan_state.h"

namespace hilo::engine {

/// Returns the estimated time of steps of a plan on one thread, in nanoseconds. Loops with an unknown trip count count
/// once.
double planned_nanoseconds(const PlanState& state, const StepList& steps);

/// Returns the estimated time of a straight line on one thread, in nanoseconds.
double straight_nanoseconds(const StraightLine& line, const StraightLineOptions& options, const Costs& costs);

/// Returns the straight line of the module's entry, with the batch in the lanes if there is one. Returns nullopt if the
/// target has no code for it, the entry has none, or the steps of its plan are faster.
std::optional<StraightLine> choose_straight_line(const PlanState& state, const StepList& steps);

struct StraightStep {
  Step step;
  SlotId guard = kNoSlot;  ///< the slot of its guard, which is in the arena; kNoSlot if it has none
};
/// Returns the step that computes the module's results by a straight line.
/// Errors    those of Target::straight_line
StatusOr<StraightStep> straight_step(PlanState& state, const StraightLine& line, std::span<const SlotId> parameters,
                                     std::span<const SlotId> targets);

}  // namespace hilo::engine
