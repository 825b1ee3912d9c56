// SPDX-License-Identifier: Apache-2.0
// stablehlo/write/write_context.h -- the instruction that is being written.
#pragma once

#include "hilo/stablehlo/translate/op_rows.h"
#include "hilo/stablehlo/write/tree_writer.h"

namespace hilo::stablehlo {

/// An instruction, and the row of its operation.
struct WriteContext {
  TreeWriter& writer;
  Body& body;
  const hlo::Instruction& instruction;
  const OpRow* row = nullptr;

  TreeBuilder& builder() const { return writer.builder; }
  template <typename A>
  const A& attributes() const {
    return hlo::attributes_of<A>(instruction);
  }
  const Shape& operand_shape(size_t i) const { return body.computation.instruction(instruction.operands[i]).shape; }
  /// Returns the leaves of the operands, from operand `first` on.
  std::vector<ValueId> operands(size_t first = 0) const;
  /// Returns the operation of the row with all operands and the result's types.
  StatusOr<NewOperation> operation() const;
  /// Appends the operation; its results are the instruction's leaves.
  Status add(const NewOperation& operation) const;
  /// Appends the operation with regions for these computations, whose parameters are the regions' arguments.
  Status add(const NewOperation& operation, std::span<const hlo::ComputationPtr> regions) const;
};

}  // namespace hilo::stablehlo
