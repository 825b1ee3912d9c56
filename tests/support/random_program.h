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

/// Names say how near results must be: those of instructions whose value every engine must give to the bit begin so.
inline constexpr std::string_view kExactName = "exact";
using RandomProgram = hlo::Invocation;
using Engine = hlo::EngineFunction;

/// How often each opcode occurs in programs on each type.
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

/// The engine that runs a program.
enum class Audience : uint8_t {
  kEngine,  ///< now and then NaN, infinities, -0, denormals; arguments may be tuples
  kOthers,  ///< neither: XLA flushes denormals, and StableHLO has no tuples
  kMeshes,  ///< as kEngine, of sizes that meshes of devices divide
};

/// A program of about `instructions` ops, with calls, branches and loops in each other, odd and empty shapes.
RandomProgram random_program(unsigned seed, int instructions, Coverage& coverage,
                             Audience audience = Audience::kEngine);

/// A sample as a program whose result is named by kExactName if every engine gives the same bits.
RandomProgram program_of(const Sample& sample, const Cell& cell);

/// How results of random programs are compared: by their names.
hlo::CompareOptions by_names();

/// The reference evaluator with a wrong kernel: `wrong` in place of `right` on f32, in all computations.
/// Example   evaluator_with(Opcode::kSubtract, Opcode::kAdd)
Engine evaluator_with(hlo::Opcode right, hlo::Opcode wrong);
/// The reference evaluator on leaves.
StatusOr<std::vector<Literal>> run_evaluator(const hlo::Module& module, const std::vector<Literal>& arguments);

}  // namespace hilo::tests
