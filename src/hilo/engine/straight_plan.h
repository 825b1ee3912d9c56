// SPDX-License-Identifier: Apache-2.0
// engine/straight_plan.h -- chooses between a program's plan and its straight line.
#pragma once

#include "hilo/engine/plan_state.h"

namespace hilo::engine {

/// Returns the estimated time of a straight line on one thread, in nanoseconds.
double straight_nanoseconds(const StraightLine& line, const StraightLineOptions& options, const Costs& costs);

/// A straight line and the leaves of its operands and results.
struct StraightPart {
  StraightLine line;
  std::vector<Shape> operands, results;
  std::vector<const hlo::Instruction*> instructions;  ///< of the module, that it computes
};

/// Returns the straight line of a computation of the module: the entry, or the body of a loop. With the batch in the
/// lanes, a second one, whose operands are the results of the first, may take the results apart along the batch. Empty
/// if the target has no code for it, the computation has none, or `steps`, which compute the same, are faster.
std::vector<StraightPart> choose_straight_line(const PlanState& state, const hlo::ComputationPtr& computation,
                                               const StepList& steps);

struct StraightSteps {
  StepList steps;
  SlotId guard = kNoSlot;  ///< the slot of the first part's guard, which is in the arena; kNoSlot if it has none
};
/// Returns the steps that compute the module's results by straight lines.
/// Errors    those of Target::straight_line
StatusOr<StraightSteps> straight_steps(PlanState& state, std::span<const StraightPart> parts,
                                       std::span<const SlotId> parameters, std::span<const SlotId> targets);

}  // namespace hilo::engine
