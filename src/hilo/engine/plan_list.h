// SPDX-License-Identifier: Apache-2.0
// engine/plan_list.h -- plans the steps of one computation (the entry, a branch, a loop's condition or body).
#pragma once

#include "hilo/engine/plan_state.h"

namespace hilo::engine {

/// The target slots of a computation's results.
struct ResultPlan {
  std::vector<SlotId> targets = {};   ///< kNoSlot: any place
  std::vector<SlotId> in_place = {};  ///< per result: the parameter slot that it may overwrite, or kNoSlot
};

struct ListResult {
  StepList steps;
  std::vector<SlotId> result_slots;
};

/// Plans the computation's regions and other nodes in their order. `parameters`: the slots of its parameters; `depth`:
/// the number of loops and branches around it.
/// Errors    UNIMPLEMENTED for loops and branches nested too deep; those of Target::library_choice and register_loop
StatusOr<ListResult> plan_list(PlanState& state, const Graph& graph, std::span<const SlotId> parameters,
                               const ResultPlan& plan, int depth);

// Functions that plan_list calls, by file. places.cc:

/// Sets the target slot of each value that is a result. If a value is several results, the first one counts.
void set_result_targets(Scope& scope, const ResultPlan& plan);

/// Returns the slot of a value that an item writes. Allocates memory if it has no slot.
SlotId output_slot(Scope& scope, ValueId value);

/// Places the outputs of a region. Returns false if no step is needed: the region only reshapes a value that no later
/// item reads, and its output takes that memory.
bool place_outputs(Scope& scope, const Region& region);

/// Lets `v` begin as a copy of `w`. If `w` isn't read later and `may` is true, they share memory and no copy is needed.
void place_over(Scope& scope, ValueId v, ValueId w, bool may);
/// Places `v`, whose elements are those of `w`, in the memory of `w`. It may be overwritten there if `w` isn't read
/// later and `may_own` is true.
void place_unchanged(Scope& scope, ValueId v, ValueId w, bool may_own);
/// Places `v`, which is written completely. It may use the memory of `w` if `w` isn't read later.
void place_written(Scope& scope, ValueId v, ValueId w);

// kernel_steps.cc, library_calls.cc, loops.cc, conditionals.cc, donations.cc:

/// Places the region's outputs and adds the steps that compute them. A kernel that takes longer than a fork is shared
/// by threads.
void plan_region(Scope& scope, Region region);

/// Adds the step of the library function that Target::library_choice selects.
/// Errors    those of library_choice
Status plan_library_call(Scope& scope, const Node& node);

/// Plans a loop.
/// Errors    those of Target::register_loop and of the loop's instructions
Status plan_while(Scope& scope, const Node& node);

/// Plans a conditional.
/// Errors    those of the branches' instructions
Status plan_conditional(Scope& scope, const Node& node);

/// Adds the donation pairs: each element of the argument is read before the result is written there. `targets`: per
/// result of the entry, its target slot.
void add_donations(const Scope& scope, std::span<const SlotId> targets);

}  // namespace hilo::engine
