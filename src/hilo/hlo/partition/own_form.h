// SPDX-License-Identifier: Apache-2.0
// hlo/partition/own_form.h -- ops that on parts of arrays are more than themselves: they need elements that other devices have.
#pragma once

#include "hilo/hlo/partition/choose_parts.h"
#include "hilo/hlo/partition/device_program.h"

namespace hilo::hlo {

/// An op whose operands are cut as chosen. Arrays count leaf by leaf.
struct OpOnParts {
  DeviceProgram& program;
  const Instruction& instruction;
  const Computation& computation;
  const std::vector<Shape>&operands, &results;  ///< of the whole program
  const ChosenParts& chosen;
  Exprs values;

  const Atoms& cut(size_t operand, int64_t dimension) const { return chosen.splits.operands[operand][dimension]; }
  bool is_cut(size_t operand, int64_t dimension) const { return !cut(operand, dimension).empty(); }
  Shape result_part(size_t leaf = 0) const {
    return part_of(results[leaf], chosen.splits.results[leaf], program.atoms());
  }
  Shape operand_part(size_t leaf) const {
    return part_of(operands[leaf], chosen.splits.operands[leaf], program.atoms());
  }
};

/// The results, cut as chosen, and as far as they are partial still to be reduced by what finish_form says. Nothing where the op
/// on parts is the op.
std::optional<Exprs> write_own_form(const OpOnParts& op);

// Its parts.
Exprs convolution_form(const OpOnParts& op);
Exprs reduce_window_form(const OpOnParts& op);
Exprs cumulative_form(const OpOnParts& op);
Exprs reverse_form(const OpOnParts& op);
Exprs slice_form(const OpOnParts& op);
Exprs dynamic_slice_form(const OpOnParts& op);
Exprs dynamic_update_slice_form(const OpOnParts& op);
Exprs gather_form(const OpOnParts& op);
Exprs scatter_form(const OpOnParts& op);
/// Finished: nothing is to be reduced.
Exprs top_k_form(const OpOnParts& op);

/// Elements [start, start + size) of an array's dimension that `by` cuts, where this device has them, and what changes nothing in
/// an all-reduce elsewhere.
Expr own_elements(DeviceProgram& program, Expr part, int64_t dimension, const Atoms& by, Expr start, int64_t size);

/// What joins what devices have of which one has an element (joining_kind), over scalars.
StatusOr<ComputationPtr> joining_computation(ElementType type);
Expr joining_neutral(DeviceProgram& program, ElementType type);

/// An index as s32, clamped to [0, most].
Expr clamped_index(Expr index, int64_t most);

}  // namespace hilo::hlo
