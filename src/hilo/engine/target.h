// SPDX-License-Identifier: Apache-2.0
// engine/target.h -- the machine as the planner sees it. A back end implements it.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "hilo/engine/costs.h"
#include "hilo/engine/graph.h"
#include "hilo/engine/regions.h"
#include "hilo/engine/register_loop.h"
#include "hilo/engine/straight_line.h"

namespace hilo::engine {

/// How the loops of a region are split into vectors. It is decided before emission because memory planning depends on
/// it.
struct RegionShape {
  size_t vector_dimension = 0;  ///< meaningless for a domain without dimensions
  int lanes = 1;
  /// The extent of the last dimension if that is narrow, in a map; otherwise 1. Vectors then run along the last two
  /// dimensions as if they were one; `vector_dimension` is the first of them.
  int64_t folded = 1;
  int64_t step = 1;  ///< indices of `vector_dimension` per turn of its loop
  /// The last vector of a line, or the last block, overlaps the previous one. Elements may be computed twice, so the
  /// region can't work in place.
  bool overlaps = false;
  /// Of a matrix product: the number of indices of the dimension before the vectors' that are computed at once and
  /// share loads. Parts of the outermost dimension are never smaller.
  int block_rows = 1;
};

/// A relocatable object file from the code generator.
using ObjectPtr = std::shared_ptr<const std::string>;

/// A function of an object file.
struct CodeFunction {
  ObjectPtr object;
  std::string name;
};

/// The position of an operand's or result's elements in a value's memory: the first element, and positive strides in
/// elements. Without strides it is the value itself.
struct OperandView {
  int64_t offset = 0;
  std::vector<int64_t> strides;
  bool operator==(const OperandView&) const = default;
};

/// An instruction that no region computes, with the shapes of its array operands and results. Tuples are flattened.
struct LibraryProblem {
  const hlo::Instruction& instruction;
  std::span<const Shape> operands, results;
};

// Functions in every target's library, in addition to those for instructions.
inline constexpr std::string_view kToRowMajor = "to-row-major", kFromRowMajor = "from-row-major";
inline constexpr std::string_view kRegisterLoop = "register-loop";  ///< calls the code of Target::register_loop

inline constexpr std::string_view kStraightLine = "straight-line";  ///< calls the code of Target::straight_line

/// The function of the target's library for an instruction.
struct LibraryChoice {
  std::string_view symbol;        ///< "dot"
  bool updates_in_place = false;  ///< the result's memory must hold operand 0 when the call begins
  std::vector<CodeFunction>
      code;  ///< compiled for this call: comparators, combiners; in the order of the library function
};

class Target {
 public:
  virtual ~Target() = default;
  /// Returns the name of the instruction set, for example "avx512". Code of one target runs on no other.
  virtual std::string_view name() const = 0;
  /// Returns the extension ops that the target runs itself. Passes don't expand them.
  virtual std::span<const hlo::Opcode> whole_ops() const { return {}; }
  /// Returns the costs. They are equal at each call, because equal programs share code and plans.
  virtual const Costs& costs() const = 0;
  virtual RegionShape shape_of(const Region& region) const = 0;
  /// Selects the library function for an instruction.
  /// Errors    UNIMPLEMENTED "shuffle 's' is not implemented on platform Host in this version"
  virtual StatusOr<LibraryChoice> library_choice(const LibraryProblem& problem) const = 0;
  /// Whether the library can read operand `k` of such an instruction through the view.
  virtual bool reads_view(const hlo::Instruction&, size_t, std::span<const Shape>, const OperandView&) const {
    return false;
  }
  /// Whether the library can write the result through the view.
  virtual bool writes_view(const hlo::Instruction&, std::span<const Shape>, const OperandView&) const { return false; }
  /// Compiles a loop whose carry is in registers as one function. Returns nullopt if the target has no such loops.
  virtual StatusOr<std::optional<CodeFunction>> register_loop(const hlo::Computation& condition,
                                                              const hlo::Computation& body,
                                                              const RegisterLoopForm& form) const = 0;
  /// Returns how programs are expanded for straight_line(); nullopt if the target has no code for straight lines.
  virtual std::optional<StraightLineOptions> straight_line_options() const { return std::nullopt; }
  /// Compiles a straight line as one function. Precondition: straight_line_options().
  virtual StatusOr<CodeFunction> straight_line(const StraightLine&) const {
    return internal_error("straight_line: the target has no code for it");
  }
};

}  // namespace hilo::engine
