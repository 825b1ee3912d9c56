// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/op_sink.h -- adds several instructions for one operation.
#pragma once

#include "hilo/hlo/build/expr.h"
#include "hilo/stablehlo/translate/attribute_setter.h"
#include "hilo/stablehlo/translate/data.h"
#include "hilo/stablehlo/translate/translate.h"

namespace hilo::stablehlo {

/// Adds instructions to the operation's computation.
class OpSink final : public hlo::Sink {
 public:
  explicit OpSink(const OpContext& op) : op_(op) {}

  /// Broadcasts x to `shape`: its dimension i becomes dimensions[i], expanded if it has extent 1.
  hlo::Expr spread(hlo::Expr x, const std::vector<int64_t>& dimensions, const Shape& shape) {
    if (!status().ok()) return x;
    return take(add_broadcast(op_, x.id, dimensions, shape));
  }
  /// Adds an instruction whose attributes are set by name.
  hlo::Expr add_named(hlo::Opcode opcode, std::initializer_list<hlo::Expr> operands, AttributeSetter& attributes) {
    return add(opcode, operands, attributes.take());
  }
  void check(const Status& status) {
    if (!status.ok()) fail(status);
  }

  /// Defines the operation's result `i`.
  void define(uint32_t i, hlo::Expr x) const {
    if (status().ok()) op_.define(i, x.id);
  }
  /// Defines the only result.
  Status define(hlo::Expr x) const {
    define(0, x);
    return status();
  }

 private:
  StatusOr<hlo::InstructionId> append(hlo::Opcode opcode, std::span<const hlo::InstructionId> operands,
                                      hlo::AttributesPtr attributes, const std::optional<Shape>& declared) override {
    return op_.builder.add(opcode, operands, std::move(attributes), declared);
  }
  hlo::InstructionId append_constant(Literal value) override { return op_.builder.constant(std::move(value)); }
  Shape shape_of(hlo::InstructionId id) const override { return op_.builder.shape(id); }

  const OpContext& op_;
};

}  // namespace hilo::stablehlo
