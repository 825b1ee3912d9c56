// SPDX-License-Identifier: Apache-2.0
// rules/collective.cc -- rules of the named-axis ops. vmap resolves those of its own axis; others pass through.
#include <algorithm>
#include <numeric>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/ext/named_axis.h"
#include "hilo/rules/extension_rules.h"
#include "hilo/rules/linear.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"

namespace hilo::rules {
namespace {

using namespace hilo::ops;  // the rules are formulas of these wrappers

const hlo::NamedAxisAttributes& axis_of(const Operation& operation) {
  return attributes_of<hlo::NamedAxisAttributes>(operation);
}

/// Whether the batching rule resolves the op's axis.
bool is_own_axis(const Operation& operation, const BatchContext& context) {
  return axis_of(operation).axis_name == context.axis_name;
}

/// Binds the op on an operand with a batch axis that doesn't concern it.
BatchResult pass_through(const Operation& operation, std::span<const BatchDim> dims) {
  Operation batched = operation;
  batched.declared = std::nullopt;
  return {bind(batched), {dims[0]}};
}

template <typename T>
std::shared_ptr<T> over_same_axis(const Operation& operation) {
  auto attributes = std::make_shared<T>();
  attributes->axis_name = axis_of(operation).axis_name;
  attributes->axis_size = axis_of(operation).axis_size;
  return attributes;
}

// ---- psum, pmax, pmin -----------------------------------------------------------------------------------------------

void psum_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  out.add(0, bind_one(hlo::kExtPsum, {cts[0].value()}, operation.attributes));
}

BatchResult reduction_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  if (!is_own_axis(operation, context)) return pass_through(operation, dims);
  const Array& x = operation.operands[0];
  if (operation.opcode == hlo::kExtPsum) {
    return {{dims[0] ? reduce_sum(x, {*dims[0]}) : mul(x, full_like(x, static_cast<double>(context.axis_size)))},
            {std::nullopt}};
  }
  if (!dims[0]) return {{x}, {std::nullopt}};
  return {{operation.opcode == hlo::kExtPmax ? reduce_max(x, {*dims[0]}) : reduce_min(x, {*dims[0]})}, {std::nullopt}};
}

// ---- all_gather -----------------------------------------------------------------------------------------------------

/// The cotangent is this member's part of the members' sum.
void all_gather_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  auto scatter = over_same_axis<hlo::PsumScatterAttributes>(operation);
  scatter->dimension = attributes_of<hlo::NamedAllGatherAttributes>(operation).dimension;
  out.add(0, bind_one(hlo::kExtPsumScatter, {cts[0].value()}, std::move(scatter)));
}

BatchResult all_gather_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  const auto& attributes = attributes_of<hlo::NamedAllGatherAttributes>(operation);
  if (is_own_axis(operation, context)) {
    return {{batch_axis_at(operation.operands[0], dims[0], attributes.dimension, context.axis_size)}, {std::nullopt}};
  }
  auto shifted = std::make_shared<hlo::NamedAllGatherAttributes>(attributes);
  ++shifted->dimension;
  return {{bind_one(hlo::kExtAllGather, {move_axis(operation.operands[0], *dims[0], 0)}, std::move(shifted))}, {0}};
}

// ---- ppermute -------------------------------------------------------------------------------------------------------

void ppermute_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  auto inverse = std::make_shared<hlo::PpermuteAttributes>(attributes_of<hlo::PpermuteAttributes>(operation));
  for (auto& [source, target] : inverse->permutation) std::swap(source, target);
  out.add(0, bind_one(hlo::kExtPpermute, {cts[0].value()}, std::move(inverse)));
}

/// Slice i of the result is slice rows[i] of `x` along the leading axis.
Array take_rows(const Array& x, std::span<const int32_t> rows) {
  hlo::GatherAttributes attributes;
  for (int64_t d = 1; d < x.ndim(); ++d) attributes.offset_dims.push_back(d);
  attributes.collapsed_slice_dims = {0};
  attributes.start_index_map = {0};
  attributes.index_vector_dim = 1;
  attributes.slice_sizes.assign(x.shape().begin(), x.shape().end());
  attributes.slice_sizes[0] = 1;
  const std::vector<int64_t> count = {std::ssize(rows)};
  return gather(x, constant(Literal::array<int32_t>(count, rows)), std::move(attributes));
}

/// Returns the same as a few contiguous slices, which the devices of a mesh exchange; empty if there are many.
/// Example    rows 3, 0, 1, 2 -> slices [3, 4) and [0, 3)
std::vector<Array> slices_of(const Array& x, std::span<const int32_t> rows) {
  constexpr size_t kMaxSlices = 64;
  std::vector<hlo::SliceRange> ranges;
  for (const int32_t row : rows) {
    if (!ranges.empty() && ranges.back().limit == row) ++ranges.back().limit;
    else ranges.push_back({row, row + 1, 1});
  }
  std::vector<Array> slices;
  if (ranges.size() > kMaxSlices) return slices;
  for (const hlo::SliceRange& range : ranges) slices.push_back(slice_along(x, 0, range));
  return slices;
}

/// Members that don't receive keep their own slice until it is masked.
BatchResult ppermute_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  if (!is_own_axis(operation, context)) return pass_through(operation, dims);
  const Array x = batch_axis_at(operation.operands[0], dims[0], 0, context.axis_size);
  std::vector<int32_t> source_of(context.axis_size);
  std::iota(source_of.begin(), source_of.end(), 0);
  Literal is_target(Shape::array(ElementType::kPred, {context.axis_size}));
  const hlo::Int64Pairs& pairs = attributes_of<hlo::PpermuteAttributes>(operation).permutation;
  for (const auto& [source, target] : pairs) {
    source_of[target] = static_cast<int32_t>(source);
    is_target.data<bool>()[target] = true;
  }
  const std::vector<Array> slices = context.spmd_axis_name.empty() ? std::vector<Array>() : slices_of(x, source_of);
  const Array sent = slices.empty() ? take_rows(x, source_of) : concatenate(slices, 0);
  if (std::ssize(pairs) == context.axis_size) return {{sent}, {0}};
  const Array mask = broadcast_in_dim(constant(is_target), x.aval_shape().with_element_type(ElementType::kPred), {0});
  return {{select(mask, sent, full_like(x, 0))}, {0}};
}

// ---- psum_scatter ---------------------------------------------------------------------------------------------------

void psum_scatter_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  auto gather = over_same_axis<hlo::NamedAllGatherAttributes>(operation);
  gather->dimension = attributes_of<hlo::PsumScatterAttributes>(operation).dimension;
  out.add(0, bind_one(hlo::kExtAllGather, {cts[0].value()}, std::move(gather)));
}

/// Each member gets one slice of the sum.
BatchResult psum_scatter_batch(const Operation& operation, std::span<const BatchDim> dims,
                               const BatchContext& context) {
  const auto& attributes = attributes_of<hlo::PsumScatterAttributes>(operation);
  const Array& x = operation.operands[0];
  if (is_own_axis(operation, context)) {
    const Array sum =
        dims[0] ? reduce_sum(x, {*dims[0]}) : mul(x, full_like(x, static_cast<double>(context.axis_size)));
    return {{sum}, {attributes.dimension}};
  }
  auto shifted = std::make_shared<hlo::PsumScatterAttributes>(attributes);
  ++shifted->dimension;
  return {{bind_one(hlo::kExtPsumScatter, {move_axis(x, *dims[0], 0)}, std::move(shifted))}, {0}};
}

// ---- all_to_all -----------------------------------------------------------------------------------------------------

void all_to_all_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  auto back = std::make_shared<hlo::NamedAllToAllAttributes>(attributes_of<hlo::NamedAllToAllAttributes>(operation));
  std::swap(back->split, back->concat);
  out.add(0, bind_one(hlo::kExtAllToAll, {cts[0].value()}, std::move(back)));
}

/// The slices become the members' axis, and the members' axis moves to the requested position.
BatchResult all_to_all_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  const auto& attributes = attributes_of<hlo::NamedAllToAllAttributes>(operation);
  if (is_own_axis(operation, context)) {
    const Array x = batch_axis_at(operation.operands[0], dims[0], 0, context.axis_size);
    std::vector<int64_t> order;
    for (int64_t d = 1; d < x.ndim(); ++d) {
      if (d != attributes.split + 1) order.push_back(d);
    }
    order.insert(order.begin() + attributes.concat, 0);
    order.insert(order.begin(), attributes.split + 1);
    return {{transpose(x, order)}, {0}};
  }
  auto shifted = std::make_shared<hlo::NamedAllToAllAttributes>(attributes);
  ++shifted->split;
  ++shifted->concat;
  return {{bind_one(hlo::kExtAllToAll, {move_axis(operation.operands[0], *dims[0], 0)}, std::move(shifted))}, {0}};
}

// ---- axis_index -----------------------------------------------------------------------------------------------------

/// Reached only for the rule's own axis, because the op has no operands that could be batched.
BatchResult axis_index_batch(const Operation&, std::span<const BatchDim>, const BatchContext& context) {
  return {{iota(Shape::array(ElementType::kS32, {context.axis_size}), 0)}, {0}};
}

constexpr NotYet kNoExtremeJvp{"pmax and pmin have no derivative, as in JAX"};

}  // namespace

const Rules psum_rules = {linear_jvp, psum_transpose, reduction_batch};
const Rules pmax_rules = {kNoExtremeJvp, Nonlinear{}, reduction_batch};
const Rules pmin_rules = {kNoExtremeJvp, Nonlinear{}, reduction_batch};
const Rules all_gather_rules = {linear_jvp, all_gather_transpose, all_gather_batch};
const Rules ppermute_rules = {linear_jvp, ppermute_transpose, ppermute_batch};
const Rules psum_scatter_rules = {linear_jvp, psum_scatter_transpose, psum_scatter_batch};
const Rules all_to_all_rules = {linear_jvp, all_to_all_transpose, all_to_all_batch};
const Rules axis_index_rules = {Nonlinear{}, Nonlinear{}, axis_index_batch};

}  // namespace hilo::rules
