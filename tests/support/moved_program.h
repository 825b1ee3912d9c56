// SPDX-License-Identifier: Apache-2.0
// tests/support/moved_program.h -- random programs that move arrays, reduce them and loop around both, with rules for
// comparing an engine's results with the reference evaluator's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/support/random_program.h"

namespace hilo::tests {

/// How near the elements of one result must be.
struct ResultRule {
  /// Floats that were summed for an element. 0: every engine gives the same bits.
  int64_t summed = 0;
  /// The result that holds the sums of magnitudes; none: each element is its own magnitude.
  std::optional<size_t> magnitudes;
  /// Whether 0 and -0 differ. Those of products of complex numbers and of argmax depend on the order.
  bool zeros_have_signs = true;
};

/// A program with one rule for each leaf of its result.
struct MovedProgram {
  RandomProgram program;
  std::vector<ResultRule> rules;
  /// Whether all results must have the same bits: all data are such that no order of additions rounds.
  bool exact = true;
};

/// What programs may have.
struct MovedOptions {
  bool loops = true;
};

/// Draws a program: arguments, maps, one to three moves, maps, a reduction, maps, perhaps a loop around all of it. The
/// module and the arguments are plain values: callers may rewrite or print them. All layouts are the default ones.
MovedProgram moved_program(unsigned seed, const MovedOptions& options = {});

/// The first difference between results of `program` on two engines; empty without a difference. `wanted` is the
/// reference evaluator's.
std::string difference(const MovedProgram& program, std::span<const Literal> got, std::span<const Literal> wanted);

/// For hlo::disagreement and hlo::reduced.
hlo::CompareOptions compare_options(const MovedProgram& program);

/// The text of the module and the arguments' first elements.
std::string shown(const RandomProgram& program);

}  // namespace hilo::tests
