// SPDX-License-Identifier: Apache-2.0
// rules/reduce.cc -- rules of reduce, by the kind of its body.
#include "hilo/hlo/ops/reduce.h"

#include <algorithm>

#include "hilo/lax/combine.h"
#include "hilo/rules/batch_by_scan.h"
#include "hilo/rules/families.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/jvp.h"

namespace hilo::rules {

using namespace lax;
namespace {

using namespace hilo::ops;  // the rules are formulas of these wrappers
using hlo::ReducerKind;

std::vector<int64_t> kept_dimensions(const Operation& operation) {
  std::vector<int64_t> retained;
  for (int64_t d = 0; d < operation.operands[0].ndim(); ++d) {
    if (std::ranges::find(attributes_of<hlo::ReduceAttributes>(operation).dimensions, d) ==
        attributes_of<hlo::ReduceAttributes>(operation).dimensions.end())
      retained.push_back(d);
  }
  return retained;
}

/// Broadcasts a reduced value over the elements that it was computed from.
Array spread(const Operation& operation, const Array& reduced) {
  const Shape shape = operation.operands[0].aval_shape().with_element_type(reduced.dtype());
  return broadcast_in_dim(reduced, shape, kept_dimensions(operation));
}

/// Broadcasts the initial value, or its tangent, over a result.
Array over_result(const Array& initial, const Array& result) {
  return broadcast_in_dim(initial, result.aval_shape().with_element_type(initial.dtype()), {});
}

/// Returns the tangent of the initial value where it is the result, 0 elsewhere.
Tangent initial_part(const Tangent& initial, const Array& chosen) {
  if (initial.is_zero()) return {};
  const Array t = over_result(initial.value(), chosen);
  return select(chosen, t, full_like(t, 0));
}

JvpResult sum_jvp(const Operation& operation, const Tangent& t, const Tangent& initial) {
  const Array out = bind(operation)[0];
  Tangent tangent;
  if (!t.is_zero()) tangent = reduce_sum(t.value(), attributes_of<hlo::ReduceAttributes>(operation).dimensions);
  if (!initial.is_zero()) tangent = add_tangents(tangent, over_result(initial.value(), out));
  return {{out}, {tangent}};
}

/// Elements equal to the extreme share its tangent in equal parts; if none exist, the tangent is the initial
/// value's.
JvpResult extreme_jvp(const Operation& operation, const Tangent& t, const Tangent& initial) {
  const std::vector<int64_t>& dimensions = attributes_of<hlo::ReduceAttributes>(operation).dimensions;
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

std::vector<Array> rows(std::span<const Array> arrays, int64_t begin, int64_t end) {
  std::vector<Array> parts;
  for (const Array& x : arrays) parts.push_back(slice_along(x, 0, {begin, end, 1}));
  return parts;
}

/// Computes the reduction as a tree of combinations, which has derivatives of any kind. Operands are those of the
/// operation.
std::vector<Array> reduce_by_tree(const Operation& operation, std::span<const Array> operands) {
  const hlo::ReduceAttributes& a = attributes_of<hlo::ReduceAttributes>(operation);
  const size_t arity = operands.size() / 2;
  const std::vector<int64_t> retained = kept_dimensions(operation);
  std::vector<int64_t> order = a.dimensions;
  order.insert(order.end(), retained.begin(), retained.end());
  const std::vector<int64_t> result_shape = without_dimensions(operands[0].shape(), a.dimensions);
  int64_t count = 1;
  for (int64_t d : a.dimensions) count *= operands[0].shape(d);
  std::vector<int64_t> flat_shape = result_shape;
  flat_shape.insert(flat_shape.begin(), count);
  std::vector<Array> level, initial;
  for (size_t i = 0; i < arity; ++i) {
    level.push_back(reshape(transpose(operands[i], order), flat_shape));
    initial.push_back(
        broadcast_in_dim(operands[arity + i], Shape::array(operands[arity + i].dtype(), result_shape), {}));
  }
  if (count == 0) return initial;
  while (count > 1) {
    const int64_t half = count / 2;
    std::vector<Array> next = combine(a.to_apply, rows(level, 0, half), rows(level, half, 2 * half));
    if (count % 2 != 0) {
      const std::vector<Array> last = rows(level, count - 1, count);
      for (size_t i = 0; i < arity; ++i) next[i] = concatenate(std::vector<Array>{next[i], last[i]}, 0);
    }
    level = std::move(next);
    count -= half;
  }
  for (Array& x : level) x = reshape(x, result_shape);
  return combine(a.to_apply, initial, level);
}

/// For products, and reducers that are only known to be associative: linear memory, logarithmic depth.
JvpResult reduce_tree_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const FlatFunction tree = [&](std::span<const Array> x) { return reduce_by_tree(operation, x); };
  return {bind(operation), jvp_flat(tree, operation.operands, tangents).tangents};
}

/// Returns the selected element's tangent as a sum in which all others are zero. If none is selected, it is the initial
/// value's.
JvpResult arg_extreme_jvp(const Operation& operation, const Tangent& t, const Tangent& initial) {
  const std::vector<int64_t>& dimensions = attributes_of<hlo::ReduceAttributes>(operation).dimensions;
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
  switch (attributes_of<hlo::ReduceAttributes>(operation).to_apply->reducer_kind()) {
    case ReducerKind::kAdd: return sum_jvp(operation, t, initial);
    case ReducerKind::kMaximum:
    case ReducerKind::kMinimum: return extreme_jvp(operation, t, initial);
    case ReducerKind::kArgMax:
    case ReducerKind::kArgMin: return arg_extreme_jvp(operation, t, initial);
    case ReducerKind::kMultiply:
    case ReducerKind::kAnd:
    case ReducerKind::kOr:
    case ReducerKind::kXor:
    case ReducerKind::kGeneric: break;
  }
  return reduce_tree_jvp(operation, tangents);
}

/// Only sums are linear.
void reduce_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  if (attributes_of<hlo::ReduceAttributes>(operation).to_apply->reducer_kind() != ReducerKind::kAdd) {
    or_throw(invalid_argument(at_user_line("transpose of reduce") + ": only a sum is linear"));
  }
  if (out.wants(0)) out.add(0, spread(operation, cts[0].value()));
  if (out.wants(1)) out.add(1, reduce_sum(cts[0].value(), all_dimensions(cts[0]->ndim())));
}

BatchResult reduce_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  const size_t count = operation.operands.size() / 2;
  // A reduce has one initial value for all its results, not one per example.
  for (size_t i = count; i < dims.size(); ++i) {
    if (dims[i]) return batch_by_scan(operation, dims, context);
  }
  Operation batched = operation;
  auto shifted = std::make_shared<hlo::ReduceAttributes>(attributes_of<hlo::ReduceAttributes>(operation));
  for (int64_t& d : shifted->dimensions) ++d;
  batched.attributes = shifted;
  for (size_t i = 0; i < count; ++i)
    batched.operands[i] = batch_axis_at(operation.operands[i], dims[i], 0, context.axis_size);
  batched.declared = std::nullopt;
  std::vector<Array> results = bind(batched);
  const size_t n = results.size();
  return {std::move(results), std::vector<BatchDim>(n, 0)};
}

}  // namespace

const Rules reduce_rules = {reduce_jvp, reduce_transpose, reduce_batch};

}  // namespace hilo::rules
