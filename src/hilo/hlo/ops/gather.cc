// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/gather.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/stop.h"
#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/indexed_access.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kGatherFields[] = {
    field<&GatherAttributes::offset_dims>("offset_dims", FieldShow::kAlways),
    field<&GatherAttributes::collapsed_slice_dims>("collapsed_slice_dims", FieldShow::kAlways),
    field<&GatherAttributes::start_index_map>("start_index_map", FieldShow::kAlways),
    field<&GatherAttributes::operand_batching_dims>("operand_batching_dims", FieldShow::kUnlessDefault),
    field<&GatherAttributes::start_indices_batching_dims>("start_indices_batching_dims", FieldShow::kUnlessDefault),
    field<&GatherAttributes::index_vector_dim>("index_vector_dim", FieldShow::kAlways),
    field<&GatherAttributes::slice_sizes>("slice_sizes", FieldShow::kAlways),
    field<&GatherAttributes::indices_are_sorted>("indices_are_sorted", FieldShow::kUnlessDefault),
    field<&GatherAttributes::index_mode>("hilo.index_mode", FieldShow::kUnlessDefault, kIndexModeNames),
};

constexpr IndexedAccessNames kGatherNames = {"offset_dims", "collapsed_slice_dims", "start_index_map",
                                             "operand_batching_dims", "start_indices_batching_dims"};

Status check_slice_sizes(const GatherAttributes& a, const Shape& array) {
  // gather_c20
  if (std::ssize(a.slice_sizes) != array.rank()) {
    return invalid_argument(fmt::format("slice_sizes: got {}, wanted one size per dimension of {}",
                                        list_to_string(a.slice_sizes), array.to_string()));
  }
  for (int64_t d = 0; d < array.rank(); ++d) {
    const int64_t size = a.slice_sizes[d];
    if (size < 0 || size > array.dimension(d)) {  // gather_c21
      return invalid_argument(
          fmt::format("slice_sizes: {} at dimension {} is out of range; got {}, wanted 0 to {} for {}", size, d,
                      list_to_string(a.slice_sizes), array.dimension(d), array.to_string()));
    }
    const bool removed = contains(a.collapsed_slice_dims, d) || contains(a.operand_batching_dims, d);
    if (removed && size > 1) {  // gather_c9, gather_c12
      return invalid_argument(
          fmt::format("slice_sizes: {} at dimension {}, which is collapsed or batching; wanted at most 1, got {}", size,
                      d, list_to_string(a.slice_sizes)));
    }
  }
  return ok_status();
}

StatusOr<Shape> infer_gather(const ShapeRuleInput& input) {
  const auto& a = attributes_of<GatherAttributes>(input);
  const Shape &array = input.operands[0], &indices = input.operands[1];
  const IndexedAccess access = access_of(a);
  HILO_RETURN_IF_ERROR(check_indexed_access(access, kGatherNames, array, indices));
  HILO_RETURN_IF_ERROR(check_slice_sizes(a, array));
  // gather_c22, gather_c23
  const std::vector<int64_t> batch_sizes = batch_sizes_of(access, indices);
  const std::vector<int64_t> window = other_dimensions(array.rank(), a.collapsed_slice_dims, a.operand_batching_dims);
  const size_t rank = batch_sizes.size() + window.size();
  std::vector<int64_t> sizes(rank, 0);
  if (rank > Shape::kMaxRank) return Shape::make_array(array.element_type(), sizes);
  const Shape ranked = Shape::array(ElementType::kPred, sizes);
  for (int64_t d : a.offset_dims) {  // gather_c5
    if (d >= 0 && d < ranked.rank()) continue;
    return invalid_argument(fmt::format("offset_dims: {} is out of range; got {}, and the result has rank {}", d,
                                        list_to_string(a.offset_dims), rank));
  }
  HILO_RETURN_IF_ERROR(check_unique_dimensions("offset_dims", a.offset_dims, ranked));  // gather_c4
  HILO_RETURN_IF_ERROR(check_sorted("offset_dims", a.offset_dims));
  for (size_t i = 0; i < window.size(); ++i) {
    sizes[a.offset_dims[i]] = a.slice_sizes[window[i]];
  }
  const std::vector<int64_t> batch_dims = other_dimensions(ranked.rank(), a.offset_dims);
  for (size_t i = 0; i < batch_dims.size(); ++i) sizes[batch_dims[i]] = batch_sizes[i];
  return Shape::make_array(array.element_type(), sizes);
}

StatusOr<Literal> evaluate_gather(const EvaluateInput& input) {
  const auto& a = attributes_of<GatherAttributes>(input.instruction);
  const Literal& array = *input.operands[0];
  HILO_ASSIGN_OR_RETURN(Literal result, Literal::make(literal_shape(input.instruction.shape)));
  // a collapsed slice of size 0 has nothing to read: the result is zeros
  if (result.shape().element_count() == 0 || array.shape().element_count() == 0) return result;
  const WindowElements sources(access_of(a), array.shape(), *input.operands[1], result.shape());
  const size_t bytes = element_size_bytes(array.shape().element_type());
  const std::byte* from = array.bytes().data();
  std::byte* to = result.mutable_bytes().data();
  std::vector<int64_t> index(result.shape().rank(), 0);
  const StopFlag stop;
  do {
    std::memcpy(to, from + static_cast<size_t>(sources.clamped(index)) * bytes, bytes);
    to += bytes;
  } while (!stop.raised() && next_index(result.shape().dimensions(), index));
  return result;
}

void gather_rule(RuleBuilder& builder) {
  const auto& gather = attributes_of<GatherAttributes>(builder.instruction);
  const Shape array = builder.operands[0], indices = builder.operands[1], result = builder.results[0];
  const Int64List batch = others(result.rank(), gather.offset_dims);
  const Int64List looked_up = others(indices.rank(), {gather.index_vector_dim});
  for (size_t i = 0; i < std::min(batch.size(), looked_up.size()); ++i) {
    const int factor = builder.factor(result.dimension(batch[i]));
    builder.operand(1, looked_up[i], factor);
    builder.result(0, batch[i], factor);
    const std::optional<size_t> place = place_in(gather.start_indices_batching_dims, looked_up[i]);
    if (place) builder.operand(0, gather.operand_batching_dims[*place], factor);
  }
  const Int64List windows = others(array.rank(), gather.collapsed_slice_dims, gather.operand_batching_dims);
  for (size_t i = 0; i < windows.size(); ++i) {
    const int64_t from = windows[i], to = gather.offset_dims[i];
    const int64_t size = array.dimension(from), slice_size = gather.slice_sizes[from];
    if (slice_size == size) {
      builder.pair(0, from, 0, to);
    } else if (slice_size == 1) {
      builder.operand(0, from, builder.factor(size, FactorKind::kReduction));
      builder.result(0, to, builder.factor(1));
    } else {
      builder.operand(0, from, builder.factor(size, FactorKind::kReplicate, true));
      builder.result(0, to, builder.factor(slice_size, FactorKind::kReplicate, true));
    }
  }
  for (const int64_t d : gather.collapsed_slice_dims)
    builder.operand(0, d, builder.factor(array.dimension(d), FactorKind::kReduction));
  if (gather.index_vector_dim < indices.rank())
    builder.operand(1, gather.index_vector_dim,
                    builder.factor(indices.dimension(gather.index_vector_dim), FactorKind::kReplicate));
}

/// If the rows of a table are sharded, each device contributes the rows that it has.
void gather_on_parts(LocalBuilder& builder) {
  passing_factors(builder);
  const auto& a = attributes_of<GatherAttributes>(builder.instruction);
  if (!joining_kind(builder.instruction.shape.element_type()) || builder.operand(1).element_type() == ElementType::kU64)
    return;
  for (const int64_t d : a.start_index_map) {
    if (a.slice_sizes[d] != 1 || !fits_s32(builder.operand(0).dimension(d))) continue;
    const size_t f = builder.factor(builder.op.rule.operands[0], d);
    if (builder.op.rule.factors[f].kind == FactorKind::kReduction) builder.op.strategies[f] = LocalStrategy::kPartial;
  }
}

}  // namespace

IndexedAccess access_of(const GatherAttributes& a) {
  return {a.offset_dims,           a.collapsed_slice_dims,        a.start_index_map,
          a.operand_batching_dims, a.start_indices_batching_dims, a.index_vector_dim};
}

HILO_DEFINE_OP(gather_op, {.opcode = Opcode::kGather,
                           .name = "gather",
                           .arity = 2,
                           .operand_types = kAnyArray,
                           .traits = kMovesData,
                           .cost = CostClass::kCheap,
                           .sharding = {gather_rule, gather_on_parts},
                           .infer_shape = infer_gather,
                           .attributes = attributes_def<GatherAttributes>(kGatherFields),
                           .evaluate = evaluate_gather,
                           .spec = "gather"})

}  // namespace hilo::hlo
