// SPDX-License-Identifier: Apache-2.0
// tests/support/moved_program.h -- random programs that move arrays, reduce them and loop around both, with rules for
// comparing an engine's results with the reference evaluator's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/support/random_program.h"

namespace hilo::tests {

/// The tolerance of the elements of one result.
struct ResultRule {
  /// Number of floats summed per element. 0: every engine has the same bits.
  int64_t summed = 0;
  /// The result with the sums of magnitudes; none: each element is its own magnitude.
  std::optional<size_t> magnitudes;
  /// Whether 0 and -0 differ. In products of complex numbers and in argmax they depend on the order.
  bool zeros_have_signs = true;
};

/// A program with one rule for each leaf of its result.
struct MovedProgram {
  RandomProgram program;
  std::vector<ResultRule> rules;
  /// Whether all results must have the same bits, because the data are exact in any order of additions.
  bool exact = true;
};

/// Options for the programs.
struct MovedOptions {
  bool loops = true;
};

/// Generates a program: arguments, maps, one to three moves, maps, a reduction, maps, perhaps a loop around all of it.
/// The module and the arguments are plain values, which callers may rewrite or print. All layouts are the default ones.
MovedProgram moved_program(unsigned seed, const MovedOptions& options = {});

/// The first difference between results of `program` on two engines; empty without a difference. `wanted` is the
/// reference evaluator's.
std::string difference(const MovedProgram& program, std::span<const Literal> got, std::span<const Literal> wanted);

/// For hlo::disagreement and hlo::reduced.
hlo::CompareOptions compare_options(const MovedProgram& program);

/// The text of the module and the arguments' first elements.
std::string shown(const RandomProgram& program);

}  // namespace hilo::tests
