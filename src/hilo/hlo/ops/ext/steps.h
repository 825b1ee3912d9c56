// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/steps.h -- how the decomposition of an op that isn't elementwise is written: step by step.
#pragma once

#include <vector>

#include "hilo/hlo/build/builder.h"

namespace hilo::hlo {

/// A decomposition in the making: one parameter for each operand of the op, then instructions. Remembers the first error,
/// after which ids mean nothing.
class Steps {
 public:
  using Ids = std::vector<InstructionId>;

  Steps(const Instruction& op, std::span<const Shape> operands);
  /// A computation of its own with these parameters.
  Steps(std::string name, std::span<const Shape> parameters);

  /// The op's operands.
  const Ids& operands() const { return operands_; }
  InstructionId operand(size_t i) const { return operands_[i]; }
  Shape shape(InstructionId id) const { return builder_.shape(id); }

  InstructionId add(Opcode opcode, const Ids& operands, AttributesPtr attributes = nullptr,
                    const std::optional<Shape>& declared = std::nullopt);
  /// With attributes of struct T, changed by `set`.
  template <typename T, typename Set>
  InstructionId add_with(Opcode opcode, const Ids& operands, Set&& set,
                         const std::optional<Shape>& declared = std::nullopt) {
    auto attributes = std::make_shared<T>();
    set(*attributes);
    return add(opcode, operands, std::move(attributes), declared);
  }

  InstructionId constant(Literal value) { return builder_.constant(std::move(value)); }
  /// `shape` full of one number.
  InstructionId full(Shape shape, double value);
  InstructionId tuple(const Ids& elements) { return builder_.tuple(elements); }
  InstructionId element(InstructionId tuple, int64_t index);
  InstructionId call(ComputationPtr computation, const Ids& operands);
  InstructionId reshape(InstructionId x, std::span<const int64_t> dimensions);
  InstructionId convert(InstructionId x, ElementType type);
  InstructionId transpose(InstructionId x, const Int64List& permutation);
  /// Dimension i of x becomes dimension `dimensions[i]` of the result.
  InstructionId broadcast(InstructionId x, std::span<const int64_t> to, const Int64List& dimensions);
  /// Keeps [start, limit) of one dimension.
  InstructionId slice(InstructionId x, int64_t dimension, int64_t start, int64_t limit);
  InstructionId iota(const Shape& shape, int64_t dimension);

  /// What stops the decomposition, if nothing has before.
  void fail(Status status);
  StatusOr<ComputationPtr> finish(InstructionId root) &&;

 private:
  InstructionId take(StatusOr<InstructionId> id);

  Builder builder_;
  Ids operands_;
  Status status_;
};

}  // namespace hilo::hlo
