// SPDX-License-Identifier: Apache-2.0
// rules/top_k.cc -- rules of topk, and of set-dimension-size, infeed and the like.
#include "hilo/hlo/ops/top_k.h"
#include "hilo/hlo/ops/ext/dynamic_shape.h"
#include "hilo/lax/indexing.h"
#include "hilo/rules/batch_leading.h"
#include "hilo/rules/families.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"

namespace hilo::rules {

using namespace lax;
namespace {

JvpResult top_k_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  std::vector<Array> found = bind(operation);
  const Array positions = found[1];
  if (tangents[0].is_zero() || positions.size() == 0) return {std::move(found), {Tangent(), Tangent()}};
  return {std::move(found), {take_along(tangents[0].value(), positions, positions.ndim() - 1), Tangent()}};
}

// ---- set-dimension-size ---------------------------------------------------------------------------------------------

/// hilo supports only the actual sizes, so the op is its operand.
JvpResult set_dimension_size_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  return {bind(operation), {tangents[0]}};
}

BatchResult set_dimension_size_batch(const Operation& operation, std::span<const BatchDim> dims,
                                     const BatchContext& context) {
  if (dims[1]) or_throw(unimplemented("vmap of set-dimension-size: every example would have a size of its own"));
  Operation batched = operation;
  auto shifted = std::make_shared<hlo::DimensionSizeAttributes>(attributes_of<hlo::DimensionSizeAttributes>(operation));
  ++shifted->dimensions[0];
  batched.attributes = std::move(shifted);
  batched.declared = std::nullopt;
  batched.operands[0] = batch_axis_at(operation.operands[0], dims[0], 0, context.axis_size);
  return {bind(batched), {0}};
}

constexpr NotYet kTransfer{"transfers to other devices have no derivative and no batching rule"};

}  // namespace

const Rules top_k_rules = {top_k_jvp, Nonlinear{}, batch_leading};
const Rules set_dimension_size_rules = {set_dimension_size_jvp, Nonlinear{}, set_dimension_size_batch};
const Rules transfer_rules = {kTransfer, kTransfer, kTransfer};

}  // namespace hilo::rules
