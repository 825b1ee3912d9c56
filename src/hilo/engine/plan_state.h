// SPDX-License-Identifier: Apache-2.0
// engine/plan_state.h -- what is known while a plan is made: of all of it, and of the computation whose steps are made.
#pragma once

#include "hilo/engine/assignment.h"
#include "hilo/engine/lifetimes.h"
#include "hilo/engine/planned_work.h"
#include "hilo/engine/planner.h"

namespace hilo::engine {

using BufferId = uint32_t;

/// A plan while it is made. One for each compilation.
struct PlanState {
  const hlo::Module& module;
  const Target& target;
  const InstructionPlaces places{module};
  Plan plan = {};
  std::vector<PlannedKernel> kernels = {};
  std::vector<Stretch> stretches = {};                   ///< of the arena
  std::vector<std::vector<BufferId>> slot_buffers = {};  ///< per slot: the stretches that it may point to
  int64_t clock = 0;                                     ///< ticks between what uses memory
  std::map<const void*, SlotId> constant_slots = {};
};

/// Where a value is while a computation's steps are made.
struct ValuePlace {
  SlotId slot = kNoSlot;
  bool owned = false;                ///< in the arena and made here, so it may be overwritten
  SlotId target = kNoSlot;           ///< the slot a result must end in
  SlotId update_in_place = kNoSlot;  ///< the carry's slot that this result may overwrite
  int64_t first_item = -1;           ///< the item that begins to write it
  std::vector<ValueId> overwrites;   ///< operands of its item whose memory it may take
};

/// A computation while its steps are made.
struct Scope {
  PlanState& state;
  const Graph& graph;
  const ValueViews& views;
  Lifetimes lifetimes;
  std::vector<ValuePlace> places;  ///< per value
  int depth = 0;                   ///< loops and branches around it; 0: the entry
  StepList steps = {};
  int64_t item = 0;  ///< of `lifetimes`: the one whose steps are made

  int64_t bytes_of(ValueId v) const { return graph.values[v].shape.byte_size(); }
  /// Does no later item read it?
  bool dies(ValueId v) const { return lifetimes.last_use[v] == item; }
};

SlotId new_slot(PlanState& state, SlotSource source, int64_t index);
/// Memory of its own in the arena.
SlotId new_arena_slot(PlanState& state, int64_t bytes);
SlotId constant_slot(PlanState& state, const Literal& literal);
/// What the slot may point to is needed at this tick of the clock.
void use(PlanState& state, SlotId slot);
/// `to` may point to what `from` does.
void may_become(PlanState& state, SlotId to, SlotId from);

/// Gives every slot of the arena its offset.
/// Errors    RESOURCE_EXHAUSTED if all temporaries together are 2^62 bytes and more
Status assign_arena(PlanState& state);

/// A place in Plan::work.
uint32_t add_work(PlanState& state, PlannedWork work);
void set_arguments(PlanState& state, Step& step, std::span<const SlotId> arguments);
Step library_step(PlanState& state, LibraryCall call, std::span<const SlotId> arguments, PlannedWork work);

void add_copy(Scope& scope, SlotId from, SlotId to, int64_t bytes);
/// `to` becomes `from`'s pointer.
void add_alias(Scope& scope, SlotId from, SlotId to);

}  // namespace hilo::engine
