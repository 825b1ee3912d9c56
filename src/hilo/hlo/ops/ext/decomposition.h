// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/decomposition.h -- builds the decomposition of an op, or a part of it.
#pragma once

#include <string>

#include "hilo/hlo/build/expr.h"

namespace hilo::hlo {

/// A sink with a parameter for each operand.
class Decomposition final : public Sink {
 public:
  /// For the decomposition of `op`: instructions get its name and source line.
  Decomposition(const Instruction& op, std::span<const Shape> operands);
  Decomposition(std::string name, std::span<const Shape> operands, AnnotationsPtr line = nullptr);

  const Exprs& operands() const { return operands_; }
  Expr operand(size_t i) const { return operands_[i]; }
  StatusOr<ComputationPtr> finish(Expr root) &&;

 private:
  StatusOr<InstructionId> append(Opcode opcode, std::span<const InstructionId> operands, AttributesPtr attributes,
                                 const std::optional<Shape>& declared) override;
  InstructionId append_constant(Literal value) override { return builder_.constant(std::move(value)); }
  Shape shape_of(InstructionId id) const override { return builder_.shape(id); }

  Builder builder_;
  Exprs operands_;
};

}  // namespace hilo::hlo
