// SPDX-License-Identifier: Apache-2.0
// hlo/text/computation_reader.h -- reads one computation of a module text, before its called computations are known.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>

#include "hilo/hlo/ir/computation.h"
#include "hilo/hlo/text/fields.h"

namespace hilo::hlo::text {

/// A computation as read. It lacks called computations (calls) and shapes that the text omits.
struct ParsedComputation {
  explicit ParsedComputation(std::string_view computation_name)
      : name(computation_name), draft(std::string(computation_name)) {}

  std::string_view name;
  size_t position = 0;
  uint32_t first_origin = 0;  ///< origins are numbered through the whole text
  bool is_entry = false;
  ComputationDraft draft;
  struct Place {
    size_t position;       ///< of the instruction, in the text
    bool shape_stated;     ///< false: the shape rule infers it
    bool bounded = false;  ///< the stated shape has dimensions of bounded size
  };
  std::vector<Place> places;  ///< by instruction id
  InstructionId root = kNoInstruction;
  std::vector<CallSite> calls;  ///< by instruction id
  std::optional<std::vector<Shape>> stated_parameters;
  std::optional<Shape> stated_result;
};

/// State that all computations of a module share while they are read.
struct SharedState {
  ShapeReader shapes;
  boost::unordered_flat_map<std::string_view, AnnotationsPtr> annotations;  ///< by their text
  std::vector<ParsedComputation> inlined;  ///< computations written inline at their call, callees first
  int depth = 0;                           ///< current nesting of instructions and computations
};

/// Increments the nesting depth during its lifetime.
/// Errors    INVALID_ARGUMENT if the depth exceeds the limit
class NestedScope {
 public:
  explicit NestedScope(SharedState& shared) : shared_(shared) { ++shared_.depth; }
  ~NestedScope() { --shared_.depth; }
  NestedScope(const NestedScope&) = delete;
  NestedScope& operator=(const NestedScope&) = delete;
  Status check(Cursor& cursor) const;

 private:
  SharedState& shared_;
};

/// Reads `%name (parameters) -> shape { ... }`; "ENTRY" has been read.
StatusOr<ParsedComputation> read_computation(Cursor& cursor, SharedState& shared);

/// Reads a text that is one instruction, `[name =] shape opcode(operands), ...`. Operands that are shapes or undefined
/// names become parameters.
StatusOr<ParsedComputation> read_lone_instruction(Cursor& cursor, SharedState& shared);

/// Fills in `callees` (one per entry of calls), checks every instruction and finishes the computation.
StatusOr<ComputationPtr> finish_computation(ParsedComputation&& parsed, std::span<const ComputationPtr> callees,
                                            const Cursor& cursor);

}  // namespace hilo::hlo::text
