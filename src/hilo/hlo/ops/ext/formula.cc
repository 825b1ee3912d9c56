// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/formula.h"

#include "hilo/hlo/ops/reshape.h"

namespace hilo::hlo {

InstructionId Formula::constant(double value) {
  const InstructionId scalar = builder_.constant(filled(Shape::scalar(shape_.element_type()), value));
  if (shape_.rank() == 0) return scalar;
  return take(builder_.add(Opcode::kBroadcast, {scalar}, std::make_shared<BroadcastAttributes>(), shape_));
}

InstructionId Formula::apply(Opcode opcode, std::initializer_list<InstructionId> operands, AttributesPtr attributes) {
  return take(builder_.add(opcode, operands, std::move(attributes)));
}

StatusOr<ComputationPtr> Formula::finish(InstructionId root) && {
  if (!status_.ok()) return status_;
  return std::move(builder_).build(root);
}

InstructionId Formula::take(StatusOr<InstructionId> id) {
  if (id.ok()) return *id;
  if (status_.ok()) status_ = id.status();
  return 0;
}

Value compare(Value x, ComparisonDirection direction, Value y) {
  auto attributes = std::make_shared<CompareAttributes>();
  attributes->direction = direction;
  return {x.formula, x.formula->apply(Opcode::kCompare, {x.id, y.id}, std::move(attributes))};
}

Value polynomial(Value x, std::span<const double> coefficients) {
  Value sum = like(x, coefficients[0]);
  for (const double c : coefficients.subspan(1)) sum = c + sum * x;
  return sum;
}

}  // namespace hilo::hlo
