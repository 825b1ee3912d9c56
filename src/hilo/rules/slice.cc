// SPDX-License-Identifier: Apache-2.0
// rules/slice.cc -- rules of slice, concatenate, pad and their dynamic forms.
#include "hilo/hlo/ops/slice.h"

#include <algorithm>

#include "hilo/rules/families.h"
#include "hilo/rules/linear.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"

namespace hilo::rules {
namespace {

using namespace hilo::ops;  // the rules are formulas of these wrappers

// ---- slice ----------------------------------------------------------------------------------------------------------

void slice_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const Array& ct = cts[0].value();
  const std::vector<hlo::SliceRange>& ranges = attributes_of<hlo::SliceAttributes>(operation).ranges;
  std::vector<hlo::PaddingDimension> padding;
  for (size_t d = 0; d < ranges.size(); ++d) {
    const int64_t extent = operation.operands[0].shape()[d];
    const int64_t count = ct.shape()[d];
    const int64_t covered = count == 0 ? 0 : (count - 1) * ranges[d].stride + 1;
    padding.push_back({ranges[d].start, extent - ranges[d].start - covered, ranges[d].stride - 1});
  }
  out.add(0, pad(ct, scalar(0, ct.dtype()), padding));
}

BatchResult slice_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  std::vector<hlo::SliceRange> ranges = attributes_of<hlo::SliceAttributes>(operation).ranges;
  ranges.insert(ranges.begin() + *dims[0], {0, context.axis_size, 1});
  return {{slice(operation.operands[0], ranges)}, {*dims[0]}};
}

// ---- dynamic-slice and dynamic-update-slice -------------------------------------------------------------------------

std::vector<Array> starts_of(const Operation& operation, size_t first) {
  return {operation.operands.begin() + first, operation.operands.end()};
}

void dynamic_slice_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const Array& ct = cts[0].value();
  const std::vector<Array> starts = starts_of(operation, 1);
  out.add_at(0, [&](const Array& sum) {
    const Array old = dynamic_slice(sum, starts, {ct.shape().begin(), ct.shape().end()});
    return dynamic_update_slice(sum, add(old, ct), starts);
  });
}

JvpResult dynamic_update_slice_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const Array out = bind(operation)[0];
  const Array dx = materialize(tangents[0], {operation.operands[0].aval_shape(), false});
  const Array du = materialize(tangents[1], {operation.operands[1].aval_shape(), false});
  return {{out}, {dynamic_update_slice(dx, du, starts_of(operation, 2))}};
}

void dynamic_update_slice_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const Array& ct = cts[0].value();
  const std::vector<Array> starts = starts_of(operation, 2);
  const Array& update = operation.operands[1];
  if (out.wants(0)) out.add(0, dynamic_update_slice(ct, full_like(update, 0), starts));
  if (out.wants(1)) out.add(1, dynamic_slice(ct, starts, {update.shape().begin(), update.shape().end()}));
}

bool any_batched(std::span<const BatchDim> dims) {
  for (const BatchDim& d : dims) {
    if (d) return true;
  }
  return false;
}

/// Returns one start vector per example: [axis_size, rank].
Array stacked_starts(std::span<const Array> starts, std::span<const BatchDim> dims, int64_t axis_size) {
  std::vector<Array> columns;
  for (size_t i = 0; i < starts.size(); ++i) {
    const Array column = batch_axis_at(starts[i], dims[i], 0, axis_size);
    columns.push_back(reshape(convert_element_type(column, ElementType::kS32), std::vector<int64_t>{axis_size, 1}));
  }
  return concatenate(columns, 1);
}

BatchResult dynamic_slice_batch(const Operation& operation, std::span<const BatchDim> dims,
                                const BatchContext& context) {
  std::vector<int64_t> sizes = attributes_of<hlo::DynamicSliceAttributes>(operation).sizes;
  if (!any_batched(dims.subspan(1))) {
    std::vector<Array> starts = starts_of(operation, 1);
    starts.insert(starts.begin(), scalar(0, starts[0].dtype()));
    sizes.insert(sizes.begin(), context.axis_size);
    return {{dynamic_slice(move_axis(operation.operands[0], *dims[0], 0), starts, sizes)}, {0}};
  }
  // Each example reads at its own position: a gather of one window per example, which clamps like dynamic-slice.
  const Array x = batch_axis_at(operation.operands[0], dims[0], 0, context.axis_size);
  const Array indices = stacked_starts(std::span(operation.operands).subspan(1), dims.subspan(1), context.axis_size);
  hlo::GatherAttributes gather_attributes;
  for (int64_t d = 0; d < std::ssize(sizes); ++d) {
    gather_attributes.offset_dims.push_back(d + 1);
    gather_attributes.start_index_map.push_back(d + 1);
  }
  gather_attributes.operand_batching_dims = {0};
  gather_attributes.start_indices_batching_dims = {0};
  gather_attributes.index_vector_dim = 1;
  gather_attributes.index_mode = IndexMode::kClip;
  gather_attributes.slice_sizes = sizes;
  gather_attributes.slice_sizes.insert(gather_attributes.slice_sizes.begin(), std::min<int64_t>(context.axis_size, 1));
  return {{gather(x, indices, gather_attributes)}, {0}};
}

BatchResult dynamic_update_slice_batch(const Operation& operation, std::span<const BatchDim> dims,
                                       const BatchContext& context) {
  const Array x = batch_axis_at(operation.operands[0], dims[0], 0, context.axis_size);
  const Array update = batch_axis_at(operation.operands[1], dims[1], 0, context.axis_size);
  if (!any_batched(dims.subspan(2))) {
    std::vector<Array> starts = starts_of(operation, 2);
    const ElementType index_type = starts.empty() ? ElementType::kS32 : starts[0].dtype();
    starts.insert(starts.begin(), scalar(0, index_type));
    return {{dynamic_update_slice(x, update, starts)}, {0}};
  }
  // A scatter drops windows out of bounds, but dynamic-update-slice clamps them, so the starts are clamped first.
  Array indices = stacked_starts(std::span(operation.operands).subspan(2), dims.subspan(2), context.axis_size);
  const int64_t rank = update.ndim() - 1;
  Literal limits(Shape::array(ElementType::kS32, {rank}));
  for (int64_t d = 0; d < rank; ++d) {
    limits.data<int32_t>()[d] = static_cast<int32_t>(x.shape(d + 1) - update.shape(d + 1));
  }
  const Array high = broadcast_in_dim(constant(limits), indices.aval_shape(), {1});
  indices = max(full_like(indices, 0), min(indices, high));
  hlo::ScatterAttributes scatter_attributes;
  for (int64_t d = 0; d < rank; ++d) {
    scatter_attributes.update_window_dims.push_back(d + 1);
    scatter_attributes.scatter_dims_to_operand_dims.push_back(d + 1);
  }
  scatter_attributes.input_batching_dims = {0};
  scatter_attributes.scatter_indices_batching_dims = {0};
  scatter_attributes.index_vector_dim = 1;
  scatter_attributes.unique_indices = true;
  scatter_attributes.index_mode = IndexMode::kClip;
  return {{scatter(x, indices, update, scatter_attributes, std::nullopt)}, {0}};
}

// ---- concatenate ----------------------------------------------------------------------------------------------------

void concatenate_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const Array& ct = cts[0].value();
  const int64_t dimension = attributes_of<hlo::ConcatenateAttributes>(operation).dimension;
  int64_t begin = 0;
  for (size_t i = 0; i < operation.operands.size(); ++i) {
    const int64_t extent = operation.operands[i].shape(dimension);
    if (out.wants(i)) out.add(i, slice_along(ct, dimension, {begin, begin + extent, 1}));
    begin += extent;
  }
}

BatchResult concatenate_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  std::vector<Array> arrays;
  for (size_t i = 0; i < dims.size(); ++i)
    arrays.push_back(batch_axis_at(operation.operands[i], dims[i], 0, context.axis_size));
  return {{concatenate(arrays, attributes_of<hlo::ConcatenateAttributes>(operation).dimension + 1)}, {0}};
}

// ---- pad ------------------------------------------------------------------------------------------------------------

void pad_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const Array& ct = cts[0].value();
  const std::vector<hlo::PaddingDimension>& padding = attributes_of<hlo::PadAttributes>(operation).padding;
  const Array& x = operation.operands[0];
  // Removes the edges by negative padding, then takes every (interior + 1)-th element.
  std::vector<hlo::PaddingDimension> edges;
  std::vector<hlo::SliceRange> strides;
  for (size_t d = 0; d < padding.size(); ++d) {
    edges.push_back({-padding[d].low, -padding[d].high, 0});
    const int64_t inner = ct.shape()[d] - padding[d].low - padding[d].high;
    strides.push_back({0, inner, padding[d].interior + 1});
  }
  const Array from_x = slice(pad(ct, scalar(0, ct.dtype()), edges), strides);
  if (out.wants(0)) out.add(0, reshape(from_x, x.shape()));
  if (out.wants(1)) {
    const Array all = reduce_sum(ct, all_dimensions(ct.ndim()));
    out.add(1, sub(all, reduce_sum(from_x, all_dimensions(from_x.ndim()))));
  }
}

BatchResult pad_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  std::vector<hlo::PaddingDimension> padding = attributes_of<hlo::PadAttributes>(operation).padding;
  const Array x = batch_axis_at(operation.operands[0], dims[0], 0, context.axis_size);
  padding.insert(padding.begin(), hlo::PaddingDimension{});
  if (!dims[1]) return {{pad(x, operation.operands[1], padding)}, {0}};
  // One padding value per example: pads with zeros, and selects the value by a padded mask.
  const Array padded = pad(x, scalar(0, x.dtype()), padding);
  const Array mask =
      pad(full(x.aval_shape().with_element_type(ElementType::kPred), 1), scalar(0, ElementType::kPred), padding);
  const Array values = broadcast_in_dim(operation.operands[1], padded.aval_shape(), {0});
  return {{select(mask, padded, values)}, {0}};
}

}  // namespace

const Rules concatenate_rules = {linear_jvp, concatenate_transpose, concatenate_batch};
const Rules dynamic_slice_rules = {linear_jvp, dynamic_slice_transpose, dynamic_slice_batch};
const Rules dynamic_update_slice_rules = {dynamic_update_slice_jvp, dynamic_update_slice_transpose,
                                          dynamic_update_slice_batch};
const Rules pad_rules = {linear_jvp, pad_transpose, pad_batch};
const Rules slice_rules = {linear_jvp, slice_transpose, slice_batch};

}  // namespace hilo::rules
