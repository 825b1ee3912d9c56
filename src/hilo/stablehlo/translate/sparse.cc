// SPDX-License-Identifier: Apache-2.0
// The product of a sparse matrix, stored by rows, with a dense one: what JAX's BCSR calls on a CPU.
#include <fmt/format.h>

#include "hilo/hlo/ops/extensions.h"
#include "hilo/stablehlo/translate/steps.h"

namespace hilo::stablehlo {

using hlo::InstructionId;
using hlo::Opcode;

namespace {

/// Dimensions 1, 2, ... of an array: those of an element along dimension 0, which may be a row.
hlo::Int64List dimensions_of_rows(const Shape& array) {
  hlo::Int64List dimensions;
  for (int64_t d = 1; d < array.rank(); ++d) dimensions.push_back(d);
  return dimensions;
}

/// into[indices[i]] += updates[i]; out of bounds nothing.
InstructionId add_at(Steps& s, InstructionId into, InstructionId indices, InstructionId updates) {
  AttributeSetter attributes(Opcode::kScatter);
  s.take(attributes.set_list("update_window_dims", dimensions_of_rows(s.shape(into))));
  s.take(attributes.set_list("inserted_window_dims", {0}));
  s.take(attributes.set_list("scatter_dims_to_operand_dims", {0}));
  s.take(attributes.set("index_vector_dim", 1));
  const auto sum = hlo::scalar_binary_computation(Opcode::kAdd, s.shape(into).element_type());
  s.take(sum.ok() ? attributes.set_computation("to_apply", *sum) : sum.status());
  return s.add(Opcode::kScatter, {into, indices, updates}, &attributes);
}

/// from[indices[i]].
InstructionId at(Steps& s, InstructionId from, InstructionId indices) {
  const Shape whole = s.shape(from);
  const hlo::Int64List rows = dimensions_of_rows(whole);
  hlo::Int64List sizes = {1};
  for (int64_t d : rows) sizes.push_back(whole.dimension(d));
  AttributeSetter attributes(Opcode::kGather);
  s.take(attributes.set_list("offset_dims", rows));
  s.take(attributes.set_list("collapsed_slice_dims", {0}));
  s.take(attributes.set_list("start_index_map", {0}));
  s.take(attributes.set("index_vector_dim", 1));
  s.take(attributes.set_list("slice_sizes", sizes));
  return s.add(Opcode::kGather, {from, indices}, &attributes);
}

/// The row of each of `stored` elements: how many rows begin at it or before, less one.
InstructionId rows_of(Steps& s, InstructionId begins, int64_t stored) {
  const Shape counts = Shape::array(ElementType::kS64, {stored});
  const InstructionId one_each = s.full(s.shape(begins).with_element_type(ElementType::kS64), 1);
  const InstructionId begun = add_at(s, s.full(counts, 0), begins, one_each);
  AttributeSetter along(hlo::kExtCumsum);
  s.take(along.set("axis", 0));
  return s.add(Opcode::kSubtract, {s.add(hlo::kExtCumsum, {begun}, &along), s.full(counts, 1)});
}

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
  Steps s(op);
  HILO_RETURN_IF_ERROR(check_sizes(s.shape(stored), s.shape(columns), s.shape(begins), s.shape(right), result));
  const InstructionId taken = at(s, right, columns);
  const InstructionId spread = s.take(add_broadcast(op, stored, {0}, s.shape(taken)));
  const InstructionId products = s.add(Opcode::kMultiply, {spread, taken});
  const InstructionId rows = rows_of(s, begins, s.shape(stored).dimension(0));
  return s.define(add_at(s, s.full(result, 0), rows, products));
}

}  // namespace hilo::stablehlo
