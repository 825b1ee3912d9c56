// SPDX-License-Identifier: Apache-2.0
// engine/planned_work.h -- what the steps of a plan compute, for observers.
#pragma once

#include "hilo/engine/plan.h"

namespace hilo::engine {

/// Where the instructions of a module stand.
class InstructionPlaces {
 public:
  explicit InstructionPlaces(const hlo::Module& module);
  /// Precondition: the instruction is of the module.
  InstructionPlace operator()(const hlo::Instruction& instruction) const;

 private:
  struct Stretch {
    const hlo::Instruction* begin;
    uint32_t computation;
  };
  std::vector<Stretch> stretches_;  ///< by address: instructions of a computation stand in a row
};

/// A region's kernel: the instructions fused into it. Its bytes are those it loads, no buffer's more than once, and
/// those it writes. Its form: "map" without reductions, "full" reduces everything, else "row" or "col": vectors lie
/// along what is reduced or across it.
PlannedWork work_of(const InstructionPlaces& places, const Graph& graph, const Region& region, const Target& target);

/// An instruction that runs by itself: a library call or a loop.
PlannedWork work_of(const InstructionPlaces& places, const Graph& graph, const Node& node, std::string_view kind);

}  // namespace hilo::engine
