// SPDX-License-Identifier: Apache-2.0
// hlo/partition/own_form.h -- ops that need elements of other devices when their arrays are sharded.
#pragma once

#include "hilo/hlo/partition/choose_parts.h"
#include "hilo/hlo/partition/device_program.h"

namespace hilo::hlo {

/// An op whose operands are sharded as chosen. Tuples are split into leaves.
struct OpOnParts {
  DeviceProgram& program;
  const Instruction& instruction;
  const Computation& computation;
  const std::vector<Shape>&operands, &results;  ///< shapes in the whole program
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

/// Returns the results, sharded as chosen. Partial results must still be reduced as finish_form() describes. Returns
/// nothing if the op can run on shards unchanged.
std::optional<Exprs> write_own_form(const OpOnParts& op);

// Cases of write_own_form()
Exprs convolution_form(const OpOnParts& op);
Exprs reduce_window_form(const OpOnParts& op);
Exprs cumulative_form(const OpOnParts& op);
Exprs reverse_form(const OpOnParts& op);
Exprs slice_form(const OpOnParts& op);
Exprs dynamic_slice_form(const OpOnParts& op);
Exprs dynamic_update_slice_form(const OpOnParts& op);
Exprs gather_form(const OpOnParts& op);
Exprs scatter_form(const OpOnParts& op);
/// Computes top-k; the result is complete, without a remaining reduction.
Exprs top_k_form(const OpOnParts& op);

/// Returns elements [start, start + size) of a dimension that `by` shards. Elements of other devices are neutral, so
/// that an all-reduce completes them.
Expr own_elements(DeviceProgram& program, Expr part, int64_t dimension, const Atoms& by, Expr start, int64_t size);

/// Returns the scalar reduction that completes own_elements() (joining_kind).
StatusOr<ComputationPtr> joining_computation(ElementType type);
Expr joining_neutral(DeviceProgram& program, ElementType type);

/// Converts an index to s32, clamped to [0, most].
Expr clamped_index(Expr index, int64_t most);

}  // namespace hilo::hlo
