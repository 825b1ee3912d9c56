// SPDX-License-Identifier: Apache-2.0
// tests/support/random_program.h -- random programs over every opcode and type that has samples, for comparing an engine with
// the reference evaluator.
#pragma once

#include <map>
#include <random>

#include "tests/support/status_cell.h"

namespace hilo::tests {

/// A program with the values of its parameters. Names say how near results must be: those of instructions whose value every
/// engine must give to the bit begin with kExactName.
struct RandomProgram {
  hlo::Module module;
  std::vector<Literal> arguments;
};
inline constexpr std::string_view kExactName = "exact";

/// How often each opcode has been drawn on each type.
class Coverage {
 public:
  Coverage();
  /// One of the pairs drawn least.
  Cell rarest(std::mt19937& random) const;
  void count(const Cell& cell) { ++counts_[key(cell)]; }
  int64_t least() const;
  size_t pairs() const { return counts_.size(); }
  /// "add f32 23" and so on, one pair a line.
  std::string to_string() const;

 private:
  static std::pair<int, int> key(const Cell& cell) {
    return {static_cast<int>(cell.opcode), static_cast<int>(cell.type)};
  }
  std::map<std::pair<int, int>, int64_t> counts_;
};

/// A program of about `instructions` ops, with calls, branches and loops in each other, odd and empty shapes.
RandomProgram random_program(unsigned seed, int instructions, Coverage& coverage);

/// Runs a module on leaves of arguments; gives leaves of results.
using Engine = std::function<StatusOr<std::vector<Literal>>(const hlo::Module&, const std::vector<Literal>&)>;

/// What differs between the engine and the reference evaluator, or "". One table says how far floats may be apart that
/// aren't exact: relative to the greatest value that they come from.
std::string disagreement(const RandomProgram& program, const Engine& engine);

/// The smallest program found that still differs: one result, every value that needn't be computed is an argument.
RandomProgram reduced(RandomProgram program, const Engine& engine);

/// Ops that compute: no parameters, tuples, or elements of tuples.
int64_t op_count(const hlo::Computation& computation);

}  // namespace hilo::tests
