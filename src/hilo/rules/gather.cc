// SPDX-License-Identifier: Apache-2.0
// rules/gather.cc -- rules of gather and scatter, which are each other's transposes. HLO's gather clamps indices out of
// bounds and its scatter drops them; the rules reconcile the two.
#include <algorithm>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/lax/indexing.h"
#include "hilo/rules/batch_leading.h"
#include "hilo/rules/families.h"
#include "hilo/rules/linear.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"

namespace hilo::rules {

using namespace lax;
namespace {

using namespace hilo::ops;  // the rules are formulas of these wrappers
using hlo::Opcode;
using hlo::ReducerKind;

const hlo::GatherAttributes& gather_attributes(const Operation& operation) {
  return static_cast<const hlo::GatherAttributes&>(*operation.attributes);
}
const hlo::ScatterAttributes& scatter_attributes(const Operation& operation) {
  return static_cast<const hlo::ScatterAttributes&>(*operation.attributes);
}

// ---- gather ---------------------------------------------------------------------------------------------------------

void gather_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const hlo::GatherAttributes& g = gather_attributes(operation);
  // Scatter drops the indices that gather clamps, so they are clamped first. Clamping preserves order, so indices
  // remain sorted. If no index is out of bounds, or a select has dropped it, clamping isn't needed.
  const bool clamps = g.index_mode == IndexMode::kClip || g.index_mode == IndexMode::kUnspecified;
  const Array indices = clamps ? clamp_indices(g, operation.operands[0], operation.operands[1]) : operation.operands[1];
  out.add_at(0,
             [&](const Array& sum) { return ops::scatter(sum, indices, cts[0].value(), scatter_of(g), Opcode::kAdd); });
}

void shift(std::vector<int64_t>& dimensions) {
  for (int64_t& d : dimensions) ++d;
}

BatchResult gather_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
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
    g.slice_sizes.insert(g.slice_sizes.begin(), std::min<int64_t>(1, context.axis_size));
  } else if (dims[0]) {
    g.offset_dims.insert(g.offset_dims.begin(), 0);
    g.slice_sizes.insert(g.slice_sizes.begin(), context.axis_size);
  }
  return {{ops::gather(x, indices, g)}, {0}};
}

// ---- scatter --------------------------------------------------------------------------------------------------------

/// Whether the body returns the update unchanged.
bool replaces(const hlo::ComputationPtr& body) {
  const hlo::Instruction& root = body->root();
  return root.opcode == Opcode::kParameter && hlo::attributes_of<hlo::ParameterAttributes>(root).number == 1;
}

/// A scatter of one array, as functions of its three operands.
struct Scatter {
  explicit Scatter(const Operation& operation)
      : attributes(scatter_attributes(operation)),
        x(operation.operands[0]),
        indices(operation.operands[1]),
        updates(operation.operands[2]),
        inverse(gather_of(attributes, x, updates)) {}
  const hlo::ScatterAttributes& attributes;
  const Array &x, &indices, &updates;
  hlo::GatherAttributes inverse;  ///< reads the positions that the scatter writes

  Array read(const Array& array) const { return ops::gather(array, indices, inverse); }
  Array add_to(const Array& array, const Array& values) const {
    return ops::scatter(array, indices, values, attributes, Opcode::kAdd);
  }
};

/// Everything that equals the extreme in its place shares the tangent there in equal parts.
Array extreme_tangent(const Scatter& s, const Array& out, const Array& dx, const Array& du) {
  const auto ones_where = [](const Array& mask, const Array& like) {
    return select(mask, full_like(like, 1), full_like(like, 0));
  };
  const Array retained = ones_where(eq(s.x, out), dx);
  const Array chosen = ones_where(eq(s.updates, s.read(out)), du);
  const Array share = div(full_like(dx, 1), max(s.add_to(retained, chosen), full_like(dx, 1)));
  return s.add_to(mul(mul(dx, retained), share), mul(mul(du, chosen), s.read(share)));
}

/// The result is x * y where y was scattered: the tangent of x is scaled like x; that of y is multiplied by the old x.
JvpResult multiplying_scatter_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const Scatter s(operation);
  Tangent tangent;
  if (!tangents[0].is_zero())
    tangent = ops::scatter(tangents[0].value(), s.indices, s.updates, s.attributes, Opcode::kMultiply);
  if (!tangents[2].is_zero()) {
    if (!s.attributes.unique_indices) {
      or_throw(unimplemented(at_user_line("jvp of scatter") +
                             ": the updates of a multiplying scatter have a tangent only with unique_indices=true"));
    }
    tangent = add_tangents(tangent, mul(s.x, s.add_to(full_like(s.x, 0), tangents[2].value())));
  }
  return {bind(operation), {tangent}};
}

/// For duplicate indices one update wins, the same as in the scatter itself; a scatter of update numbers identifies it.
/// Its tangent is written to each position; all others are masked. The rest is a sum, which can be transposed.
JvpResult repeating_scatter_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const Scatter s(operation);
  const Array counted = iota(Shape::array(ElementType::kS32, {s.updates.size()}), 0);
  const Array numbers = reshape(add(counted, full_like(counted, 1)), s.updates.shape());
  const Array none = full(s.x.aval_shape().with_element_type(ElementType::kS32), 0);
  const Array winners = ops::scatter(none, s.indices, numbers, s.attributes, std::nullopt);
  Tangent tangent;
  if (!tangents[0].is_zero()) tangent = select(eq(winners, none), tangents[0].value(), full_like(s.x, 0));
  if (!tangents[2].is_zero()) {
    const Array retained = select(eq(s.read(winners), numbers), tangents[2].value(), full_like(s.updates, 0));
    tangent = s.add_to(tangent.is_zero() ? full_like(s.x, 0) : tangent.value(), retained);
  }
  return {bind(operation), {tangent}};
}

JvpResult extreme_scatter_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const Scatter s(operation);
  const Array out = bind(operation)[0];
  const Array dx = materialize(tangents[0], {s.x.aval_shape(), false});
  const Array du = materialize(tangents[2], {s.updates.aval_shape(), false});
  return {{out}, {extreme_tangent(s, out, dx, du)}};
}

JvpResult scatter_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const hlo::ComputationPtr& body = scatter_attributes(operation).to_apply;
  const ReducerKind kind = body->reducer_kind();
  if (operation.operands.size() == 3) {
    if (kind == ReducerKind::kMultiply) return multiplying_scatter_jvp(operation, tangents);
    if (kind == ReducerKind::kMaximum || kind == ReducerKind::kMinimum) return extreme_scatter_jvp(operation, tangents);
    if (replaces(body) && !scatter_attributes(operation).unique_indices)
      return repeating_scatter_jvp(operation, tangents);
    if (kind == ReducerKind::kAdd || replaces(body)) return linear_jvp(operation, tangents);
  }
  or_throw(unimplemented(at_user_line("jvp of scatter") +
                         ": only one operand, and adding, multiplying, extreme or replacing updates"));
  return {};
}

/// Returns cotangents of the updates: those at the positions they were written to, zero for dropped ones.
Array updates_cotangent(const Scatter& s, const Array& ct) {
  const Array read = s.read(ct);
  const IndexMode mode = s.attributes.index_mode;
  if (mode == IndexMode::kPromiseInBounds || mode == IndexMode::kClip) return read;
  const Array inside = windows_inside(s.inverse, s.x, s.indices);
  const Array mask = spread_over_windows(inside, read.aval_shape(), s.attributes.update_window_dims);
  return select(mask, read, full_like(read, 0));
}

void scatter_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const Scatter s(operation);
  const Array& ct = cts[0].value();
  const bool adds = s.attributes.to_apply->reducer_kind() == ReducerKind::kAdd;
  if (s.attributes.to_apply->reducer_kind() == ReducerKind::kMultiply) {  // linear in its operand
    return out.add(0, ops::scatter(ct, s.indices, s.updates, s.attributes, Opcode::kMultiply));
  }
  if (!adds && !s.attributes.unique_indices) {  // its jvp is a sum; foreign programs may still need this rule
    or_throw(unimplemented(at_user_line("transpose of scatter") +
                           ": a replacing scatter is only implemented for unique_indices=true"));
  }
  if (out.wants(0)) {
    out.add(0, adds ? ct : ops::scatter(ct, s.indices, full_like(s.updates, 0), s.attributes, std::nullopt));
  }
  if (out.wants(2)) out.add(2, updates_cotangent(s, ct));
}

BatchResult scatter_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  auto s = std::make_shared<hlo::ScatterAttributes>(scatter_attributes(operation));
  for (std::vector<int64_t>* list : {&s->update_window_dims, &s->inserted_window_dims, &s->scatter_dims_to_operand_dims,
                                     &s->input_batching_dims, &s->scatter_indices_batching_dims}) {
    shift(*list);
  }
  ++s->index_vector_dim;
  s->indices_are_sorted = false;
  s->input_batching_dims.insert(s->input_batching_dims.begin(), 0);
  s->scatter_indices_batching_dims.insert(s->scatter_indices_batching_dims.begin(), 0);
  return batch_leading({Opcode::kScatter, operation.operands, s, std::nullopt}, dims, context);
}

}  // namespace

const Rules gather_rules = {linear_jvp, gather_transpose, gather_batch};
const Rules scatter_rules = {scatter_jvp, scatter_transpose, scatter_batch};

}  // namespace hilo::rules
