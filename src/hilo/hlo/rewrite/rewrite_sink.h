// SPDX-License-Identifier: Apache-2.0
// hlo/rewrite/rewrite_sink.h -- expressions in passes: a sink that appends to a RewriteBuilder.
#pragma once

#include "hilo/hlo/build/expr.h"
#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::hlo {

/// Errors are also stored in the builder, whose finish() returns them.
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
