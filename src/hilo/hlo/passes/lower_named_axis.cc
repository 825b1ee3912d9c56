// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/ext/named_axis.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/simplify/rules.h"
#include "hilo/hlo/rewrite/rewrite_where.h"

namespace hilo::hlo {
namespace {

/// Returns one group of all replicas.
Int64Lists all_replicas(int64_t replicas) {
  Int64Lists groups(1, Int64List(replicas));
  std::iota(groups[0].begin(), groups[0].end(), int64_t{0});
  return groups;
}

StatusOr<InstructionId> reduction(RewriteBuilder& b, Opcode reducer, InstructionId x, int64_t replicas) {
  auto attributes = std::make_shared<AllReduceAttributes>();
  attributes->replica_groups = all_replicas(replicas);
  HILO_ASSIGN_OR_RETURN(attributes->to_apply, scalar_binary_computation(reducer, b.shape(x).element_type()));
  return b.add(Opcode::kAllReduce, {x}, std::move(attributes));
}

InstructionId gathered(RewriteBuilder& b, InstructionId x, int64_t dimension, int64_t replicas) {
  const Shape& shape = b.shape(x);
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes.insert(sizes.begin() + dimension, 1);
  const InstructionId part = b.add(Opcode::kReshape, {x}, nullptr, Shape::array(shape.element_type(), sizes));
  auto attributes = std::make_shared<AllGatherAttributes>();
  attributes->replica_groups = all_replicas(replicas);
  attributes->dimensions = {dimension};
  return b.add(Opcode::kAllGather, {part}, std::move(attributes));
}

InstructionId without_dimension(RewriteBuilder& b, InstructionId x, int64_t dimension) {
  const Shape& shape = b.shape(x);
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes.erase(sizes.begin() + dimension);
  return b.add(Opcode::kReshape, {x}, nullptr, Shape::array(shape.element_type(), sizes));
}

StatusOr<InstructionId> scattered(RewriteBuilder& b, InstructionId x, int64_t dimension, int64_t replicas) {
  auto attributes = std::make_shared<ReduceScatterAttributes>();
  attributes->replica_groups = all_replicas(replicas);
  attributes->dimensions = {dimension};
  HILO_ASSIGN_OR_RETURN(attributes->to_apply, scalar_binary_computation(Opcode::kAdd, b.shape(x).element_type()));
  return without_dimension(b, b.add(Opcode::kReduceScatter, {x}, std::move(attributes)), dimension);
}

/// Exchanges slices between replicas along one dimension, then moves that dimension to another position.
InstructionId exchanged(RewriteBuilder& b, InstructionId x, const NamedAllToAllAttributes& a, int64_t replicas) {
  auto attributes = std::make_shared<AllToAllAttributes>();
  attributes->replica_groups = all_replicas(replicas);
  attributes->dimensions = {a.split};
  const InstructionId result = b.add(Opcode::kAllToAll, {x}, std::move(attributes));
  if (a.split == a.concat) return result;
  auto turned = std::make_shared<TransposeAttributes>();
  for (int64_t d = 0; d < b.shape(x).rank(); ++d) {
    if (d != a.split) turned->permutation.push_back(d);
  }
  turned->permutation.insert(turned->permutation.begin() + a.concat, a.split);
  return b.add(Opcode::kTranspose, {result}, std::move(turned));
}

StatusOr<InstructionId> lowered(RewriteBuilder& b, const Instruction& i, int64_t replicas) {
  const std::vector<InstructionId> operands = b.mapped(i.operands);
  if (i.opcode == kExtPsum) return reduction(b, Opcode::kAdd, operands[0], replicas);
  if (i.opcode == kExtPmax) return reduction(b, Opcode::kMaximum, operands[0], replicas);
  if (i.opcode == kExtPmin) return reduction(b, Opcode::kMinimum, operands[0], replicas);
  if (i.opcode == kExtAllGather)
    return gathered(b, operands[0], attributes_of<NamedAllGatherAttributes>(i).dimension, replicas);
  if (i.opcode == kExtPsumScatter)
    return scattered(b, operands[0], attributes_of<PsumScatterAttributes>(i).dimension, replicas);
  if (i.opcode == kExtAllToAll) return exchanged(b, operands[0], attributes_of<NamedAllToAllAttributes>(i), replicas);
  if (i.opcode == kExtAxisIndex) return b.add(Opcode::kConvert, {b.add(Opcode::kReplicaId, {})}, nullptr, i.shape);
  if (i.opcode == kExtPpermute) {
    auto attributes = std::make_shared<CollectivePermuteAttributes>();
    attributes->source_target_pairs = attributes_of<PpermuteAttributes>(i).permutation;
    return b.add(Opcode::kCollectivePermute, operands, std::move(attributes));
  }
  return internal_error(describe(i) + " is not an op over a named axis");
}

bool is_over(const Instruction& i, std::string_view axis_name) {
  const NamedAxisAttributes* axis = named_axis_of(i.opcode, i.attributes.get());
  return axis != nullptr && axis->axis_name == axis_name;
}

StatusOr<ComputationPtr> lower_in(const ComputationPtr& source, std::string_view axis_name, int64_t replicas) {
  return rewrite_where(
      source, {.share = false, .rule = forward_tuples}, [&](const Instruction& i) { return is_over(i, axis_name); },
      [&](RewriteBuilder& b, const Instruction& i) { return lowered(b, i, replicas); });
}

}  // namespace

StatusOr<bool> lower_named_axis(Module& module, std::string_view axis_name, int64_t replicas) {
  return rewrite_computations(module, [&](const ComputationPtr& c) { return lower_in(c, axis_name, replicas); });
}

}  // namespace hilo::hlo
