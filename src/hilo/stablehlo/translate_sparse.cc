// SPDX-License-Identifier: Apache-2.0
// The product of a sparse matrix, stored by rows, with a dense one: what JAX's BCSR calls on a CPU.
#include <fmt/format.h>

#include "hilo/hlo/ops/extensions.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/scatter.h"
#include "hilo/stablehlo/translate_steps.h"

namespace hilo::stablehlo {

using hlo::InstructionId;
using hlo::Opcode;

namespace {

/// Arrays whose elements along dimension 0 may be rows.
class SparseSteps : public Steps {
 public:
  explicit SparseSteps(const OpContext& op) : Steps(op), op_(op) {}

  /// into[indices[i]] += updates[i]; out of bounds nothing.
  InstructionId add_at(InstructionId into, InstructionId indices, InstructionId updates) {
    auto attributes = std::make_shared<hlo::ScatterAttributes>();
    for (int64_t d = 1; d < shape(into).rank(); ++d) attributes->update_window_dims.push_back(d);
    attributes->inserted_window_dims = attributes->scatter_dims_to_operand_dims = {0};
    attributes->index_vector_dim = 1;
    StatusOr<hlo::ComputationPtr> sum = hlo::scalar_binary_computation(Opcode::kAdd, shape(into).element_type());
    take(sum.status());
    if (!status().ok()) return 0;
    attributes->to_apply = *std::move(sum);
    return take(op_.builder.add(Opcode::kScatter, {into, indices, updates}, std::move(attributes)));
  }

  /// from[indices[i]].
  InstructionId at(InstructionId from, InstructionId indices) {
    auto attributes = std::make_shared<hlo::GatherAttributes>();
    const Shape whole = shape(from);
    attributes->slice_sizes = {1};
    for (int64_t d = 1; d < whole.rank(); ++d) {
      attributes->offset_dims.push_back(d);
      attributes->slice_sizes.push_back(whole.dimension(d));
    }
    attributes->collapsed_slice_dims = attributes->start_index_map = {0};
    attributes->index_vector_dim = 1;
    return take(op_.builder.add(Opcode::kGather, {from, indices}, std::move(attributes)));
  }

  /// The row of each of `stored` elements: how many rows begin at it or before, less one.
  InstructionId rows_of(InstructionId begins, int64_t stored) {
    const Shape counts = Shape::array(ElementType::kS64, {stored});
    const InstructionId one_each = full(Shape::array(ElementType::kS64, shape(begins).dimensions()), 1);
    const InstructionId begun = add_at(full(counts, 0), begins, one_each);
    AttributeSetter along(hlo::kExtCumsum);
    take(along.set("axis", 0));
    return add(Opcode::kSubtract, {add(hlo::kExtCumsum, {begun}, &along), full(counts, 1)});
  }

 private:
  const OpContext& op_;
};

Status check_sizes(const Shape& stored, const Shape& columns, const Shape& begins, const Shape& right,
                   const Shape& result) {
  const bool are_lists = stored.rank() == 1 && columns.rank() == 1 && begins.rank() == 1;
  if (are_lists && right.rank() >= 1 && result.rank() == right.rank() && stored.dimension(0) == columns.dimension(0) &&
      begins.dimension(0) == result.dimension(0) + 1)
    return ok_status();
  return invalid_argument(fmt::format(
      "got elements {}, begins of rows {}, columns {}, right side {}, result {}; wanted a column for each element, and "
      "one begin more than rows",
      stored.to_string(), begins.to_string(), columns.to_string(), right.to_string(), result.to_string()));
}

}  // namespace

Status translate_sparse_product(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  if (operands.size() != 4) return invalid_argument(fmt::format("got {} operands; wanted 4", operands.size()));
  const InstructionId stored = operands[0], begins = operands[1], columns = operands[2], right = operands[3];
  HILO_ASSIGN_OR_RETURN(const Shape result, op.result_shape());
  SparseSteps s(op);
  HILO_RETURN_IF_ERROR(check_sizes(s.shape(stored), s.shape(columns), s.shape(begins), s.shape(right), result));
  const InstructionId taken = s.at(right, columns);
  const InstructionId spread = s.take(add_broadcast(op, stored, {0}, s.shape(taken)));
  const InstructionId products = s.add(Opcode::kMultiply, {spread, taken});
  const InstructionId rows = s.rows_of(begins, s.shape(stored).dimension(0));
  return s.define(s.add_at(s.full(result, 0), rows, products));
}

}  // namespace hilo::stablehlo
