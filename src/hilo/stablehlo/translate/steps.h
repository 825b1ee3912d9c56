// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/steps.h -- arithmetic of a translation that makes several instructions of one operation.
#pragma once

#include "hilo/stablehlo/translate/parts.h"

namespace hilo::stablehlo {

/// Values are instructions of the operation's computation; the first error stays, and define() returns it.
class Steps {
 public:
  explicit Steps(const OpContext& op) : op_(op) {}

  hlo::InstructionId add(hlo::Opcode opcode, std::initializer_list<hlo::InstructionId> operands,
                         AttributeSetter* attributes = nullptr, const std::optional<Shape>& declared = {}) {
    if (!status_.ok()) return 0;
    return take(op_.emit(opcode, operands, attributes, declared));
  }
  hlo::InstructionId take(const StatusOr<hlo::InstructionId>& id) {
    if (id.ok()) return *id;
    if (status_.ok()) status_ = id.status();
    return 0;
  }
  void take(const Status& status) {
    if (status_.ok()) status_ = status;
  }

  /// `value` in every element of `shape`, or of x's shape.
  hlo::InstructionId full(const Shape& shape, double value) {
    const hlo::InstructionId scalar = op_.builder.constant(filled(Shape::scalar(shape.element_type()), value));
    return shape.is_scalar() ? scalar : take(add_broadcast(op_, scalar, {}, shape));
  }
  hlo::InstructionId full_like(hlo::InstructionId x, double value) { return full(shape(x), value); }
  hlo::InstructionId compare(hlo::InstructionId x, std::string_view direction, hlo::InstructionId y) {
    AttributeSetter attributes(hlo::Opcode::kCompare);
    take(attributes.set_word("direction", direction));
    return add(hlo::Opcode::kCompare, {x, y}, &attributes);
  }
  hlo::InstructionId convert(hlo::InstructionId x, ElementType type) {
    return add(hlo::Opcode::kConvert, {x}, nullptr, shape(x).with_element_type(type));
  }
  hlo::InstructionId bitcast(hlo::InstructionId x, ElementType type) {
    return add(hlo::Opcode::kBitcastConvert, {x}, nullptr, shape(x).with_element_type(type));
  }
  hlo::InstructionId iota(const Shape& shape, int64_t dimension) {
    AttributeSetter attributes(hlo::Opcode::kIota);
    take(attributes.set("iota_dimension", dimension));
    return add(hlo::Opcode::kIota, {}, &attributes, shape);
  }
  Shape shape(hlo::InstructionId x) const { return status_.ok() ? op_.builder.shape(x) : Shape(); }
  const Status& status() const { return status_; }

  /// The operation's only result.
  Status define(hlo::InstructionId id) const {
    if (status_.ok()) op_.define(0, id);
    return status_;
  }

 private:
  const OpContext& op_;
  Status status_;
};

}  // namespace hilo::stablehlo
