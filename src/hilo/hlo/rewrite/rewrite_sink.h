// SPDX-License-Identifier: Apache-2.0
// hlo/rewrite/rewrite_sink.h -- expressions of a pass: they go where the RewriteBuilder puts its instructions.
#pragma once

#include "hilo/hlo/build/expr.h"
#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::hlo {

/// An error is the builder's too, and comes back from its finish().
class RewriteSink final : public Sink {
 public:
  explicit RewriteSink(RewriteBuilder& builder) : builder_(builder) {}

  Exprs at_all(std::span<const InstructionId> ids) {
    Exprs values;
    for (InstructionId id : ids) values.push_back(at(id));
    return values;
  }

 private:
  StatusOr<InstructionId> append(Opcode opcode, std::span<const InstructionId> operands, AttributesPtr attributes,
                                 const std::optional<Shape>& declared) override {
    const InstructionId id = builder_.add(opcode, operands, std::move(attributes), declared);
    if (id == kNoInstruction) return builder_.status();
    return id;
  }
  InstructionId append_constant(Literal value) override { return builder_.constant(std::move(value)); }
  Shape shape_of(InstructionId id) const override { return builder_.shape(id); }

  RewriteBuilder& builder_;
};

}  // namespace hilo::hlo
