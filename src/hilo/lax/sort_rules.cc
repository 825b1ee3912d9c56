// SPDX-License-Identifier: Apache-2.0
// lax/sort_rules.cc -- the rules of sort.
#include "hilo/hlo/ops/sort.h"

#include <algorithm>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/lax/rule_families.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"

namespace hilo::lax {
namespace {

using hlo::Opcode;

const hlo::SortAttributes& attributes(const Operation& operation) {
  return static_cast<const hlo::SortAttributes&>(*operation.attributes);
}

/// The comparator with one more pair of parameters, which it ignores.
hlo::ComputationPtr with_ignored_pair(const hlo::ComputationPtr& comparator, ElementType type) {
  hlo::Builder builder(comparator->name() + ".indexed");
  std::vector<hlo::InstructionId> parameters;
  for (const Shape& shape : comparator->parameter_shapes()) parameters.push_back(builder.parameter(shape));
  builder.parameter(Shape::scalar(type));
  builder.parameter(Shape::scalar(type));
  auto call = std::make_shared<hlo::CallAttributes>();
  call->to_apply = comparator;
  const hlo::InstructionId root = or_throw(builder.add(Opcode::kCall, parameters, std::move(call)));
  return or_throw(std::move(builder).build(root));
}

/// x reordered along `dimension` by a permutation of each line: a gather with all other dimensions as batch dimensions.
Array take_along(const Array& x, const Array& permutation, int64_t dimension) {
  hlo::GatherAttributes g;
  for (int64_t d = 0; d < x.ndim(); ++d) {
    if (d == dimension) continue;
    g.operand_batching_dims.push_back(d);
    g.start_indices_batching_dims.push_back(d);
  }
  g.collapsed_slice_dims = {dimension};
  g.start_index_map = {dimension};
  g.index_vector_dim = permutation.ndim();
  for (int64_t extent : x.shape()) g.slice_sizes.push_back(std::min<int64_t>(extent, 1));
  g.index_mode = IndexMode::kPromiseInBounds;
  return ops::gather(x, permutation, g);
}

/// Sort an index along, then move the tangents as the values moved.
JvpResult sort_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const int64_t dimension = attributes(operation).dimension();
  Operation indexed = operation;
  auto with_index = std::make_shared<hlo::SortAttributes>(attributes(operation));
  with_index->to_apply = with_ignored_pair(with_index->to_apply, ElementType::kS32);
  indexed.attributes = with_index;
  indexed.declared = std::nullopt;
  indexed.operands.push_back(
      ops::iota(operation.operands[0].aval_shape().with_element_type(ElementType::kS32), dimension));
  JvpResult result;
  result.primals = bind(indexed);
  const Array permutation = result.primals.back();
  result.primals.pop_back();
  for (const Tangent& t : tangents) {
    result.tangents.push_back(t.is_zero() ? Tangent() : Tangent(take_along(t.value(), permutation, dimension)));
  }
  return result;
}

BatchResult sort_batch(const Operation& operation, std::span<const BatchDim> dims, int64_t axis_size) {
  Operation batched = operation;
  auto shifted = std::make_shared<hlo::SortAttributes>(attributes(operation));
  ++shifted->dimensions[0];
  batched.attributes = shifted;
  batched.declared = std::nullopt;
  for (size_t i = 0; i < dims.size(); ++i)
    batched.operands[i] = batch_axis_at(operation.operands[i], dims[i], 0, axis_size);
  std::vector<Array> results = bind(batched);
  const size_t count = results.size();
  return {std::move(results), std::vector<BatchDim>(count, 0)};
}

}  // namespace

const Rules sort_rules = {sort_jvp, Nonlinear{}, sort_batch};

}  // namespace hilo::lax
