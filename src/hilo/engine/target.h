// SPDX-License-Identifier: Apache-2.0
// engine/target.h -- what a plan asks of the machine that it is for. A back end implements it.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "hilo/engine/costs.h"
#include "hilo/engine/graph.h"
#include "hilo/engine/regions.h"

namespace hilo::engine {

/// How the loops of a region are cut into vectors; decided before emission because memory planning asks too.
struct RegionShape {
  size_t vector_dimension = 0;  ///< meaningless for a domain without dimensions
  int lanes = 1;
  /// Of a map whose last dimension is narrow, its extent: vectors run along it and the one before, `vector_dimension`,
  /// as if they were one. Else 1.
  int64_t folded = 1;
  int64_t step = 1;  ///< indices of `vector_dimension` that a turn of its loop takes
  /// The last vector of a line, or the last block, overlaps the one before: elements may be computed twice, so not in
  /// place.
  bool overlaps = false;
  /// Of a matrix product: this many indices of the dimension before the vectors' are computed at once, so that what is
  /// loaded serves all of them. Parts of the outermost dimension are never smaller.
  int block_rows = 1;
};

/// A relocatable object file, as the code generator wrote it.
using ObjectPtr = std::shared_ptr<const std::string>;

/// A function of an object file.
struct CodeFunction {
  ObjectPtr object;
  std::string name;
};

/// Where the elements of a call's operand or result are in a value's memory: the first one, and strides in elements,
/// which are positive. No strides: it is that value.
struct OperandView {
  int64_t offset = 0;
  std::vector<int64_t> strides;
  bool operator==(const OperandView&) const = default;
};

/// An instruction that no region computes, with the shapes of its array operands and results, tuples flattened.
struct LibraryProblem {
  const hlo::Instruction& instruction;
  std::span<const Shape> operands, results;
};

// Functions that every target's library has, beside those for instructions.
inline constexpr std::string_view kToRowMajor = "to-row-major", kFromRowMajor = "from-row-major";
inline constexpr std::string_view kRegisterLoop = "register-loop";  ///< calls the code of Target::register_loop

/// Which function of the target's library computes it.
struct LibraryChoice {
  std::string_view symbol;        ///< "dot"
  bool updates_in_place = false;  ///< the result's memory must hold operand 0 when the call begins
  std::vector<CodeFunction>
      code;  ///< compiled for this call: comparators, combiners; in the order the library asks for them
};

class Target {
 public:
  virtual ~Target() = default;
  /// "avx512": what code of one target is compiled for, no other has.
  virtual std::string_view name() const = 0;
  /// Extension ops that the target runs itself, so that no pass takes them apart.
  virtual std::span<const hlo::Opcode> whole_ops() const { return {}; }
  /// The same at each call: code and plans of equal programs are shared.
  virtual const Costs& costs() const = 0;
  virtual RegionShape shape_of(const Region& region) const = 0;
  /// Errors    UNIMPLEMENTED "shuffle 's' is not implemented on platform Host in this version"
  virtual StatusOr<LibraryChoice> library_choice(const LibraryProblem& problem) const = 0;
  /// Does the library read operand `k` of such an instruction where it lies?
  virtual bool reads_view(const hlo::Instruction&, size_t, std::span<const Shape>, const OperandView&) const {
    return false;
  }
  /// Does it write the result where it is to lie?
  virtual bool writes_view(const hlo::Instruction&, std::span<const Shape>, const OperandView&) const { return false; }
  /// A loop whose carry lives in registers, as one function: null if this isn't such a loop.
  virtual StatusOr<std::optional<CodeFunction>> register_loop(const hlo::Computation& condition,
                                                              const hlo::Computation& body) const = 0;
};

}  // namespace hilo::engine
