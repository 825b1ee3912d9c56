// SPDX-License-Identifier: Apache-2.0
// hlo/cost/cost.h -- what a program has to do, counted from its instructions: operations and bytes.
#pragma once

#include <unordered_map>

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// Counts; whole numbers up to 2^53.
struct Cost {
  double flops = 0;            ///< arithmetic of one result element each; a multiply and add of a dot are two
  double transcendentals = 0;  ///< exp, log, sin, ...: counted apart, as their price differs by machine
  double bytes = 0;            ///< read and written if each instruction ran alone
  /// False where a number isn't in the program: a loop of unknown length counts once, a conditional as its dearest
  /// branch, an op without a rule here as its bytes.
  bool exact = true;

  Cost& operator+=(const Cost& other);
  Cost times(double count) const;
  bool operator==(const Cost&) const = default;
};

/// The costs of all computations that can be reached from an entry. Holds them alive.
/// Example    CostAnalysis(module.entry).of(*module.entry).flops
class CostAnalysis {
 public:
  /// Cost    linear in the program
  explicit CostAnalysis(ComputationPtr entry);

  /// One run of a computation. Precondition: it can be reached from the entry.
  Cost of(const Computation& computation) const { return costs_.at(&computation); }

  /// One run of an instruction of `owner`, with what it calls.
  ///   elementwise      one operation an element
  ///   dot              2mnk
  ///   reduce           its body once an element that goes away
  ///   sort             its comparator n ceil(log2 n) times, along each row
  ///   scatter          its body once an update
  ///   while            condition and body, as often as they run; the condition once more
  Cost of(const Instruction& instruction, const Computation& owner) const;

 private:
  ComputationPtr entry_;
  std::vector<ComputationPtr> computations_;
  std::unordered_map<const Computation*, Cost> costs_;
};

}  // namespace hilo::hlo
