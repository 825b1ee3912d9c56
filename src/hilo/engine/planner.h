// SPDX-License-Identifier: Apache-2.0
// engine/planner.h -- from an optimised module to steps, slots and one arena.
#pragma once

#include <map>

#include "hilo/engine/assignment.h"
#include "hilo/engine/lifetimes.h"
#include "hilo/engine/planned_work.h"
#include "hilo/engine/region_cost.h"
#include "hilo/engine/region_split.h"

namespace hilo::engine {

/// What becomes of loops. The last two give the same bits.
enum class LoopForm : uint8_t {
  kRegisters,  ///< carries live in registers where register_loop_work() says so; the others as below
  kFunctions,  ///< one function where why_not_whole() has nothing against it
  kSteps,      ///< all run from step lists
};

/// A kernel step's region, and what the planner knows of its arguments.
struct PlannedKernel {
  Region region;
  std::vector<bool> single;  ///< per argument: its buffer has one element
  double nanoseconds = 0;    ///< of one thread, by Target::costs()
};

/// How a loop's function reaches what it doesn't hold itself. A kernel step in neither map is written into the function.
struct LoopLayout {
  std::vector<SlotId> slots;                   ///< whose pointers the function takes, in order
  std::map<const Step*, uint32_t> called;      ///< kernels called by address -> place in WholeLoop::kernels
  std::map<const Step*, uint32_t> handed_out;  ///< steps that the host runs -> place in WholeLoop::handed_out
  std::string text;                            ///< all that the code depends on; equal texts mean equal code
};

/// A loop that becomes a function, while its lists are there.
struct PlannedLoop {
  uint32_t loop;  ///< entry of Plan::loops
  LoopLayout layout;
};

/// A plan before its code is there. Regions point into the module.
struct PlannedProgram {
  Plan plan;
  std::vector<PlannedKernel> kernels;  ///< one per kKernel step, by Step::index
  std::vector<PlannedLoop> loops;      ///< one per entry of Plan::whole_loops
};

/// Numbers the kernels that steps and whole loops call anew, by who is first. Those written into loops get no number.
/// Returns   by new number, the old one
std::vector<uint32_t> number_kernels(Plan& plan);

/// Plans all but loops that become functions; make_whole_loops() does those.
/// Errors    those of Target::library_choice and register_loop; UNIMPLEMENTED for loops nested too deep
StatusOr<PlannedProgram> plan_steps(const hlo::Module& module, const Target& target);

/// Builds a plan; one object per compilation.
class Planner {
 public:
  Planner(const hlo::Module& module, const Target& target) : module_(module), target_(target), places_(module) {}
  StatusOr<PlannedProgram> run() &&;

 private:
  using BufferId = uint32_t;
  /// Where a value lives while a computation's steps are made.
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
    const Graph& graph;
    const ValueViews& views;
    Lifetimes lifetimes;
    std::vector<ValuePlace> places;  ///< per value
    StepList steps;
    int64_t item = 0;
    bool is_entry = false;
  };
  struct ResultPlan {
    std::vector<SlotId> targets;   ///< kNoSlot: anywhere
    std::vector<SlotId> in_place;  ///< per result: parameter slot that it may overwrite, kNoSlot for none
  };
  struct ListResult {
    StepList steps;
    std::vector<SlotId> result_slots;
  };

  // planner.cc
  StatusOr<ListResult> plan_list(const Graph& graph, const std::vector<SlotId>& parameters, const ResultPlan& plan,
                                 int depth, bool is_entry = false);
  void aim_results(Scope& scope, const ResultPlan& plan);
  void plan_region(Scope& scope, Region region);
  void plan_split(Scope& scope, const Region& region, SplitRegion split, std::vector<SlotId> inputs);
  Status plan_node(Scope& scope, uint32_t node, int depth);
  void add_kernel(Scope& scope, Region region, std::vector<SlotId> arguments, PlannedWork work);
  void add_donations(const Scope& scope, const std::vector<SlotId>& targets);

  // planner_places.cc
  SlotId output_slot(Scope& scope, ValueId value);
  bool may_overwrite(const Scope& scope, const Region& region, const RegionOutput& output, ValueId operand) const;
  void place_output(Scope& scope, const Region& region, const RegionOutput& output);
  void place_update(Scope& scope, const Region& region);
  /// A region that only copies a whole value, to which it gives another shape: if nobody reads that value any more, the copy is
  /// its memory, and there is nothing to run.
  bool place_as(Scope& scope, const Region& region);
  /// `v` begins as a copy of `w`; if w dies here (and `may`), they share memory and nothing is copied.
  void place_over(Scope& scope, ValueId v, ValueId w, bool may);
  bool become_result(const Scope& scope, ValuePlace& place, SlotId slot);
  /// `v` is written whole, and may be in w's memory if w dies here.
  void place_written(Scope& scope, ValueId v, ValueId w);

  // planner_control.cc
  struct Carry;
  Status plan_while(Scope& scope, const Node& node, int depth);
  StatusOr<bool> plan_register_loop(Scope& scope, const Node& node);
  std::vector<Carry> start_carries(Scope& scope, const Node& node, const Graph& body);
  void end_carries(Scope& scope, const Node& node, std::span<const Carry> carries, std::span<const SlotId> turned,
                   WhileLoop& loop);
  Status plan_conditional(Scope& scope, const Node& node, int depth);
  Status plan_library_call(Scope& scope, const Node& node);

  // planner_memory.cc
  SlotId new_slot(SlotSource source, int64_t index);
  SlotId new_arena_slot(int64_t bytes);
  SlotId constant_slot(const Literal& literal);
  void use(SlotId slot);
  void copy(Scope& scope, SlotId from, SlotId to, int64_t bytes);
  void alias(Scope& scope, SlotId from, SlotId to);
  /// `to` may point to what `from` does.
  void may_become(SlotId to, SlotId from);
  Status assign_arena();
  std::vector<SlotId> relayout_arguments(StepList& steps);
  void relayout_results(const std::vector<Shape>& leaves, const std::vector<SlotId>& from,
                        const std::vector<SlotId>& to);
  Step library_step(LibraryCall call, std::span<const SlotId> arguments, PlannedWork work);
  void set_arguments(Step& step, std::span<const SlotId> arguments);
  /// A place in Plan::work.
  uint32_t add_work(PlannedWork work);

  const hlo::Module& module_;
  const Target& target_;
  const InstructionPlaces places_;
  Plan plan_;
  std::vector<PlannedKernel> kernels_;
  std::vector<Stretch> stretches_;                   ///< of the arena
  std::vector<std::vector<BufferId>> slot_buffers_;  ///< per slot: the stretches that it may point to
  int64_t clock_ = 0;
  std::map<const void*, SlotId> constant_slots_;
};

}  // namespace hilo::engine
