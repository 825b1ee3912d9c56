// SPDX-License-Identifier: Apache-2.0
// rules/loaded_collective.cc -- rules of collectives in loaded programs. A batch axis is in front and doesn't take part
// in the communication.
#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/rules/families.h"
#include "hilo/rules/linear.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"

namespace hilo::rules {
namespace {

using hlo::Opcode;

/// Binds the collective on one operand. `shape` is the result's, if it doesn't follow from the groups.
Array one(Opcode opcode, const Array& x, hlo::AttributesPtr attributes, const Shape& result) {
  return bind({opcode, {x}, std::move(attributes), result})[0];
}

template <typename T>
std::shared_ptr<T> copy_of(const Operation& operation) {
  return std::make_shared<T>(attributes_of<T>(operation));
}

/// Whether the op is linear, which depends on its reducer, if it has one.
bool is_linear(const Operation& operation) {
  if (operation.opcode == Opcode::kAllReduce)
    return attributes_of<hlo::AllReduceAttributes>(operation).to_apply->reducer_kind() == hlo::ReducerKind::kAdd;
  if (operation.opcode == Opcode::kReduceScatter)
    return attributes_of<hlo::ReduceScatterAttributes>(operation).to_apply->reducer_kind() == hlo::ReducerKind::kAdd;
  return true;
}

JvpResult collective_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  if (!is_linear(operation)) {
    or_throw(unimplemented("jvp of " + std::string(hlo::opcode_name(operation.opcode)) + " (" +
                           UserLocation::describe() + "): only sums have a derivative"));
  }
  return linear_jvp(operation, tangents);
}

/// Maps each cotangent by `pull`, which receives the operand's shape.
void transpose_each(const Operation& operation, std::span<const Tangent> cts, Cotangents& out,
                    const std::function<Array(const Array& ct, const Shape& operand)>& pull) {
  for (size_t i = 0; i < operation.operands.size(); ++i) {
    if (out.wants(i) && !cts[i].is_zero())
      out.add(i, pull(cts[i].value(), operation.operands[i].aval_shape().with_default_layout()));
  }
}

void all_reduce_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  transpose_each(operation, cts, out, [&](const Array& ct, const Shape& shape) {
    return one(Opcode::kAllReduce, ct, operation.attributes, shape);
  });
}

void loaded_all_gather_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const auto& gather = attributes_of<hlo::AllGatherAttributes>(operation);
  transpose_each(operation, cts, out, [&](const Array& ct, const Shape& shape) {
    auto scatter = std::make_shared<hlo::ReduceScatterAttributes>();
    static_cast<hlo::CollectiveAttributes&>(*scatter) = gather;
    scatter->dimensions = gather.dimensions;
    scatter->to_apply = or_throw(hlo::scalar_binary_computation(Opcode::kAdd, ct.dtype()));
    return one(Opcode::kReduceScatter, ct, std::move(scatter), shape);
  });
}

void reduce_scatter_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const auto& scatter = attributes_of<hlo::ReduceScatterAttributes>(operation);
  transpose_each(operation, cts, out, [&](const Array& ct, const Shape& shape) {
    auto gather = std::make_shared<hlo::AllGatherAttributes>();
    static_cast<hlo::CollectiveAttributes&>(*gather) = scatter;
    gather->dimensions = scatter.dimensions;
    return one(Opcode::kAllGather, ct, std::move(gather), shape);
  });
}

/// The transpose is the same exchange, because each slice is returned to its sender.
void loaded_all_to_all_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  Operation back = operation;
  for (size_t i = 0; i < cts.size(); ++i)
    back.operands[i] = materialize(cts[i], {operation.operands[i].aval_shape(), false});
  const std::vector<Array> pulled = bind(back);
  for (size_t i = 0; i < pulled.size(); ++i) {
    if (out.wants(i)) out.add(i, pulled[i]);
  }
}

void collective_permute_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  auto inverse = copy_of<hlo::CollectivePermuteAttributes>(operation);
  for (auto& [source, target] : inverse->source_target_pairs) std::swap(source, target);
  transpose_each(operation, cts, out, [&](const Array& ct, const Shape& shape) {
    return one(Opcode::kCollectivePermute, ct, inverse, shape);
  });
}

/// Returns `x` on these replicas, zeros on others.
Array on_replicas(const Array& x, const hlo::Int64List& replicas) {
  const Array id = bind_one(Opcode::kReplicaId, {}, nullptr);
  Array here = ops::full(Shape::scalar(ElementType::kPred), 0);
  for (int64_t r : replicas) {
    const Array is_it = ops::eq(id, ops::full_like(id, static_cast<double>(r)));
    here = ops::select(is_it, ops::full_like(here, 1), here);
  }
  const Array everywhere = ops::broadcast_in_dim(here, x.aval_shape().with_element_type(ElementType::kPred), {});
  return ops::select(everywhere, x, ops::full_like(x, 0));
}

/// The first member of each group gets the sum of its group. All replicas take part for each group, because a group may
/// lack some.
void collective_broadcast_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const auto& broadcast = attributes_of<hlo::CollectiveAttributes>(operation);
  transpose_each(operation, cts, out, [&](const Array& ct, const Shape& shape) {
    if (broadcast.channel_id > 0)  // ids count partitions; each keeps its value, or returns zeros
      return one(Opcode::kCollectiveBroadcast, ct, operation.attributes, shape);
    auto sum = std::make_shared<hlo::AllReduceAttributes>();
    sum->to_apply = or_throw(hlo::scalar_binary_computation(Opcode::kAdd, ct.dtype()));
    if (broadcast.replica_groups.empty()) return on_replicas(one(Opcode::kAllReduce, ct, sum, shape), {0});
    Array total = ops::full_like(ct, 0);
    for (const hlo::Int64List& group : broadcast.replica_groups) {
      if (group.empty()) continue;
      const Array of_group = one(Opcode::kAllReduce, on_replicas(ct, group), sum, shape);
      total = ops::add(total, on_replicas(of_group, {group[0]}));
    }
    return total;
  });
}

/// Binds the op on operands with the batch axis in front and adjusted dimensions.
BatchResult bind_batched(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context,
                         hlo::AttributesPtr attributes) {
  Operation batched = operation;
  batched.attributes = std::move(attributes);
  for (size_t i = 0; i < dims.size(); ++i)
    batched.operands[i] = batch_axis_at(operation.operands[i], dims[i], 0, context.axis_size);
  if (operation.declared) {
    batched.declared = operation.declared->map_leaves([&](const Shape& leaf) {
      std::vector<int64_t> sizes = {context.axis_size};
      sizes.insert(sizes.end(), leaf.dimensions().begin(), leaf.dimensions().end());
      return leaf.with_dimensions(sizes);
    });
  }
  std::vector<Array> results = bind(batched);
  const size_t count = results.size();
  return {std::move(results), std::vector<BatchDim>(count, 0)};
}

BatchResult plain_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  return bind_batched(operation, dims, context, operation.attributes);
}

template <typename T>
BatchResult shifted_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  auto shifted = copy_of<T>(operation);
  for (int64_t& d : shifted->dimensions) ++d;
  return bind_batched(operation, dims, context, std::move(shifted));
}

}  // namespace

const Rules all_reduce_rules = {collective_jvp, all_reduce_transpose, plain_batch};
const Rules reduce_scatter_rules = {collective_jvp, reduce_scatter_transpose,
                                    shifted_batch<hlo::ReduceScatterAttributes>};
const Rules loaded_all_gather_rules = {collective_jvp, loaded_all_gather_transpose,
                                       shifted_batch<hlo::AllGatherAttributes>};
const Rules loaded_all_to_all_rules = {collective_jvp, loaded_all_to_all_transpose,
                                       shifted_batch<hlo::AllToAllAttributes>};
const Rules collective_permute_rules = {collective_jvp, collective_permute_transpose, plain_batch};
const Rules collective_broadcast_rules = {collective_jvp, collective_broadcast_transpose, plain_batch};

}  // namespace hilo::rules
