// SPDX-License-Identifier: Apache-2.0
// The product of a sparse matrix in row storage with a dense one, which JAX's BCSR calls on a CPU.
#include <fmt/format.h>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/stablehlo/translate/attribute_setter.h"
#include "hilo/stablehlo/translate/calls.h"
#include "hilo/stablehlo/translate/op_sink.h"

namespace hilo::stablehlo {

using hlo::Expr;
using hlo::Opcode;

namespace {

/// Returns the dimensions 1, 2, ... of an array, those of one entry along dimension 0.
hlo::Int64List dimensions_of_rows(const Shape& array) {
  hlo::Int64List dimensions;
  for (int64_t d = 1; d < array.rank(); ++d) dimensions.push_back(d);
  return dimensions;
}

/// Adds into[indices[i]] += updates[i]; indices out of bounds are ignored.
Expr add_at(OpSink& sink, Expr into, Expr indices, Expr updates) {
  AttributeSetter attributes(Opcode::kScatter);
  sink.check(attributes.set_list("update_window_dims", dimensions_of_rows(into.shape())));
  sink.check(attributes.set_list("inserted_window_dims", {0}));
  sink.check(attributes.set_list("scatter_dims_to_operand_dims", {0}));
  sink.check(attributes.set("index_vector_dim", 1));
  const auto sum = hlo::scalar_binary_computation(Opcode::kAdd, into.type());
  sink.check(sum.ok() ? attributes.set_computation("to_apply", *sum) : sum.status());
  return sink.add_named(Opcode::kScatter, {into, indices, updates}, attributes);
}

/// Returns from[indices[i]].
Expr at(OpSink& sink, Expr from, Expr indices) {
  const Shape whole = from.shape();
  const hlo::Int64List rows = dimensions_of_rows(whole);
  hlo::Int64List sizes = {1};
  for (int64_t d : rows) sizes.push_back(whole.dimension(d));
  AttributeSetter attributes(Opcode::kGather);
  sink.check(attributes.set_list("offset_dims", rows));
  sink.check(attributes.set_list("collapsed_slice_dims", {0}));
  sink.check(attributes.set_list("start_index_map", {0}));
  sink.check(attributes.set("index_vector_dim", 1));
  sink.check(attributes.set_list("slice_sizes", sizes));
  return sink.add_named(Opcode::kGather, {from, indices}, attributes);
}

/// Returns the row of each of `stored` elements: the number of rows that begin at or before it, minus one.
Expr rows_of(OpSink& sink, Expr begins, int64_t stored) {
  const Expr counts = full(sink, Shape::array(ElementType::kS64, {stored}), 0);
  const Expr begun = add_at(sink, counts, begins, full_like(begins, ElementType::kS64, 1));
  AttributeSetter along(hlo::kExtCumsum);
  sink.check(along.set("axis", 0));
  return sink.add_named(hlo::kExtCumsum, {begun}, along) - 1;
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
  HILO_ASSIGN_OR_RETURN(const Shape result, op.result_shape());
  OpSink sink(op);
  const Expr stored = sink.at(operands[0]), begins = sink.at(operands[1]);
  const Expr columns = sink.at(operands[2]), right = sink.at(operands[3]);
  HILO_RETURN_IF_ERROR(check_sizes(stored.shape(), columns.shape(), begins.shape(), right.shape(), result));
  const Expr taken = at(sink, right, columns);
  const Expr products = sink.spread(stored, {0}, taken.shape()) * taken;
  const Expr rows = rows_of(sink, begins, stored.shape().dimension(0));
  return sink.define(add_at(sink, full(sink, result, 0), rows, products));
}

}  // namespace hilo::stablehlo
