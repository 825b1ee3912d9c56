// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/formula.h"

#include "hilo/hlo/ops/reshape.h"

namespace hilo::hlo {

InstructionId Formula::parameter() {
  const InstructionId x = builder_.parameter(outer_);
  return outer_ == shape_ ? x : take(builder_.add(Opcode::kConvert, {x}, nullptr, shape_));
}

InstructionId Formula::constant(double value) { return constant_of(shape_.element_type(), value); }

InstructionId Formula::constant_of(ElementType type, double value) {
  const InstructionId scalar = builder_.constant(filled(Shape::scalar(type), value));
  if (shape_.rank() == 0) return scalar;
  return take(builder_.add(Opcode::kBroadcast, {scalar}, std::make_shared<BroadcastAttributes>(),
                           shape_.with_element_type(type)));
}

InstructionId Formula::bits_as(InstructionId value, ElementType type) {
  return take(builder_.add(Opcode::kBitcastConvert, {value}, nullptr, shape_.with_element_type(type)));
}

InstructionId Formula::converted(InstructionId value) {
  return take(builder_.add(Opcode::kConvert, {value}, nullptr, shape_));
}

InstructionId Formula::apply(Opcode opcode, std::initializer_list<InstructionId> operands, AttributesPtr attributes) {
  return take(builder_.add(opcode, operands, std::move(attributes)));
}

StatusOr<ComputationPtr> Formula::finish(InstructionId root) && {
  if (status_.ok() && outer_ != shape_) root = take(builder_.add(Opcode::kConvert, {root}, nullptr, outer_));
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

Value chebyshev(Value x, std::span<const double> coefficients) {
  Value sum = like(x, coefficients[0]), before = like(x, 0), last = before;
  for (const double c : coefficients.subspan(1)) {
    last = before;
    before = sum;
    sum = (x * before - last) + c;
  }
  return (sum - last) * 0.5;
}

}  // namespace hilo::hlo
