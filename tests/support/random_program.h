// SPDX-License-Identifier: Apache-2.0
// tests/support/random_program.h -- random programs over every opcode and type that has samples, for comparing an
// engine with the reference evaluator.
#pragma once

#include <functional>
#include <map>
#include <random>

#include "hilo/inspect/bisect/reduce.h"
#include "tests/support/status_cell.h"

namespace hilo::tests {

/// Prefixes of instruction names that select the tolerance: values with this prefix must have the same bits on every
/// engine.
inline constexpr std::string_view kExactName = "exact";
using RandomProgram = hlo::Invocation;
using Engine = hlo::EngineFunction;

/// How often each opcode occurs in programs on each type.
class Coverage {
 public:
  /// Of all cells, or of those for which `keep` is true.
  explicit Coverage(const std::function<bool(const Cell&)>& keep = nullptr);
  /// One of the pairs with the lowest count.
  Cell rarest(std::mt19937& random) const;
  /// Any pair.
  Cell any(std::mt19937& random) const;
  void count(const Cell& cell) { ++counts_[key(cell)]; }
  int64_t least() const;
  size_t pairs() const { return counts_.size(); }
  /// "add f32 23" etc., one pair per line.
  std::string to_string() const;

 private:
  static std::pair<int, int> key(const Cell& cell) {
    return {static_cast<int>(cell.opcode), static_cast<int>(cell.type)};
  }
  std::map<std::pair<int, int>, int64_t> counts_;
};

/// The engine that runs a program.
enum class Audience : uint8_t {
  kEngine,  ///< sometimes NaN, infinities, -0, denormals; arguments may be tuples
  kOthers,  ///< without these: XLA flushes denormals, and StableHLO has no tuples
  kMeshes,  ///< as kEngine, with sizes that meshes of devices divide
};

/// A program of about `instructions` ops, with nested calls, branches and loops, and odd and empty shapes.
RandomProgram random_program(unsigned seed, int instructions, Coverage& coverage,
                             Audience audience = Audience::kEngine);

/// A sample as a program. Its result is named kExactName if every engine has the same bits.
RandomProgram program_of(const Sample& sample, const Cell& cell);

/// Compares results of random programs by the rules in their names.
hlo::CompareOptions by_names();

/// The reference evaluator with a wrong kernel: `wrong` instead of `right` on f32, in all computations. Example
/// evaluator_with(Opcode::kSubtract, Opcode::kAdd)
Engine evaluator_with(hlo::Opcode right, hlo::Opcode wrong);
/// The reference evaluator on leaves.
StatusOr<std::vector<Literal>> run_evaluator(const hlo::Module& module, const std::vector<Literal>& arguments);

}  // namespace hilo::tests
