// SPDX-License-Identifier: Apache-2.0
// lax/gather_rules.cc -- rules of gather and scatter, which are each other's transposes. HLO's gather clamps what lies
// outside and its scatter drops it; the rules bridge the two.
#include <algorithm>
#include <cmath>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/lax/linear_rules.h"
#include "hilo/lax/rule_families.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"

namespace hilo::lax {
namespace {

using namespace hilo::ops;  // NOLINT: the rules are algebra over these wrappers
using hlo::Opcode;
using hlo::ReducerKind;

const hlo::GatherAttributes& gather_attributes(const Operation& operation) {
  return static_cast<const hlo::GatherAttributes&>(*operation.attributes);
}
const hlo::ScatterAttributes& scatter_attributes(const Operation& operation) {
  return static_cast<const hlo::ScatterAttributes&>(*operation.attributes);
}

/// The scatter that writes where `g` reads.
hlo::ScatterAttributes scatter_of(const hlo::GatherAttributes& g) {
  hlo::ScatterAttributes s;
  s.update_window_dims = g.offset_dims;
  s.inserted_window_dims = g.collapsed_slice_dims;
  s.scatter_dims_to_operand_dims = g.start_index_map;
  s.input_batching_dims = g.operand_batching_dims;
  s.scatter_indices_batching_dims = g.start_indices_batching_dims;
  s.index_vector_dim = g.index_vector_dim;
  s.indices_are_sorted = g.indices_are_sorted;
  return s;
}

/// The gather that reads where `s` writes windows of `updates`.
hlo::GatherAttributes gather_of(const hlo::ScatterAttributes& s, const Array& operand, const Array& updates) {
  hlo::GatherAttributes g;
  g.offset_dims = s.update_window_dims;
  g.collapsed_slice_dims = s.inserted_window_dims;
  g.start_index_map = s.scatter_dims_to_operand_dims;
  g.operand_batching_dims = s.input_batching_dims;
  g.start_indices_batching_dims = s.scatter_indices_batching_dims;
  g.index_vector_dim = s.index_vector_dim;
  g.indices_are_sorted = s.indices_are_sorted;
  size_t window = 0;
  for (int64_t d = 0; d < operand.ndim(); ++d) {
    const bool absent = std::ranges::find(s.inserted_window_dims, d) != s.inserted_window_dims.end() ||
                        std::ranges::find(s.input_batching_dims, d) != s.input_batching_dims.end();
    g.slice_sizes.push_back(absent ? std::min<int64_t>(operand.shape(d), 1)
                                   : updates.shape(s.update_window_dims[window++]));
  }
  return g;
}

/// The greatest value of an integer type.
double greatest_index(ElementType type) {
  return std::ldexp(1.0, element_type_info(type).bits - (is_signed_integer(type) ? 1 : 0)) - 1;
}

/// The greatest start of each index component, spread over the indices' shape; also where indices have no vector axis.
Array greatest_starts(const hlo::GatherAttributes& g, const Array& operand, const Array& indices) {
  std::vector<double> limits;
  const double greatest = greatest_index(indices.dtype());  // an index of few bits can't go past it
  for (int64_t d : g.start_index_map)
    limits.push_back(std::min(greatest, static_cast<double>(operand.shape(d) - g.slice_sizes[static_cast<size_t>(d)])));
  if (g.index_vector_dim == indices.ndim()) return full_like(indices, limits[0]);
  Literal literal = filled(Shape::array(indices.dtype(), {static_cast<int64_t>(limits.size())}), 0);
  const int64_t width = element_size_bytes(indices.dtype());
  for (size_t i = 0; i < limits.size(); ++i) {
    const Literal one = filled(Shape::scalar(indices.dtype()), limits[i]);
    std::ranges::copy(one.bytes(), literal.mutable_bytes().begin() + static_cast<int64_t>(i) * width);
  }
  return broadcast_in_dim(constant(literal), indices.aval_shape(), {g.index_vector_dim});
}

// ---- gather ---------------------------------------------------------------------------------------------------------

void gather_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const hlo::GatherAttributes& g = gather_attributes(operation);
  const Array& indices = operation.operands[1];
  // What gather clamped, scatter would drop: clamp first. Clamping keeps order, so sortedness survives.
  const Array high = greatest_starts(g, operation.operands[0], indices);
  const Array clamped = max(full_like(indices, 0), min(indices, high));
  out.add_at(0, [&](const Array& sum) { return scatter(sum, clamped, cts[0].value(), scatter_of(g), Opcode::kAdd); });
}

void shift(std::vector<int64_t>& dimensions) {
  for (int64_t& d : dimensions) ++d;
}

BatchResult gather_batch(const Operation& operation, std::span<const BatchDim> dims, int64_t axis_size) {
  hlo::GatherAttributes g = gather_attributes(operation);
  shift(g.offset_dims);
  const Array x = dims[0] ? move_axis(operation.operands[0], *dims[0], 0) : operation.operands[0];
  const Array indices = dims[1] ? move_axis(operation.operands[1], *dims[1], 0) : operation.operands[1];
  if (dims[0]) {
    shift(g.collapsed_slice_dims);
    shift(g.start_index_map);
    shift(g.operand_batching_dims);
  }
  if (dims[1]) {
    shift(g.start_indices_batching_dims);
    ++g.index_vector_dim;
    g.indices_are_sorted = false;
  }
  if (dims[0] && dims[1]) {
    g.operand_batching_dims.insert(g.operand_batching_dims.begin(), 0);
    g.start_indices_batching_dims.insert(g.start_indices_batching_dims.begin(), 0);
    g.slice_sizes.insert(g.slice_sizes.begin(), std::min<int64_t>(axis_size, 1));
  } else if (dims[0]) {
    g.offset_dims.insert(g.offset_dims.begin(), 0);
    g.slice_sizes.insert(g.slice_sizes.begin(), axis_size);
  }
  return {{gather(x, indices, g)}, {0}};
}

// ---- scatter --------------------------------------------------------------------------------------------------------

/// The body returns the update as it is.
bool replaces(const hlo::ComputationPtr& body) {
  const hlo::Instruction& root = body->root();
  return root.opcode == Opcode::kParameter && hlo::attributes_of<hlo::ParameterAttributes>(root).number == 1;
}

/// x * y where y was scattered: the tangent of x is scaled as x is; that of y falls on what x was.
JvpResult multiplying_scatter_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const hlo::ScatterAttributes& s = scatter_attributes(operation);
  const Array &x = operation.operands[0], &indices = operation.operands[1], &updates = operation.operands[2];
  Tangent tangent;
  if (!tangents[0].is_zero()) tangent = scatter(tangents[0].value(), indices, updates, s, Opcode::kMultiply);
  if (!tangents[2].is_zero()) {
    if (!s.unique_indices) {
      or_throw(unimplemented("jvp of scatter (" + UserLocation::describe() +
                             "): the updates of a multiplying scatter have a tangent only with unique_indices=true"));
    }
    const Array placed = scatter(full_like(x, 0), indices, tangents[2].value(), s, Opcode::kAdd);
    tangent = add_tangents(tangent, mul(x, placed));
  }
  return {bind(operation), {tangent}};
}

/// Where indices repeat, one update wins, the same that the scatter itself lets win: a scatter of numbers tells which.
/// Its tangent is what falls on each place; everything else is masked, so that the rest is a sum, which transposes.
JvpResult repeating_scatter_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const hlo::ScatterAttributes& s = scatter_attributes(operation);
  const Array &x = operation.operands[0], &indices = operation.operands[1], &updates = operation.operands[2];
  const Array counted = iota(Shape::array(ElementType::kS32, {updates.size()}), 0);
  const Array numbers = reshape(add(counted, full_like(counted, 1)), updates.shape());
  const Array none = full(x.aval_shape().with_element_type(ElementType::kS32), 0);
  const Array winners = scatter(none, indices, numbers, s, std::nullopt);
  Tangent tangent;
  if (!tangents[0].is_zero()) tangent = select(eq(winners, none), tangents[0].value(), full_like(x, 0));
  if (!tangents[2].is_zero()) {
    const Array won = eq(gather(winners, indices, gather_of(s, x, updates)), numbers);
    const Array kept = select(won, tangents[2].value(), full_like(updates, 0));
    const Array base = tangent.is_zero() ? full_like(x, 0) : tangent.value();
    tangent = scatter(base, indices, kept, s, Opcode::kAdd);
  }
  return {bind(operation), {tangent}};
}

JvpResult scatter_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const hlo::ComputationPtr& body = scatter_attributes(operation).to_apply;
  const ReducerKind kind = body->reducer_kind();
  if (operation.operands.size() == 3) {
    if (kind == ReducerKind::kMultiply) return multiplying_scatter_jvp(operation, tangents);
    if (replaces(body) && !scatter_attributes(operation).unique_indices)
      return repeating_scatter_jvp(operation, tangents);
    if (kind == ReducerKind::kAdd || replaces(body)) return linear_jvp(operation, tangents);
  }
  or_throw(unimplemented("jvp of scatter (" + UserLocation::describe() +
                         "): only adding, multiplying and replacing scatters of one operand"));
  return {};
}

/// Cotangents of the updates: what stands where they were written, zero for those that were dropped.
Array updates_cotangent(const Operation& operation, const Array& ct) {
  const hlo::ScatterAttributes& s = scatter_attributes(operation);
  const Array& indices = operation.operands[1];
  const Array& updates = operation.operands[2];
  const hlo::GatherAttributes g = gather_of(s, operation.operands[0], updates);
  const Array read = gather(ct, indices, g);
  Array inside =
      bitwise_and(ge(indices, full_like(indices, 0)), le(indices, greatest_starts(g, operation.operands[0], indices)));
  if (s.index_vector_dim < indices.ndim()) {
    inside = reduce(Opcode::kAnd, inside, scalar(1, ElementType::kPred), {s.index_vector_dim});
  }
  std::vector<int64_t> scatter_dims;
  for (int64_t d = 0; d < updates.ndim(); ++d) {
    if (std::ranges::find(s.update_window_dims, d) == s.update_window_dims.end()) scatter_dims.push_back(d);
  }
  const Array mask = broadcast_in_dim(inside, read.aval_shape().with_element_type(ElementType::kPred), scatter_dims);
  return select(mask, read, full_like(read, 0));
}

void scatter_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const hlo::ScatterAttributes& s = scatter_attributes(operation);
  const Array& ct = cts[0].value();
  const bool adds = s.to_apply->reducer_kind() == ReducerKind::kAdd;
  if (s.to_apply->reducer_kind() == ReducerKind::kMultiply) {  // linear in its operand
    return out.add(0, scatter(ct, operation.operands[1], operation.operands[2], s, Opcode::kMultiply));
  }
  if (!adds && !s.unique_indices) {  // its jvp is a sum; a program from outside may still ask
    or_throw(unimplemented("transpose of a replacing scatter is only implemented for unique_indices=true"));
  }
  if (out.wants(0)) {
    out.add(0, adds ? ct : scatter(ct, operation.operands[1], full_like(operation.operands[2], 0), s, std::nullopt));
  }
  if (out.wants(2)) out.add(2, updates_cotangent(operation, ct));
}

BatchResult scatter_batch(const Operation& operation, std::span<const BatchDim> dims, int64_t axis_size) {
  auto s = std::make_shared<hlo::ScatterAttributes>(scatter_attributes(operation));
  for (std::vector<int64_t>* list : {&s->update_window_dims, &s->inserted_window_dims, &s->scatter_dims_to_operand_dims,
                                     &s->input_batching_dims, &s->scatter_indices_batching_dims}) {
    shift(*list);
  }
  ++s->index_vector_dim;
  s->indices_are_sorted = false;
  s->input_batching_dims.insert(s->input_batching_dims.begin(), 0);
  s->scatter_indices_batching_dims.insert(s->scatter_indices_batching_dims.begin(), 0);
  Operation batched{Opcode::kScatter, {}, s, std::nullopt};
  for (size_t i = 0; i < dims.size(); ++i)
    batched.operands.push_back(batch_axis_at(operation.operands[i], dims[i], 0, axis_size));
  std::vector<Array> results = bind(batched);
  const size_t count = results.size();
  return {std::move(results), std::vector<BatchDim>(count, 0)};
}

}  // namespace

const Rules gather_rules = {linear_jvp, gather_transpose, gather_batch};
const Rules scatter_rules = {scatter_jvp, scatter_transpose, scatter_batch};

}  // namespace hilo::lax
