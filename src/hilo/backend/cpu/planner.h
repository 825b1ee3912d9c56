// SPDX-License-Identifier: Apache-2.0
// backend/cpu/planner.h -- from an optimised module to steps, slots and one arena.
#pragma once

#include <map>

#include "hilo/backend/cpu/emit/whole_loop.h"
#include "hilo/hlo/ir/pass_observer.h"

namespace hilo::cpu {

/// What becomes of loops. Results have the same bits either way.
enum class LoopForm : uint8_t {
  kFunctions,  ///< one function where why_not_whole() has nothing against it
  kSteps,      ///< all run from step lists
};

/// Plans and compiles. The module must outlive the program. `observer` may be null.
/// Errors    UNIMPLEMENTED "shuffle 's' is not implemented on platform Host in this version", and what code
///           generation returns
StatusOr<Program> plan_program(const hlo::Module& module, Isa isa, LoopForm loops = LoopForm::kFunctions,
                               hlo::PassObserver* observer = nullptr);

/// Builds a program; one object per compilation.
class Planner {
 public:
  Planner(const hlo::Module& module, Isa isa, LoopForm loops, hlo::PassObserver* observer)
      : module_(module), isa_(isa), loops_(loops), observer_(observer) {}
  StatusOr<Program> run() &&;

 private:
  using BufferId = uint32_t;
  /// A stretch of the arena and the clock ticks during which it holds something.
  struct ArenaBuffer {
    int64_t bytes;
    int64_t begin, end;
    int64_t offset = 0;
  };
  /// A computation while its steps are made.
  struct Scope {
    const Graph& graph;
    StepList steps;
    std::vector<SlotId> slot_of;                   ///< per value
    std::vector<int64_t> last_use;                 ///< per value: index of the last item that reads it
    std::vector<bool> owned;                       ///< per value: in the arena and made here, so it may be overwritten
    std::vector<SlotId> target;                    ///< per value: the slot a result must end in
    std::vector<SlotId> update_in_place;           ///< per value: the carry's slot that this result may overwrite
    std::vector<int64_t> first_item;               ///< per value: the item that begins to write it
    std::vector<std::vector<ValueId>> overwrites;  ///< per value: operands of its item whose memory it may take
    int64_t item = 0;
    struct PendingCopy {
      SlotId from, to;
      int64_t bytes;
    };
    std::vector<PendingCopy> pending_copies;  ///< after the loop that is being planned
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
  void plan_region(Scope& scope, Region region);
  Status plan_node(Scope& scope, uint32_t node, int depth);
  void add_kernel(Scope& scope, Region region, std::vector<SlotId> arguments, ExecutionUnit unit);
  void add_donations(const Graph& graph, const Scope& scope, const std::vector<SlotId>& targets);
  SlotId output_slot(Scope& scope, ValueId value);
  bool may_overwrite(const Scope& scope, const Region& region, const RegionOutput& output, ValueId operand) const;
  void place_output(Scope& scope, const Region& region, const RegionOutput& output);
  void place_update(Scope& scope, const Region& region);
  /// `v` begins as a copy of `w`; if w dies here (and `may`), they share memory and nothing is copied.
  void place_over(Scope& scope, ValueId v, ValueId w, bool may);

  // planner_control.cc
  Status plan_while(Scope& scope, const Node& node, int depth);
  Status plan_conditional(Scope& scope, const Node& node, int depth);
  Status plan_hero(Scope& scope, const Node& node);

  // planner_memory.cc
  SlotId new_slot(SlotSource source, int64_t index);
  SlotId new_arena_slot(int64_t bytes);
  SlotId constant_slot(const Literal& literal);
  void use(SlotId slot);
  void copy(Scope& scope, SlotId from, SlotId to, int64_t bytes);
  void alias(Scope& scope, SlotId from, SlotId to);
  void assign_offsets();
  Status compile_kernels();
  std::vector<SlotId> relayout_arguments(StepList& steps, Graph& graph);
  void relayout_results(const std::vector<Shape>& leaves, const std::vector<SlotId>& from,
                        const std::vector<SlotId>& to);
  Step hero_step(std::unique_ptr<Hero> hero, std::span<const SlotId> arguments, ExecutionUnit unit);
  /// A place in Program::work.
  uint32_t work(ExecutionUnit unit);

  const hlo::Module& module_;
  Isa isa_;
  LoopForm loops_;
  hlo::PassObserver* observer_;  ///< may be null
  Program program_;
  std::vector<ArenaBuffer> buffers_;
  std::vector<std::vector<BufferId>> slot_buffers_;  ///< per slot: the stretches that it may point to
  std::vector<PlannedKernel> kernels_;               ///< one per kKernel step, by Step::index
  int64_t clock_ = 0;
  std::map<const void*, SlotId> constant_slots_;
};

}  // namespace hilo::cpu
