// SPDX-License-Identifier: Apache-2.0
// rules/collective.cc -- rules of the named-axis ops. vmap gives those of its own axis their meaning; an axis of
// another name passes through.
#include <algorithm>

#include "hilo/hlo/ops/ext/named_axis.h"
#include "hilo/hlo/ops/extensions.h"
#include "hilo/rules/families.h"
#include "hilo/rules/linear.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"

namespace hilo::rules {
namespace {

using namespace hilo::ops;  // NOLINT: the rules are algebra over these wrappers

const hlo::NamedAxisAttributes& axis_of(const Operation& operation) {
  return attributes_of<hlo::NamedAxisAttributes>(operation);
}

/// Is vmap resolving the op's axis?
bool is_own_axis(const Operation& operation, const BatchContext& context) {
  return axis_of(operation).axis_name == context.axis_name;
}

/// The op on an operand with a batch axis that it doesn't look at.
BatchResult pass_through(const Operation& operation, std::span<const BatchDim> dims) {
  Operation batched = operation;
  batched.declared = std::nullopt;
  return {bind(batched), {dims[0]}};
}

std::shared_ptr<const hlo::NamedAxisAttributes> same_axis(const Operation& operation) {
  auto axis = std::make_shared<hlo::NamedAxisAttributes>();
  axis->axis_name = axis_of(operation).axis_name;
  axis->axis_size = axis_of(operation).axis_size;
  return axis;
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

/// This member's part of the members' sum.
void all_gather_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const auto dimension = static_cast<size_t>(attributes_of<hlo::NamedAllGatherAttributes>(operation).dimension);
  const auto axis = same_axis(operation);
  const Array sum = bind_one(hlo::kExtPsum, {cts[0].value()}, axis);
  std::vector<int64_t> sizes(sum.shape().begin(), sum.shape().end());
  std::vector<Array> starts(sizes.size(), scalar(0, ElementType::kS32));
  starts[dimension] = bind_one(hlo::kExtAxisIndex, {}, axis);
  sizes[dimension] = 1;
  const Array part = dynamic_slice(sum, starts, sizes);
  sizes.erase(sizes.begin() + static_cast<int64_t>(dimension));
  out.add(0, reshape(part, sizes));
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
  const std::vector<int64_t> count = {static_cast<int64_t>(rows.size())};
  return gather(x, constant(Literal::array<int32_t>(count, rows)), std::move(attributes));
}

BatchResult ppermute_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  if (!is_own_axis(operation, context)) return pass_through(operation, dims);
  const Array x = batch_axis_at(operation.operands[0], dims[0], 0, context.axis_size);
  std::vector<int32_t> source_of(static_cast<size_t>(context.axis_size), 0);
  Literal is_target(Shape::array(ElementType::kPred, {context.axis_size}));
  for (const auto& [source, target] : attributes_of<hlo::PpermuteAttributes>(operation).permutation) {
    source_of[static_cast<size_t>(target)] = static_cast<int32_t>(source);
    is_target.data<bool>()[static_cast<size_t>(target)] = true;
  }
  const Array mask = broadcast_in_dim(constant(is_target), x.aval_shape().with_element_type(ElementType::kPred), {0});
  return {{select(mask, take_rows(x, source_of), full_like(x, 0))}, {0}};
}

// ---- axis_index -----------------------------------------------------------------------------------------------------

/// Only reached for the own axis: without operands nothing else is batched.
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
const Rules axis_index_rules = {Nonlinear{}, Nonlinear{}, axis_index_batch};

}  // namespace hilo::rules
