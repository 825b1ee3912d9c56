// SPDX-License-Identifier: Apache-2.0
// engine/plan_state.h -- the state of planning: of the whole plan, and of the computation that is planned.
#pragma once

#include "hilo/engine/assignment.h"
#include "hilo/engine/lifetimes.h"
#include "hilo/engine/planned_work.h"
#include "hilo/engine/planner.h"

namespace hilo::engine {

using BufferId = uint32_t;

/// A plan in progress. There is one per compilation.
struct PlanState {
  const hlo::Module& module;
  const Target& target;
  const InstructionPlaces places{module};
  Plan plan = {};
  std::vector<PlannedKernel> kernels = {};
  std::vector<LiveRange> ranges = {};                    ///< live ranges in the arena
  std::vector<std::vector<BufferId>> slot_buffers = {};  ///< per slot: the buffers that it may point to
  int64_t clock = 0;                                     ///< ticks between uses of memory
  std::map<const void*, SlotId> constant_slots = {};
  bool straight_bodies = true;  ///< whether bodies of loops may be straight lines
};

/// The place of a value while a computation is planned.
struct ValuePlace {
  SlotId slot = kNoSlot;
  bool owned = false;                ///< in the arena and allocated for this computation, so it may be overwritten
  SlotId target = kNoSlot;           ///< the slot in which a result must end
  SlotId update_in_place = kNoSlot;  ///< the slot of the carry that this result may overwrite
  int64_t first_item = -1;           ///< the first item that writes it
  std::vector<ValueId> overwrites;   ///< operands of its item whose memory it may reuse
};

/// A computation in progress.
struct Scope {
  PlanState& state;
  const Graph& graph;
  const ValueViews& views;
  Lifetimes lifetimes;
  std::vector<ValuePlace> places;  ///< per value
  int depth = 0;                   ///< loops and branches around it; 0 for the entry
  StepList steps = {};
  int64_t item = 0;  ///< index in `lifetimes` of the item that is planned

  int64_t bytes_of(ValueId v) const { return graph.values[v].shape.byte_size(); }
  /// Whether no later item reads it.
  bool dies(ValueId v) const { return lifetimes.last_use[v] == item; }
};

SlotId new_slot(PlanState& state, SlotSource source, int64_t index);
/// Allocates memory in the arena and returns its slot.
SlotId new_arena_slot(PlanState& state, int64_t bytes);
SlotId constant_slot(PlanState& state, const Literal& literal);
/// Marks all buffers that the slot may point to as live at this tick of the clock.
void use(PlanState& state, SlotId slot);
/// Records that `to` may point to the same buffers as `from`.
void may_become(PlanState& state, SlotId to, SlotId from);

/// Assigns an offset to each slot of the arena.
/// Errors    RESOURCE_EXHAUSTED if all temporaries together have 2^62 bytes or more
Status assign_arena(PlanState& state);

/// Adds an entry to Plan::work and returns its index.
uint32_t add_work(PlanState& state, PlannedWork work);
void set_arguments(PlanState& state, Step& step, std::span<const SlotId> arguments);
Step library_step(PlanState& state, LibraryCall call, std::span<const SlotId> arguments, PlannedWork work);

void add_copy(Scope& scope, SlotId from, SlotId to, int64_t bytes);
/// Adds a step that sets the pointer of `to` to that of `from`.
void add_alias(Scope& scope, SlotId from, SlotId to);

}  // namespace hilo::engine
