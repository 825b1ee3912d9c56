// SPDX-License-Identifier: Apache-2.0
// engine/plan_list.h -- the steps of one computation (the entry, a branch, a loop's condition or body), decision by
// decision.
#pragma once

#include "hilo/engine/plan_state.h"

namespace hilo::engine {

/// Where the results of a computation go.
struct ResultPlan {
  std::vector<SlotId> targets = {};   ///< kNoSlot: anywhere
  std::vector<SlotId> in_place = {};  ///< per result: parameter slot that it may overwrite, kNoSlot for none
};

struct ListResult {
  StepList steps;
  std::vector<SlotId> result_slots;
};

/// Plans the computation's regions and other nodes in their order. `parameters`: the slots of its parameters; `depth`:
/// loops and branches around it.
/// Errors    UNIMPLEMENTED for loops and branches nested too deep; those of Target::library_choice and register_loop
StatusOr<ListResult> plan_list(PlanState& state, const Graph& graph, std::span<const SlotId> parameters,
                               const ResultPlan& plan, int depth);

// What plan_list asks, each in the file of its name. places.cc:

/// Gives each value that is a result the slot in which it must end: the first of several.
void aim_results(Scope& scope, const ResultPlan& plan);

/// The slot of a value that an item writes: new memory, unless it has a place.
SlotId output_slot(Scope& scope, ValueId value);

/// Places the outputs of a region. False if there is nothing to run: the region only gives another shape to a value
/// that is read no more, and its output is that memory.
bool place_outputs(Scope& scope, const Region& region);

/// `v` begins as a copy of `w`; if w dies here (and `may`), they share memory and nothing is copied.
void place_over(Scope& scope, ValueId v, ValueId w, bool may);
/// `v` is written whole, and may be in w's memory if w dies here.
void place_written(Scope& scope, ValueId v, ValueId w);

// kernel_steps.cc, library_calls.cc, loops.cc, conditionals.cc, donations.cc:

/// Places the region's outputs and adds the steps that compute them; threads share what takes longer than a fork.
void plan_region(Scope& scope, Region region);

/// Adds the step of the library function that Target::library_choice names.
/// Errors    those of library_choice
Status plan_library_call(Scope& scope, const Node& node);

/// Errors    those of Target::register_loop and of the loop's instructions
Status plan_while(Scope& scope, const Node& node);

/// Errors    those of the branches' instructions
Status plan_conditional(Scope& scope, const Node& node);

/// Pairs in which each element of the argument is read before the result is written there. `targets`: per result of the
/// entry, the slot in which it must end.
void add_donations(const Scope& scope, std::span<const SlotId> targets);

}  // namespace hilo::engine
