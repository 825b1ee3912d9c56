// SPDX-License-Identifier: Apache-2.0
// tests/support/random_program.h -- random programs over every opcode and type that has samples, for comparing an engine with
// the reference evaluator.
#pragma once

#include <functional>
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

/// How often each opcode stands in programs on each type.
class Coverage {
 public:
  /// Of all cells, or of those that `keep` keeps.
  explicit Coverage(const std::function<bool(const Cell&)>& keep = nullptr);
  /// One of the pairs drawn least.
  Cell rarest(std::mt19937& random) const;
  /// Any pair.
  Cell any(std::mt19937& random) const;
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

/// Who runs a program.
enum class Audience : uint8_t {
  kEngine,  ///< now and then NaN, infinities, -0, denormals; arguments may be tuples
  kOthers,  ///< neither: XLA flushes denormals, and StableHLO has no tuples
};

/// A program of about `instructions` ops, with calls, branches and loops in each other, odd and empty shapes.
RandomProgram random_program(unsigned seed, int instructions, Coverage& coverage,
                             Audience audience = Audience::kEngine);

/// Runs a module on leaves of arguments; gives leaves of results.
using Engine = std::function<StatusOr<std::vector<Literal>>(const hlo::Module&, const std::vector<Literal>&)>;

/// A sample as a program whose result is named by kExactName if every engine gives the same bits.
RandomProgram program_of(const Sample& sample, const Cell& cell);

/// How far apart results may be that are computed in another order or by another formula, relative to the greatest value
/// that they come from; 0 for types that aren't rounded.
double tolerance_of(ElementType type);

/// What a program's results are, by the reference evaluator: leaves in order, whether they must be the same bits, and
/// the greatest finite magnitude behind each.
struct Expected {
  Literal value;
  bool exact = false;
  double scale = 0;
};
StatusOr<std::vector<Expected>> expected_of(const RandomProgram& program);

/// What differs between the engine and the reference evaluator, or "". One table says how far floats may be apart that
/// aren't exact: relative to the greatest value that they come from.
std::string disagreement(const RandomProgram& program, const Engine& engine);

/// The smallest program found that still differs: one result, every value that needn't be computed is an argument.
RandomProgram reduced(RandomProgram program, const Engine& engine);

/// Ops that compute: no parameters, tuples, or elements of tuples.
int64_t op_count(const hlo::Computation& computation);

}  // namespace hilo::tests
