// SPDX-License-Identifier: Apache-2.0
// engine/planned_work.h -- describes the steps of a plan for observers.
#pragma once

#include "hilo/engine/plan.h"

namespace hilo::engine {

/// The indices of a module's instructions.
class InstructionPlaces {
 public:
  explicit InstructionPlaces(const hlo::Module& module);
  /// Returns the place of an instruction. It must belong to the module.
  InstructionPlace operator()(const hlo::Instruction& instruction) const;

 private:
  struct Entry {
    const hlo::Instruction* begin;
    uint32_t computation;
  };
  std::vector<Entry> entries_;  ///< by address: the instructions of a computation are contiguous
};

/// Describes a region's kernel: the instructions fused into it, and its bytes. These are the bytes that it loads, at
/// most each buffer once, and those that it writes. The form is "map" without reductions, "full" if everything is
/// reduced, otherwise "row" or "col": vectors run along the reduced dimensions or across them.
PlannedWork work_of(const InstructionPlaces& places, const Graph& graph, const Region& region, const Target& target);

/// Describes an instruction outside of regions: a library call or a loop.
PlannedWork work_of(const InstructionPlaces& places, const Graph& graph, const Node& node, std::string_view kind);

}  // namespace hilo::engine
