// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/decomposition.h"

namespace hilo::hlo {

Decomposition::Decomposition(std::string name, std::span<const Shape> operands, AnnotationsPtr line)
    : builder_(std::move(name)) {
  builder_.set_annotations(std::move(line));
  for (const Shape& shape : operands) operands_.push_back(at(builder_.parameter(shape.with_default_layout())));
}

Decomposition::Decomposition(const Instruction& op, std::span<const Shape> operands)
    : Decomposition(std::string(opcode_name(op.opcode)), operands, op.annotations) {}

StatusOr<InstructionId> Decomposition::append(Opcode opcode, std::span<const InstructionId> operands,
                                              AttributesPtr attributes, const std::optional<Shape>& declared) {
  return builder_.add(opcode, operands, std::move(attributes), declared);
}

StatusOr<ComputationPtr> Decomposition::finish(Expr root) && {
  if (!status().ok()) return status();
  return std::move(builder_).build(root.id);
}

}  // namespace hilo::hlo
