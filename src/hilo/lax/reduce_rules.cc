// SPDX-License-Identifier: Apache-2.0
// lax/reduce_rules.cc -- rules of reduce, by what its body computes.
#include "hilo/hlo/ops/reduce.h"

#include <algorithm>
#include "hilo/lax/rule_families.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"

namespace hilo::lax {
namespace {

using namespace hilo::ops;  // NOLINT: the rules are algebra over these wrappers
using hlo::ReducerKind;

const hlo::ReduceAttributes& attributes(const Operation& operation) {
  return static_cast<const hlo::ReduceAttributes&>(*operation.attributes);
}

std::vector<int64_t> kept_dimensions(const Operation& operation) {
  std::vector<int64_t> kept;
  for (int64_t d = 0; d < operation.operands[0].ndim(); ++d) {
    if (std::ranges::find(attributes(operation).dimensions, d) == attributes(operation).dimensions.end())
      kept.push_back(d);
  }
  return kept;
}

/// A reduced value beside every element it came from.
Array spread(const Operation& operation, const Array& reduced) {
  const Shape shape = operation.operands[0].aval_shape().with_element_type(reduced.dtype());
  return broadcast_in_dim(reduced, shape, kept_dimensions(operation));
}

/// Elements that equal the extreme share its tangent in equal parts.
JvpResult extreme_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const std::vector<int64_t>& dimensions = attributes(operation).dimensions;
  const Array& x = operation.operands[0];
  const Array out = bind(operation)[0];
  const Array chosen = convert_element_type(eq(x, spread(operation, out)), x.dtype());
  const Array count = reduce_sum(chosen, dimensions);
  return {{out}, {div(reduce_sum(mul(tangents[0].value(), chosen), dimensions), count)}};
}

/// The sum over elements of tangent times the product of all others, by products of prefixes and suffixes' stand-in:
/// the reduced axes are flattened, and each element's "others" come from setting it to one.
JvpResult product_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const std::vector<int64_t>& dimensions = attributes(operation).dimensions;
  const std::vector<int64_t> kept = kept_dimensions(operation);
  std::vector<int64_t> order = kept;
  order.insert(order.end(), dimensions.begin(), dimensions.end());
  const Array& x = operation.operands[0];
  std::vector<int64_t> flat_shape = without_dimensions(x.shape(), dimensions);
  const int64_t count =
      x.size() == 0 ? 0 : x.size() / std::max<int64_t>(1, Shape::array(x.dtype(), flat_shape).element_count());
  flat_shape.push_back(count);
  const Array rows = reshape(transpose(x, order), flat_shape);
  const Array tangent_rows = reshape(transpose(tangents[0].value(), order), flat_shape);
  // others[..., i, j] = x[..., j] for j != i, else 1; its product over j leaves out element i.
  std::vector<int64_t> square_shape = flat_shape;
  square_shape.push_back(count);
  const int64_t rank = static_cast<int64_t>(square_shape.size());
  std::vector<int64_t> along = all_dimensions(rank - 2);
  along.push_back(rank - 1);
  const Shape square = Shape::array(x.dtype(), square_shape);
  const Shape index_square = square.with_element_type(ElementType::kS32);
  const Array diagonal = eq(iota(index_square, rank - 2), iota(index_square, rank - 1));
  const Array others = select(diagonal, full(square, 1), broadcast_in_dim(rows, square, along));
  const Array without = reduce(hlo::Opcode::kMultiply, others, scalar(1, x.dtype()), {rank - 1});
  return {{bind(operation)[0]}, {reduce_sum(mul(tangent_rows, without), {rank - 2})}};
}

JvpResult arg_extreme_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const std::vector<Array> out = bind(operation);
  if (tangents[0].is_zero()) return {out, {Tangent(), Tangent()}};
  // The chosen element's tangent: a sum in which all others are zero.
  const Array chosen = eq(operation.operands[1], spread(operation, out[1]));
  const Array& t = tangents[0].value();
  return {out, {reduce_sum(select(chosen, t, full_like(t, 0)), attributes(operation).dimensions), Tangent()}};
}

JvpResult reduce_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const size_t count = operation.operands.size() / 2;
  const ReducerKind kind = attributes(operation).to_apply->reducer_kind();
  for (size_t i = count; i < tangents.size(); ++i) {
    if (tangents[i].is_zero()) continue;
    or_throw(unimplemented("jvp of reduce (" + UserLocation::describe() + "): the initial value must be a constant"));
  }
  switch (kind) {
    case ReducerKind::kAdd:
      return {bind(operation), {reduce_sum(tangents[0].value(), attributes(operation).dimensions)}};
    case ReducerKind::kMaximum:
    case ReducerKind::kMinimum: return extreme_jvp(operation, tangents);
    case ReducerKind::kMultiply: return product_jvp(operation, tangents);
    case ReducerKind::kArgMax:
    case ReducerKind::kArgMin: return arg_extreme_jvp(operation, tangents);
    case ReducerKind::kAnd:
    case ReducerKind::kOr:
    case ReducerKind::kXor:
    case ReducerKind::kGeneric: break;
  }
  or_throw(unimplemented("jvp of reduce (" + UserLocation::describe() +
                         "): the reducer is none of add, multiply, maximum, minimum, argmax, argmin"));
  return {};
}

/// Only sums are linear.
void reduce_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  if (attributes(operation).to_apply->reducer_kind() != ReducerKind::kAdd) {
    or_throw(invalid_argument("transpose of reduce: only a sum is linear"));
  }
  if (out.wants(0)) out.add(0, spread(operation, cts[0].value()));
  if (out.wants(1)) out.add(1, reduce_sum(cts[0].value(), all_dimensions(cts[0]->ndim())));
}

BatchResult reduce_batch(const Operation& operation, std::span<const BatchDim> dims, int64_t axis_size) {
  const size_t count = operation.operands.size() / 2;
  Operation batched = operation;
  auto shifted = std::make_shared<hlo::ReduceAttributes>(attributes(operation));
  for (int64_t& d : shifted->dimensions) ++d;
  batched.attributes = shifted;
  for (size_t i = 0; i < count; ++i) batched.operands[i] = batch_axis_at(operation.operands[i], dims[i], 0, axis_size);
  for (size_t i = count; i < dims.size(); ++i) {
    if (dims[i]) or_throw(unimplemented("vmap of reduce (" + UserLocation::describe() + "): batched initial values"));
  }
  batched.declared = std::nullopt;
  std::vector<Array> results = bind(batched);
  const size_t n = results.size();
  return {std::move(results), std::vector<BatchDim>(n, 0)};
}

}  // namespace

const Rules reduce_rules = {reduce_jvp, reduce_transpose, reduce_batch};

}  // namespace hilo::lax
