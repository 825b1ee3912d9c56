// SPDX-License-Identifier: Apache-2.0
// hlo/text/appender.h -- appends checked instructions to a computation that is being read.
#pragma once

#include <optional>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo::text {

/// An instruction as written in a text or message, after its called computations have been resolved.
struct StatedInstruction {
  Opcode opcode{};
  const std::optional<Shape>& declared;
  std::span<const Shape> operands;
  const Attributes* attributes = nullptr;
  bool bounded = false;  ///< the declared shape has dimensions of bounded size: s32[<=6]

  std::shared_ptr<Attributes> copied_attributes() const {
    return attributes == nullptr ? nullptr : op_def(opcode).attributes.copy(*attributes);
  }
};

/// Returns the op's attribute field of that name. Precondition: it exists.
const AttributeField& field_named(Opcode opcode, std::string_view name);

class Appender {
 public:
  explicit Appender(ComputationDraft& draft) : draft_(draft) {}

  /// Appends an instruction.
  /// Errors    those of the op's shape rule
  StatusOr<InstructionId> add(Opcode opcode, std::span<const InstructionId> operands,
                              AttributesPtr attributes = nullptr, const std::optional<Shape>& declared = std::nullopt);
  StatusOr<InstructionId> add(Opcode opcode, std::initializer_list<InstructionId> operands,
                              AttributesPtr attributes = nullptr, const std::optional<Shape>& declared = std::nullopt) {
    return add(opcode, std::span(operands.begin(), operands.size()), std::move(attributes), declared);
  }
  StatusOr<InstructionId> element(InstructionId tuple, int64_t index);
  StatusOr<InstructionId> constant(Literal value);
  /// Broadcasts a scalar to `shape`.
  StatusOr<InstructionId> spread(InstructionId scalar, const Shape& shape);
  StatusOr<InstructionId> iota(const Shape& shape, int64_t dimension);
  StatusOr<InstructionId> less(InstructionId x, InstructionId y);
  Shape shape(InstructionId id) const { return draft_.instruction(id).shape; }

 private:
  ComputationDraft& draft_;
};

}  // namespace hilo::hlo::text
