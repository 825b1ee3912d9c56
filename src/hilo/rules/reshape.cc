// SPDX-License-Identifier: Apache-2.0
// rules/reshape.cc -- rules of ops that rearrange or create elements.
#include <algorithm>

#include "hilo/hlo/ops/reshape.h"
#include "hilo/rules/families.h"
#include "hilo/rules/linear.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"

namespace hilo::rules {
namespace {

using namespace hilo::ops;  // the rules are formulas of these wrappers

std::vector<int64_t> with_front(std::span<const int64_t> dims, int64_t front) {
  std::vector<int64_t> all(dims.begin(), dims.end());
  all.insert(all.begin(), front);
  return all;
}

/// Increments every dimension number, because a leading batch axis is added.
std::vector<int64_t> shifted(std::vector<int64_t> dimensions) {
  for (int64_t& d : dimensions) ++d;
  return dimensions;
}

// ---- broadcast ------------------------------------------------------------------------------------------------------

void broadcast_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const std::vector<int64_t>& retained = attributes_of<hlo::BroadcastAttributes>(operation).dimensions;
  std::vector<int64_t> summed;
  for (int64_t d = 0; d < cts[0]->ndim(); ++d) {
    if (std::ranges::find(retained, d) == retained.end()) summed.push_back(d);
  }
  Array sum = reduce_sum(cts[0].value(), summed);
  // The sum's dimensions are in the result's order, which may differ from the operand's.
  std::vector<int64_t> order(retained);
  std::ranges::sort(order);
  std::vector<int64_t> permutation;
  for (int64_t d : retained) permutation.push_back(std::ranges::find(order, d) - order.begin());
  out.add(0, transpose(sum, permutation));
}

BatchResult broadcast_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  std::vector<int64_t> dimensions = shifted(attributes_of<hlo::BroadcastAttributes>(operation).dimensions);
  dimensions.insert(dimensions.begin(), 0);
  const Shape shape =
      operation.declared->with_dimensions(with_front(operation.declared->dimensions(), context.axis_size));
  return {{broadcast_in_dim(move_axis(operation.operands[0], *dims[0], 0), shape, dimensions)}, {0}};
}

// ---- reshape --------------------------------------------------------------------------------------------------------

void reshape_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  out.add(0, reshape(cts[0].value(), operation.operands[0].shape()));
}

BatchResult reshape_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  const Array x = move_axis(operation.operands[0], *dims[0], 0);
  return {{reshape(x, with_front(operation.declared->dimensions(), context.axis_size))}, {0}};
}

// ---- transpose ------------------------------------------------------------------------------------------------------

void transpose_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const std::vector<int64_t>& permutation = attributes_of<hlo::TransposeAttributes>(operation).permutation;
  std::vector<int64_t> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) inverse[permutation[i]] = i;
  out.add(0, transpose(cts[0].value(), inverse));
}

BatchResult transpose_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext&) {
  // The batch axis stays in place in the operand; the result has it in front.
  std::vector<int64_t> permutation = {*dims[0]};
  for (int64_t p : attributes_of<hlo::TransposeAttributes>(operation).permutation)
    permutation.push_back(p < *dims[0] ? p : p + 1);
  return {{transpose(operation.operands[0], permutation)}, {0}};
}

// ---- reverse --------------------------------------------------------------------------------------------------------

void reverse_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  out.add(0, reverse(cts[0].value(), attributes_of<hlo::ReverseAttributes>(operation).dimensions));
}

BatchResult reverse_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext&) {
  std::vector<int64_t> dimensions = attributes_of<hlo::ReverseAttributes>(operation).dimensions;
  for (int64_t& d : dimensions) d += d >= *dims[0] ? 1 : 0;
  return {{reverse(operation.operands[0], dimensions)}, {*dims[0]}};
}

BatchResult bitcast_convert_batch(const Operation& operation, std::span<const BatchDim> dims,
                                  const BatchContext& context) {
  const Array x = move_axis(operation.operands[0], *dims[0], 0);
  Operation batched = operation;
  batched.operands = {x};
  batched.declared =
      operation.declared->with_dimensions(with_front(operation.declared->dimensions(), context.axis_size));
  return {bind(batched), {0}};
}

}  // namespace

const Rules bitcast_convert_rules = {Nonlinear{}, Nonlinear{}, bitcast_convert_batch};
const Rules broadcast_rules = {linear_jvp, broadcast_transpose, broadcast_batch};
const Rules constant_rules = {Unreachable{}, Unreachable{}, Unreachable{}};
const Rules iota_rules = {Unreachable{}, Unreachable{}, Unreachable{}};
const Rules reshape_rules = {linear_jvp, reshape_transpose, reshape_batch};
const Rules reverse_rules = {linear_jvp, reverse_transpose, reverse_batch};
const Rules transpose_rules = {linear_jvp, transpose_transpose, transpose_batch};

}  // namespace hilo::rules
