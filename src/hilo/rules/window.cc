// SPDX-License-Identifier: Apache-2.0
// rules/window.cc -- rules of reduce-window, select-and-scatter and select_and_gather_add.
#include <algorithm>

#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/ext/select_and_gather_add.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/hlo/ops/select_and_scatter.h"
#include "hilo/lax/combine.h"
#include "hilo/lax/window_ops.h"
#include "hilo/rules/batch_by_scan.h"
#include "hilo/rules/extension_rules.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/jvp.h"

namespace hilo::rules {

using namespace lax;
namespace {

using namespace hilo::ops;  // the rules are formulas of these wrappers
using hlo::ReducerKind;
using hlo::Window;
using hlo::WindowDimension;

constexpr int64_t kMaxSlices = 64;  // maximum number of window elements that a derivative handles one by one

Array over(const Array& scalar, const Array& like) {
  return broadcast_in_dim(scalar, like.aval_shape().with_element_type(scalar.dtype()), {});
}

bool is_neutral(const Array& initial, ReducerKind kind) {
  const std::optional<Literal> neutral = hlo::neutral_value(kind, initial.dtype());
  return neutral && is_concrete(initial) && initial.to_literal().identical(*neutral);
}

// ---- reduce-window --------------------------------------------------------------------------------------------------

JvpResult window_sum_jvp(const Operation& operation, const Tangent& t, const Tangent& initial) {
  const Array out = bind(operation)[0];
  Tangent tangent;
  if (!t.is_zero()) tangent = window_sum(t.value(), attributes_of<hlo::ReduceWindowAttributes>(operation).window);
  if (!initial.is_zero()) tangent = add_tangents(tangent, over(initial.value(), out));
  return {{out}, {tangent}};
}

/// Returns the tangent of the first extreme element of each window, or of the initial value if that is more extreme.
JvpResult window_extreme_jvp(const Operation& operation, const Tangent& t, const Tangent& initial) {
  const Array &x = operation.operands[0], &first = operation.operands[1];
  const ReducerKind kind = attributes_of<hlo::ReduceWindowAttributes>(operation).to_apply->reducer_kind();
  const auto direction = kind == ReducerKind::kMaximum ? hlo::ComparisonDirection::kGe : hlo::ComparisonDirection::kLe;
  const Array out = bind(operation)[0];
  Tangent tangent;
  if (!t.is_zero())
    tangent = select_and_gather_add(t.value(), x, attributes_of<hlo::ReduceWindowAttributes>(operation).window,
                                    comparison(direction, x.dtype()));
  if (initial.is_zero() && is_neutral(first, kind)) return {{out}, {tangent}};
  const Array chosen = ne(out, over(first, out));
  if (!tangent.is_zero()) tangent = select(chosen, tangent.value(), full_like(tangent.value(), 0));
  if (!initial.is_zero()) {
    const Array spread = over(initial.value(), out);
    tangent = add_tangents(tangent, select(chosen, full_like(spread, 0), spread));
  }
  return {{out}, {tangent}};
}

int64_t volume_of(const Window& window) {
  int64_t volume = 1;
  for (const WindowDimension& w : window) {
    if (w.size > kMaxSlices) return kMaxSlices + 1;
    volume = std::min(volume * w.size, kMaxSlices + 1);
  }
  return volume;
}

/// Returns element `offset` of every window, for an array padded as the window specifies.
Array element_of_windows(const Array& padded, const Window& window, std::span<const int64_t> offset,
                         std::span<const int64_t> counts) {
  std::vector<hlo::SliceRange> ranges;
  for (size_t d = 0; d < window.size(); ++d) {
    const int64_t start = offset[d] * window[d].window_dilation;
    ranges.push_back({start, start + (counts[d] - 1) * window[d].stride + 1, window[d].stride});
  }
  return slice(padded, std::move(ranges));
}

Array padded_for(const Array& x, const Window& window) {
  std::vector<hlo::PaddingDimension> padding;
  for (const WindowDimension& w : window) padding.push_back({w.padding_low, w.padding_high, w.base_dilation - 1});
  return pad(x, scalar(0, x.dtype()), std::move(padding));
}

/// Computes the left fold of each window as arithmetic on whole arrays, which has derivatives of any kind.
std::vector<Array> reduce_by_slices(const Operation& operation, std::span<const Array> operands) {
  const hlo::ReduceWindowAttributes& a = attributes_of<hlo::ReduceWindowAttributes>(operation);
  const size_t arity = operands.size() / 2;
  const std::vector<int64_t> counts = or_throw(hlo::window_counts(operands[0].shape(), a.window));
  std::vector<Array> padded, sums;
  for (size_t i = 0; i < arity; ++i) {
    padded.push_back(padded_for(operands[i], a.window));
    sums.push_back(broadcast_in_dim(operands[arity + i], Shape::array(operands[i].dtype(), counts), {}));
  }
  const Array inside = padded_for(full(operands[0].aval_shape().with_element_type(ElementType::kPred), 1), a.window);
  std::vector<int64_t> offset(a.window.size(), 0);
  for (;;) {
    std::vector<Array> elements;
    for (const Array& x : padded) elements.push_back(element_of_windows(x, a.window, offset, counts));
    const Array valid = element_of_windows(inside, a.window, offset, counts);
    const std::vector<Array> folded = combine(a.to_apply, sums, elements);
    for (size_t i = 0; i < arity; ++i) sums[i] = select(valid, folded[i], sums[i]);
    size_t d = offset.size();
    while (d > 0 && ++offset[d - 1] == a.window[d - 1].size) offset[--d] = 0;
    if (d == 0) return sums;
  }
}

/// Computes running reductions as a tree of combinations, after the initial value.
std::vector<Array> reduce_by_scan(const Operation& operation, const hlo::Cumulative& c,
                                  std::span<const Array> operands) {
  const hlo::ComputationPtr& body = attributes_of<hlo::ReduceWindowAttributes>(operation).to_apply;
  const size_t arity = operands.size() / 2;
  const Combine f = [&](std::span<const Array> x, std::span<const Array> y) { return combine(body, x, y); };
  const std::vector<Array> scanned = associative_scan(f, operands.first(arity), c.dimension, c.reverse);
  std::vector<Array> initials;
  for (size_t i = 0; i < arity; ++i) initials.push_back(over(operands[arity + i], scanned[i]));
  return f(initials, scanned);
}

/// Maps (values, tangents) of the body's parameters to those of its results; no tangent is zero.
hlo::ComputationPtr with_tangents(const hlo::ComputationPtr& body, size_t arity) {
  const JvpComputation jvp = jvp_computation(body, std::vector<bool>(2 * arity, true), std::vector<bool>(arity, true));
  // Order in jvp: 2n values, then 2n tangents. Order in a reducer: n accumulators with tangents, n elements with
  // tangents.
  hlo::Builder b("jvp");
  std::vector<hlo::InstructionId> parameters, ordered;
  for (size_t part = 0; part < 4; ++part) {
    for (size_t i = 0; i < arity; ++i)
      parameters.push_back(b.parameter(Shape::scalar(body->parameter_shapes()[i].element_type())));
  }
  for (size_t part : {0, 2, 1, 3}) {
    for (size_t i = 0; i < arity; ++i) ordered.push_back(parameters[part * arity + i]);
  }
  auto call = std::make_shared<hlo::CallAttributes>();
  call->to_apply = jvp.computation;
  const std::vector<hlo::InstructionId> results =
      or_throw(append_operation(b, {hlo::Opcode::kCall, {}, std::move(call), std::nullopt}, ordered));
  const hlo::InstructionId root = b.tuple(results);
  return or_throw(std::move(b).build(root));
}

/// For windows too large for slices: reduces values and tangents together. Forward mode only, as in JAX.
JvpResult variadic_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const size_t arity = operation.operands.size() / 2;
  std::vector<Array> arrays, initials;
  for (bool tangent : {false, true}) {
    for (size_t i = 0; i < 2 * arity; ++i) {
      const Array& x = operation.operands[i];
      (i < arity ? arrays : initials).push_back(tangent ? materialize(tangents[i], {x.aval_shape(), false}) : x);
    }
  }
  const std::vector<Array> both =
      reduce_window(arrays, initials, attributes_of<hlo::ReduceWindowAttributes>(operation).window,
                    with_tangents(attributes_of<hlo::ReduceWindowAttributes>(operation).to_apply, arity));
  const auto middle = both.begin() + arity;
  return {{both.begin(), middle}, {middle, both.end()}};
}

JvpResult reduce_window_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const hlo::ReduceWindowAttributes& a = attributes_of<hlo::ReduceWindowAttributes>(operation);
  const Array& x = operation.operands[0];
  const ReducerKind kind = a.to_apply->reducer_kind();
  if (operation.operands.size() == 2) {
    if (kind == ReducerKind::kAdd) return window_sum_jvp(operation, tangents[0], tangents[1]);
    if (kind == ReducerKind::kMaximum || kind == ReducerKind::kMinimum)
      return window_extreme_jvp(operation, tangents[0], tangents[1]);
  }
  const std::optional<hlo::Cumulative> c = hlo::cumulative_of(a.window, x.shape());
  const bool floats = std::ranges::all_of(operation.operands, [](const Array& o) { return has_tangent(o.dtype()); });
  if (!c && floats && volume_of(a.window) > kMaxSlices) return variadic_jvp(operation, tangents);
  const std::vector<Array> out = bind(operation);
  if (out[0].size() == 0) return {out, std::vector<Tangent>(out.size())};
  const FlatFunction f = [&](std::span<const Array> operands) {
    return c ? reduce_by_scan(operation, *c, operands) : reduce_by_slices(operation, operands);
  };
  return {out, jvp_flat(f, operation.operands, tangents).tangents};
}

/// Returns (size - 1) * step + 1, but 0 for size 0.
int64_t dilated(int64_t size, int64_t step) { return size == 0 ? 0 : (size - 1) * step + 1; }

/// Returns the window over cotangents that sums, for each element, those of the windows that contain it.
Window transposed_window(const Window& window, std::span<const int64_t> sizes, std::span<const int64_t> counts) {
  Window out;
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDimension& w = window[d];
    const int64_t covered = dilated(w.size, w.window_dilation);
    const int64_t low = covered - w.padding_low - 1;
    const int64_t high = dilated(sizes[d], w.base_dilation) + covered - 1 - dilated(counts[d], w.stride) - low;
    out.push_back({.size = w.size,
                   .stride = w.base_dilation,
                   .padding_low = low,
                   .padding_high = high,
                   .base_dilation = w.stride,
                   .window_dilation = w.window_dilation});
  }
  return out;
}

/// Only sums are linear.
void reduce_window_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  if (operation.operands.size() != 2 ||
      attributes_of<hlo::ReduceWindowAttributes>(operation).to_apply->reducer_kind() != ReducerKind::kAdd)
    or_throw(invalid_argument("transpose of reduce-window: only a sum is linear"));
  const Array& ct = cts[0].value();
  const Array& x = operation.operands[0];
  if (out.wants(0)) {
    out.add(0, window_sum(ct, transposed_window(attributes_of<hlo::ReduceWindowAttributes>(operation).window, x.shape(),
                                                ct.shape())));
  }
  if (out.wants(1)) out.add(1, reduce_sum(ct, all_dimensions(ct.ndim())));
}

Window batched(Window window) {
  window.insert(window.begin(), WindowDimension{});
  return window;
}

BatchResult reduce_window_batch(const Operation& operation, std::span<const BatchDim> dims,
                                const BatchContext& context) {
  const size_t count = operation.operands.size() / 2;
  // One initial value is used for all windows, so examples with different ones are processed one by one.
  for (size_t i = count; i < dims.size(); ++i) {
    if (dims[i]) return batch_by_scan(operation, dims, context);
  }
  std::vector<Array> arrays;
  for (size_t i = 0; i < count; ++i)
    arrays.push_back(batch_axis_at(operation.operands[i], dims[i], 0, context.axis_size));
  const std::span<const Array> initials = std::span(operation.operands).subspan(count);
  std::vector<Array> results =
      reduce_window(std::move(arrays), initials, batched(attributes_of<hlo::ReduceWindowAttributes>(operation).window),
                    attributes_of<hlo::ReduceWindowAttributes>(operation).to_apply);
  return {std::move(results), std::vector<BatchDim>(count, 0)};
}

// ---- select-and-scatter ---------------------------------------------------------------------------------------------

const hlo::SelectAndScatterAttributes& select_and_scatter_attributes(const Operation& operation) {
  const auto& a = attributes_of<hlo::SelectAndScatterAttributes>(operation);
  if (a.scatter->reducer_kind() != ReducerKind::kAdd)
    or_throw(unimplemented("derivative of select-and-scatter: only one that adds has it"));
  return a;
}

/// The op is linear in source and initial value; the selection doesn't change under small changes.
JvpResult select_and_scatter_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const auto& a = select_and_scatter_attributes(operation);
  const Array out = bind(operation)[0];
  Tangent tangent;
  if (!tangents[1].is_zero())
    tangent = select_and_scatter_add(operation.operands[0], tangents[1].value(), a.window, a.select);
  if (!tangents[2].is_zero()) tangent = add_tangents(tangent, over(tangents[2].value(), out));
  return {{out}, {tangent}};
}

void select_and_scatter_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const auto& a = select_and_scatter_attributes(operation);
  const Array& ct = cts[0].value();
  if (out.wants(1)) out.add(1, select_and_gather_add(ct, operation.operands[0], a.window, a.select));
  if (out.wants(2)) out.add(2, reduce_sum(ct, all_dimensions(ct.ndim())));
}

BatchResult select_and_scatter_batch(const Operation& operation, std::span<const BatchDim> dims,
                                     const BatchContext& context) {
  if (dims[2]) return batch_by_scan(operation, dims, context);
  Operation all = operation;
  all.declared = std::nullopt;
  for (size_t i = 0; i < 2; ++i) all.operands[i] = batch_axis_at(operation.operands[i], dims[i], 0, context.axis_size);
  auto changed =
      std::make_shared<hlo::SelectAndScatterAttributes>(attributes_of<hlo::SelectAndScatterAttributes>(operation));
  changed->window = batched(changed->window);
  all.attributes = std::move(changed);
  return {bind(all), {0}};
}

// ---- select_and_gather_add ------------------------------------------------------------------------------------------

JvpResult select_and_gather_add_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const auto& a = attributes_of<hlo::SelectAndGatherAddAttributes>(operation);
  const Array out = bind(operation)[0];
  if (tangents[0].is_zero()) return {{out}, {Tangent()}};
  return {{out}, {select_and_gather_add(tangents[0].value(), operation.operands[1], a.window, a.select)}};
}

void select_and_gather_add_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const auto& a = attributes_of<hlo::SelectAndGatherAddAttributes>(operation);
  if (out.wants(0)) out.add(0, select_and_scatter_add(operation.operands[1], cts[0].value(), a.window, a.select));
}

BatchResult select_and_gather_add_batch(const Operation& operation, std::span<const BatchDim> dims,
                                        const BatchContext& context) {
  const auto& a = attributes_of<hlo::SelectAndGatherAddAttributes>(operation);
  const Array tangents = batch_axis_at(operation.operands[0], dims[0], 0, context.axis_size);
  const Array operand = batch_axis_at(operation.operands[1], dims[1], 0, context.axis_size);
  return {{select_and_gather_add(tangents, operand, batched(a.window), a.select)}, {0}};
}

}  // namespace

const Rules reduce_window_rules = {reduce_window_jvp, reduce_window_transpose, reduce_window_batch};
const Rules select_and_scatter_rules = {select_and_scatter_jvp, select_and_scatter_transpose, select_and_scatter_batch};
const Rules select_and_gather_add_rules = {select_and_gather_add_jvp, select_and_gather_add_transpose,
                                           select_and_gather_add_batch};

}  // namespace hilo::rules
