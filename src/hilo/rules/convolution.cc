// SPDX-License-Identifier: Apache-2.0
// rules/convolution.cc -- rules of convolution, which is bilinear. With m the batch, j input features, k output
// features and g groups, and ignoring the spatial dimensions:
//     feature groups   [m, gj] [j, gk] -> [m, gk]      batch groups   [gm, j] [j, gk] -> [m, gk]
//     to lhs           [m, gk] [k, gj] -> [m, gj]      to lhs         [m, gk] [k, gj] -> [m, gj], then [gm, j]
//     to rhs           [gj, m] [m, gk] -> [j, gk]      to rhs         [j, gm] [m, gk] -> [j, gk]
// so that each is the other's transpose to rhs.
#include "hilo/hlo/ops/convolution.h"

#include <algorithm>
#include <array>

#include "hilo/rules/families.h"
#include "hilo/trace/ops.h"

namespace hilo::rules {
namespace {

using hlo::ConvolutionAttributes;
using hlo::WindowDimension;

std::optional<ElementType> preferred_type(const Operation& operation) {
  if (!operation.declared) return std::nullopt;
  return operation.declared->element_type();
}

Array convolve(const Array& lhs, const Array& rhs, ConvolutionAttributes a, std::optional<ElementType> preferred) {
  Operation operation{
      hlo::Opcode::kConvolution, {lhs, rhs}, std::make_shared<const ConvolutionAttributes>(std::move(a)), std::nullopt};
  if (preferred) operation.declared = result_avals(operation)[0].shape.with_element_type(*preferred);
  return bind(operation)[0];
}

Array convolve_like(const Operation& operation, const Array& lhs, const Array& rhs) {
  Operation same = operation;
  same.operands = {lhs, rhs};
  return bind(same)[0];
}

JvpResult convolution_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  Tangent tangent;
  if (!tangents[0].is_zero()) tangent = convolve_like(operation, tangents[0].value(), operation.operands[1]);
  if (!tangents[1].is_zero())
    tangent = add_tangents(tangent, convolve_like(operation, operation.operands[0], tangents[1].value()));
  return {bind(operation), {tangent}};
}

/// Merges dimension `from` of `x` into dimension `to` (counted without `from`), as its outer part.
Array axis_into(const Array& x, int64_t from, int64_t to) {
  std::vector<int64_t> order, sizes;
  for (int64_t d = 0; d < x.ndim(); ++d) {
    if (d == from) continue;
    order.push_back(d);
    sizes.push_back(x.shape(d));
  }
  order.insert(order.begin() + to, from);
  sizes[to] *= x.shape(from);
  return ops::reshape(ops::transpose(x, order), sizes);
}

/// Splits dimension `axis` of `x` in two; the outer one has `outer` elements.
Array axis_out_of(const Array& x, int64_t axis, int64_t outer) {
  std::vector<int64_t> sizes(x.shape().begin(), x.shape().end());
  sizes[axis] /= outer;
  sizes.insert(sizes.begin() + axis, outer);
  return ops::reshape(x, sizes);
}

int64_t dilate(int64_t size, int64_t dilation) { return size == 0 ? 0 : (size - 1) * dilation + 1; }

/// Dilated sizes of one spatial dimension: the input's, the kernel's, the result's.
struct Extents {
  int64_t lhs, rhs, out;
};

Extents dilated_extents(const WindowDimension& w, int64_t lhs, int64_t out) {
  return {dilate(lhs, w.base_dilation), dilate(w.size, w.window_dilation), dilate(out, w.stride)};
}

/// Returns the cotangent of the input: the result's cotangent, dilated by the strides, convolved with the reversed
/// kernel.
Array lhs_cotangent(const Operation& operation, const Array& ct) {
  const ConvolutionAttributes& a = attributes_of<ConvolutionAttributes>(operation);
  const hlo::ConvolutionDimensions& d = a.dimensions;
  const Array& lhs = operation.operands[0];
  Array rhs = operation.operands[1];
  const int64_t groups = std::max(a.feature_group_count, a.batch_group_count);
  if (groups > 1) rhs = axis_into(axis_out_of(rhs, d.kernel_output, groups), d.kernel_output, d.kernel_input);
  ConvolutionAttributes t = a;
  t.dimensions = {d.output_batch,  d.output_feature, d.kernel_output,  d.kernel_input, d.input_batch,
                  d.input_feature, d.output_spatial, d.kernel_spatial, d.input_spatial};
  for (size_t k = 0; k < a.window.size(); ++k) {
    const WindowDimension& w = a.window[k];
    const Extents e = dilated_extents(w, lhs.shape(d.input_spatial[k]), ct.shape(d.output_spatial[k]));
    const int64_t before = e.rhs - w.padding_low - 1;
    t.window[k] = {w.size,   w.base_dilation,   before,     e.lhs + e.rhs - 1 - e.out - before,
                   w.stride, w.window_dilation, !w.reversal};
  }
  t.feature_group_count = groups;
  t.batch_group_count = 1;
  Array cotangent = ops::convert_element_type(
      convolve(ct, ops::convert_element_type(rhs, ct.dtype()), std::move(t), preferred_type(operation)), lhs.dtype());
  if (a.batch_group_count > 1) {
    cotangent = axis_into(axis_out_of(cotangent, d.input_feature, groups), d.input_feature, d.input_batch);
  }
  return cotangent;
}

/// Returns the cotangent of the kernel: the input convolved with the result's cotangent, with batch and features
/// exchanged.
Array rhs_cotangent(const Operation& operation, const Array& ct) {
  const ConvolutionAttributes& a = attributes_of<ConvolutionAttributes>(operation);
  const hlo::ConvolutionDimensions& d = a.dimensions;
  const Array &lhs = operation.operands[0], &rhs = operation.operands[1];
  ConvolutionAttributes t = a;
  t.dimensions = {d.input_feature, d.input_batch,   d.output_batch,   d.output_feature, d.kernel_input,
                  d.kernel_output, d.input_spatial, d.output_spatial, d.kernel_spatial};
  std::vector<int64_t> turned;
  for (size_t k = 0; k < a.window.size(); ++k) {
    const WindowDimension& w = a.window[k];
    const int64_t out = ct.shape(d.output_spatial[k]);
    const Extents e = dilated_extents(w, lhs.shape(d.input_spatial[k]), out);
    t.window[k] = {
        out,  w.window_dilation, w.padding_low, e.out - e.lhs + e.rhs - w.padding_low - 1, w.base_dilation, w.stride,
        false};
    if (w.reversal) turned.push_back(d.kernel_spatial[k]);
  }
  std::swap(t.feature_group_count, t.batch_group_count);
  const Array cotangent =
      convolve(ops::convert_element_type(lhs, ct.dtype()), ct, std::move(t), preferred_type(operation));
  return ops::convert_element_type(turned.empty() ? cotangent : ops::reverse(cotangent, turned), rhs.dtype());
}

void convolution_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const Array& ct = cts[0].value();
  if (out.wants(0)) {
    out.add(0, lhs_cotangent(operation, ct));
  } else if (ct.size() == 0) {  // the general case would need a window of size 0
    out.add(1, zeros_like_aval(operation.operands[1].aval()));
  } else {
    out.add(1, rhs_cotangent(operation, ct));
  }
}

/// Groups are outermost in the features (or the batch): splits them off, inserts the axis, and merges them again.
/// `spec` is the dimension of `x` without its batch axis `from`.
Array axis_into_groups(const Array& x, int64_t from, int64_t spec, int64_t groups) {
  Array apart = axis_out_of(x, spec + (from <= spec ? 1 : 0), groups);
  apart = axis_into(apart, from + (spec < from ? 1 : 0), spec + 1);
  return axis_into(apart, spec, spec);
}

/// Both operands are batched: the axis becomes the outermost group.
BatchResult batch_both(const Operation& operation, int64_t lhs_dim, int64_t rhs_dim, int64_t axis_size) {
  ConvolutionAttributes a = attributes_of<ConvolutionAttributes>(operation);
  const bool by_batch = a.batch_group_count > 1;
  (by_batch ? a.batch_group_count : a.feature_group_count) *= axis_size;
  const Array lhs =
      axis_into(operation.operands[0], lhs_dim, by_batch ? a.dimensions.input_batch : a.dimensions.input_feature);
  const Array rhs = axis_into(operation.operands[1], rhs_dim, a.dimensions.kernel_output);
  const int64_t features = a.dimensions.output_feature;
  const Array out = convolve(lhs, rhs, std::move(a), preferred_type(operation));
  return {{axis_out_of(out, features, axis_size)}, {features}};
}

/// The input is batched: the axis becomes part of the batch.
BatchResult batch_lhs(const Operation& operation, int64_t dim, int64_t axis_size) {
  const ConvolutionAttributes& a = attributes_of<ConvolutionAttributes>(operation);
  const int64_t spec = a.dimensions.input_batch;
  const Array lhs = a.batch_group_count == 1 ? axis_into(operation.operands[0], dim, spec)
                                             : axis_into_groups(operation.operands[0], dim, spec, a.batch_group_count);
  const Array out = convolve(lhs, operation.operands[1], a, preferred_type(operation));
  return {{axis_out_of(out, a.dimensions.output_batch, axis_size)}, {a.dimensions.output_batch}};
}

/// The kernel is batched: the axis becomes part of the output features, inside of the groups.
BatchResult batch_rhs(const Operation& operation, int64_t dim, int64_t axis_size) {
  const ConvolutionAttributes& a = attributes_of<ConvolutionAttributes>(operation);
  const int64_t spec = a.dimensions.kernel_output, features = a.dimensions.output_feature;
  const int64_t groups = std::max(a.feature_group_count, a.batch_group_count);
  if (groups == 1) {
    const Array rhs = axis_into(operation.operands[1], dim, spec);
    const Array out = convolve(operation.operands[0], rhs, a, preferred_type(operation));
    return {{axis_out_of(out, features, axis_size)}, {features}};
  }
  const Array rhs = axis_into_groups(operation.operands[1], dim, spec, groups);
  Array out = convolve(operation.operands[0], rhs, a, preferred_type(operation));
  out = axis_out_of(axis_out_of(out, features, groups), features + 1, axis_size);
  return {{axis_into(out, features, features + 1)}, {features}};
}

/// Handles a batch of size 0 separately, because no group count or batch may become 0.
BatchResult batch_of_none(const Operation& operation, std::span<const BatchDim> dims) {
  Operation one = operation;
  for (size_t i = 0; i < 2; ++i) {
    const Array& x = operation.operands[i];
    if (!dims[i]) continue;
    const std::vector<int64_t> sizes = ops::without_dimensions(x.shape(), std::array{*dims[i]});
    one.operands[i] = ops::full(or_throw(Shape::make_array(x.dtype(), sizes)), 0);
  }
  const Shape shape = result_avals(one)[0].shape;
  std::vector<int64_t> sizes = {0};
  sizes.insert(sizes.end(), shape.dimensions().begin(), shape.dimensions().end());
  return {{ops::full(or_throw(Shape::make_array(shape.element_type(), sizes)), 0)}, {0}};
}

BatchResult convolution_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  if (context.axis_size == 0) return batch_of_none(operation, dims);
  if (dims[0] && dims[1]) return batch_both(operation, *dims[0], *dims[1], context.axis_size);
  return dims[0] ? batch_lhs(operation, *dims[0], context.axis_size)
                 : batch_rhs(operation, *dims[1], context.axis_size);
}

}  // namespace

const Rules convolution_rules = {convolution_jvp, convolution_transpose, convolution_batch};

}  // namespace hilo::rules
