// SPDX-License-Identifier: Apache-2.0
// rules/sort.cc -- the rules of sort.
#include "hilo/hlo/ops/sort.h"

#include <algorithm>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/lax/indexing.h"
#include "hilo/rules/batch_leading.h"
#include "hilo/rules/families.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"

namespace hilo::rules {

using namespace lax;
namespace {

using hlo::Opcode;

/// Returns the comparator with one more pair of parameters, which it ignores.
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

/// Sorts an index together with the values, then permutes the tangents accordingly.
JvpResult sort_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const int64_t dimension = attributes_of<hlo::SortAttributes>(operation).dimension();
  Operation indexed = operation;
  auto with_index = std::make_shared<hlo::SortAttributes>(attributes_of<hlo::SortAttributes>(operation));
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

BatchResult sort_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  Operation batched = operation;
  auto shifted = std::make_shared<hlo::SortAttributes>(attributes_of<hlo::SortAttributes>(operation));
  ++shifted->dimensions[0];
  batched.attributes = shifted;
  return batch_leading(batched, dims, context);
}

}  // namespace

const Rules sort_rules = {sort_jvp, Nonlinear{}, sort_batch};

}  // namespace hilo::rules
