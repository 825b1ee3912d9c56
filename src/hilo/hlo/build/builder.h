// SPDX-License-Identifier: Apache-2.0
// hlo/build/builder.h -- the verbatim builder: checks every instruction and appends it unchanged.
#pragma once

#include <optional>

#include "hilo/hlo/ir/computation.h"
#include "hilo/hlo/ops/check_instruction.h"

namespace hilo::hlo {

/// Attributes as instructions hold them.
template <typename T>
std::shared_ptr<const T> shared_attributes(T attributes) {
  return std::make_shared<const T>(std::move(attributes));
}

/// Builds a computation instruction by instruction. It never folds, merges or reorders: the unoptimized dump shows what
/// was traced, and derivatives see max(x, x) as written. The rewriting builder of passes is in hlo/rewrite.
class Builder {
 public:
  explicit Builder(std::string name) : draft_(std::move(name)) {}

  /// Appends one instruction. `declared` is the result's shape for ops whose shape doesn't follow from their operands
  /// (broadcast, reshape, convert, iota, ...).
  /// Errors    INVALID_ARGUMENT "add 'x' (file:line): ..."
  StatusOr<InstructionId> add(Opcode opcode, std::span<const InstructionId> operands,
                              AttributesPtr attributes = nullptr, const std::optional<Shape>& declared = std::nullopt,
                              std::string name = {});
  StatusOr<InstructionId> add(Opcode opcode, std::initializer_list<InstructionId> operands,
                              AttributesPtr attributes = nullptr, const std::optional<Shape>& declared = std::nullopt,
                              std::string name = {}) {
    return add(opcode, std::span<const InstructionId>(operands.begin(), operands.size()), std::move(attributes),
               declared, std::move(name));
  }

  /// Appends a copy of another computation's instruction, with its annotations. `mapped` has the copies of earlier
  /// instructions by their ids there. The second form has other attributes.
  StatusOr<InstructionId> copy(const Instruction& instruction, std::span<const InstructionId> mapped) {
    return copy(instruction, mapped, instruction.attributes);
  }
  StatusOr<InstructionId> copy(const Instruction& instruction, std::span<const InstructionId> mapped,
                               AttributesPtr attributes);

  /// Appends the next parameter, or parameter `number`.
  InstructionId parameter(const Shape& shape, std::string name = {}, std::optional<int64_t> number = std::nullopt);
  InstructionId constant(Literal value, std::string name = {});
  InstructionId tuple(std::span<const InstructionId> elements);
  InstructionId tuple(std::initializer_list<InstructionId> elements) {
    return tuple(std::span<const InstructionId>(elements.begin(), elements.size()));
  }
  StatusOr<InstructionId> get_tuple_element(InstructionId tuple, int64_t index);

  /// Returned by value: adding instructions moves the existing ones.
  Shape shape(InstructionId id) const { return draft_.instruction(id).shape; }
  const Instruction& instruction(InstructionId id) const { return draft_.instruction(id); }
  InstructionId size() const { return draft_.size(); }
  /// Changes the number of a parameter. Callers need it if they learn of a function's captures only while tracing it.
  void renumber_parameter(InstructionId parameter, int64_t number);
  /// Sets the annotations of all instructions added from here on.
  void set_annotations(AnnotationsPtr annotations) { annotations_ = std::move(annotations); }

  StatusOr<ComputationPtr> build(InstructionId root) && { return std::move(draft_).finish(root); }

 private:
  ComputationDraft draft_;
  AnnotationsPtr annotations_;
  int64_t next_parameter_ = 0;
};

/// Returns the body op(p0, p1) over scalars of `type`, for reduce and scatter.
/// Errors    INVALID_ARGUMENT if the op doesn't accept the type
StatusOr<ComputationPtr> scalar_binary_computation(Opcode opcode, ElementType type);

}  // namespace hilo::hlo
