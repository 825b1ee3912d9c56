// SPDX-License-Identifier: Apache-2.0
// hlo/cost/cost.h -- operations and bytes of a program, counted from its instructions.
#pragma once

#include <unordered_map>

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// Counts; exact for whole numbers up to 2^53.
struct Cost {
  double flops = 0;            ///< arithmetic operations; a multiply and add of a dot are two
  double transcendentals = 0;  ///< exp, log, sin, ...: counted separately, because their price depends on the machine
  double bytes = 0;            ///< read and written if each instruction ran alone
  /// False if the program doesn't determine a count. A loop of unknown length counts once, a conditional as its most
  /// expensive branch, an op without a rule here as its bytes.
  bool exact = true;

  Cost& operator+=(const Cost& other);
  Cost times(double count) const;
  bool operator==(const Cost&) const = default;
};

/// Returns the operations of a dot or a convolution: 2mnk.
double product_flops(const Instruction& product, const Computation& owner);

/// A computation and how often an instruction runs it.
struct RepeatedComputation {
  const Computation* computation;
  double times;
};

/// Returns what one run of the instruction runs; a loop of unknown length once. The branches of a conditional aren't
/// among them.
///   reduce           its body once per reduced element
///   sort             its comparator n ceil(log2 n) times, along each row
///   scatter          its body once per update
///   while            condition and body once per iteration; the condition once more
std::vector<RepeatedComputation> repetitions(const Instruction& instruction, const Computation& owner);

/// Computes the costs of all computations that are reachable from an entry, and keeps them alive.
/// Example   CostAnalysis(module.entry).of(*module.entry).flops
class CostAnalysis {
 public:
  /// Computes the costs of all reachable computations.
  /// Cost      linear in the program
  explicit CostAnalysis(ComputationPtr entry);

  /// Returns the cost of one run of a computation. Precondition: it is reachable from the entry.
  Cost of(const Computation& computation) const { return costs_.at(&computation); }

  /// Returns the cost of one run of an instruction of `owner`, including the computations it calls: repetitions().
  ///   elementwise      one operation per element
  ///   dot              2mnk
  Cost of(const Instruction& instruction, const Computation& owner) const;

 private:
  ComputationPtr entry_;
  std::vector<ComputationPtr> computations_;
  std::unordered_map<const Computation*, Cost> costs_;
};

}  // namespace hilo::hlo
