// SPDX-License-Identifier: Apache-2.0
// lax/reduce_rules.cc -- rules of reduce, by what its body computes.
#include "hilo/hlo/ops/reduce.h"

#include <algorithm>

#include "hilo/lax/batch_by_scan.h"
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

/// The initial value, or its tangent, beside every element of a result.
Array over_result(const Array& initial, const Array& result) {
  return broadcast_in_dim(initial, result.aval_shape().with_element_type(initial.dtype()), {});
}

/// The tangent of the initial value where it is the result, 0 elsewhere.
Tangent initial_part(const Tangent& initial, const Array& chosen) {
  if (initial.is_zero()) return {};
  const Array t = over_result(initial.value(), chosen);
  return select(chosen, t, full_like(t, 0));
}

JvpResult sum_jvp(const Operation& operation, const Tangent& t, const Tangent& initial) {
  const Array out = bind(operation)[0];
  Tangent tangent;
  if (!t.is_zero()) tangent = reduce_sum(t.value(), attributes(operation).dimensions);
  if (!initial.is_zero()) tangent = add_tangents(tangent, over_result(initial.value(), out));
  return {{out}, {tangent}};
}

/// Elements that equal the extreme share its tangent in equal parts; if none does, it is the initial value's.
JvpResult extreme_jvp(const Operation& operation, const Tangent& t, const Tangent& initial) {
  const std::vector<int64_t>& dimensions = attributes(operation).dimensions;
  const Array& x = operation.operands[0];
  const Array out = bind(operation)[0];
  const Array chosen = convert_element_type(eq(x, spread(operation, out)), x.dtype());
  const Array count = reduce_sum(chosen, dimensions);
  const Array none = bitwise_and(eq(count, full_like(count, 0)), eq(out, over_result(operation.operands[1], out)));
  Tangent tangent;
  if (!t.is_zero()) {
    tangent = div(reduce_sum(mul(t.value(), chosen), dimensions), select(none, full_like(count, 1), count));
  }
  return {{out}, {add_tangents(tangent, initial_part(initial, none))}};
}

/// The product of all elements but each, over the reduced axes made one, the last; and the tangent so arranged.
struct Others {
  Array products, tangent;
};
Others products_of_others(const Operation& operation, const Array& t) {
  const std::vector<int64_t>& dimensions = attributes(operation).dimensions;
  std::vector<int64_t> order = kept_dimensions(operation);
  order.insert(order.end(), dimensions.begin(), dimensions.end());
  const Array& x = operation.operands[0];
  std::vector<int64_t> flat_shape = without_dimensions(x.shape(), dimensions);
  int64_t count = 1;
  for (int64_t d : dimensions) count *= x.shape(d);
  flat_shape.push_back(count);
  const Array rows = reshape(transpose(x, order), flat_shape);
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
  return {reduce(hlo::Opcode::kMultiply, others, scalar(1, x.dtype()), {rank - 1}),
          reshape(transpose(t, order), flat_shape)};
}

/// initial * (sum of tangents times the product of all other elements) + tangent of initial * product of all.
JvpResult product_jvp(const Operation& operation, const Tangent& t, const Tangent& initial) {
  const Array& x = operation.operands[0];
  const Array out = bind(operation)[0];
  Tangent tangent;
  if (!t.is_zero()) {
    const Others others = products_of_others(operation, t.value());
    const Array sum = reduce_sum(mul(others.tangent, others.products), {others.tangent.ndim() - 1});
    tangent = mul(sum, over_result(operation.operands[1], out));
  }
  if (!initial.is_zero()) {
    const Array all = reduce(hlo::Opcode::kMultiply, x, scalar(1, x.dtype()), attributes(operation).dimensions);
    tangent = add_tangents(tangent, mul(over_result(initial.value(), out), all));
  }
  return {{out}, {tangent}};
}

/// The chosen element's tangent: a sum in which all others are zero. If none is chosen, it is the initial value's.
JvpResult arg_extreme_jvp(const Operation& operation, const Tangent& t, const Tangent& initial) {
  const std::vector<int64_t>& dimensions = attributes(operation).dimensions;
  const std::vector<Array> out = bind(operation);
  const Array chosen = eq(operation.operands[1], spread(operation, out[1]));
  Tangent tangent;
  if (!t.is_zero()) tangent = reduce_sum(select(chosen, t.value(), full_like(t.value(), 0)), dimensions);
  if (!initial.is_zero()) {
    const Array any = reduce(hlo::Opcode::kOr, chosen, scalar(0, ElementType::kPred), dimensions);
    tangent = add_tangents(tangent, initial_part(initial, bitwise_not(any)));
  }
  return {out, {tangent, Tangent()}};
}

JvpResult reduce_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const Tangent& t = tangents[0];
  const Tangent& initial = tangents[operation.operands.size() / 2];
  switch (attributes(operation).to_apply->reducer_kind()) {
    case ReducerKind::kAdd: return sum_jvp(operation, t, initial);
    case ReducerKind::kMaximum:
    case ReducerKind::kMinimum: return extreme_jvp(operation, t, initial);
    case ReducerKind::kMultiply: return product_jvp(operation, t, initial);
    case ReducerKind::kArgMax:
    case ReducerKind::kArgMin: return arg_extreme_jvp(operation, t, initial);
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
  // A reduce has one initial value for all its results, not one an example.
  for (size_t i = count; i < dims.size(); ++i) {
    if (dims[i]) return batch_by_scan(operation, dims, axis_size);
  }
  Operation batched = operation;
  auto shifted = std::make_shared<hlo::ReduceAttributes>(attributes(operation));
  for (int64_t& d : shifted->dimensions) ++d;
  batched.attributes = shifted;
  for (size_t i = 0; i < count; ++i) batched.operands[i] = batch_axis_at(operation.operands[i], dims[i], 0, axis_size);
  batched.declared = std::nullopt;
  std::vector<Array> results = bind(batched);
  const size_t n = results.size();
  return {std::move(results), std::vector<BatchDim>(n, 0)};
}

}  // namespace

const Rules reduce_rules = {reduce_jvp, reduce_transpose, reduce_batch};

}  // namespace hilo::lax
