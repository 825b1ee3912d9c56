// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/buckets/padded_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/convolution.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/ext/cumulative.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/scatter.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/partition/local_op.h"

namespace hilo::hlo {

Expr PaddedOp::number(int64_t in_small, int64_t in_large) const {
  if (in_small != in_large) return sizes[pattern.size_of(in_small, in_large)];
  return full(sink, Shape::scalar(ElementType::kS32), static_cast<double>(in_large));
}

Status PaddedOp::refusal(int64_t dimension) const {
  return unimplemented(
      fmt::format("{}: no rule pads dimension {}, which depends on the size", describe(large), dimension));
}

Expr before(Sink& sink, std::span<const int64_t> dimensions, int64_t d, Expr extent) {
  const Shape indices = *Shape::make_array(ElementType::kS32, dimensions);
  return iota(sink, indices, d) < broadcast(extent, dimensions, {});
}

Expr PaddedOp::masked(size_t k, std::span<const int64_t> dimensions, Expr fill) const {
  const std::span<const int64_t> extents = large_operand(k).dimensions();
  Expr result = operands[k];
  for (const int64_t d : dimensions) {
    if (varies(k, d)) result = select(before(sink, extents, d, extent(k, d)), result, broadcast(fill, extents, {}));
  }
  return result;
}

Expr PaddedOp::masked(size_t k, std::span<const int64_t> dimensions, const Literal& fill) const {
  return masked(k, dimensions, sink.constant(fill));
}

namespace {

bool differ(const Shape& small, const Shape& large) {
  return small.is_array() && !std::ranges::equal(small.dimensions(), large.dimensions());
}

bool any_differs(const PaddedOp& op) {
  std::vector<Shape> small, large;
  for (size_t k = 0; k < op.operands.size(); ++k) {
    append_leaves(op.small_operand(k), small);
    append_leaves(op.large_operand(k), large);
  }
  append_leaves(op.small.shape, small);
  append_leaves(op.large.shape, large);
  for (size_t k = 0; k < small.size(); ++k) {
    if (differ(small[k], large[k])) return true;
  }
  return false;
}

/// Returns a dimension that differs in an array whose factors of that dimension aren't one that devices could share, or
/// nothing. Elements of the result then depend on those of the operands with the same index.
std::optional<int64_t> not_passed(const ArrayFactors& factors, const Shape& small, const Shape& large,
                                  const LocalOp& local, const LocalOp& of_small) {
  for (int64_t d = 0; large.is_array() && d < large.rank(); ++d) {
    if (small.dimension(d) == large.dimension(d)) continue;
    const std::vector<int>& own = factors[static_cast<size_t>(d)];
    if (own.empty() || local.strategies[own[0]] != LocalStrategy::kPart) return d;
    for (size_t k = 1; k < own.size(); ++k) {  // the minor factors are the same, so elements are in the same order
      if (local.rule.factors[own[k]].size != of_small.rule.factors[own[k]].size) return d;
    }
  }
  return std::nullopt;
}

/// Along the dimensions that differ, elements of the result depend on the operands' elements of the same index.
StatusOr<Expr> passed(const PaddedOp& op) {
  const LocalOp local = local_op(op.large, op.large_owner), of_small = local_op(op.small, op.small_owner);
  if (local.rule.factors.size() != of_small.rule.factors.size() || local.rule.operands != of_small.rule.operands ||
      local.rule.results != of_small.rule.results)
    return op.refusal(0);
  const RuleBuilder small(op.small, op.small_owner), large(op.large, op.large_owner);
  for (size_t k = 0; k < large.operands.size(); ++k) {
    if (const auto d = not_passed(local.rule.operands[k], small.operands[k], large.operands[k], local, of_small))
      return op.refusal(*d);
  }
  for (size_t k = 0; k < large.results.size(); ++k) {
    if (const auto d = not_passed(local.rule.results[k], small.results[k], large.results[k], local, of_small))
      return op.refusal(*d);
  }
  return op.as_large(op.operands);
}

/// The kind of reduction whose neutral value an array of a reduction gets; the array of indices of argmax gets none.
std::optional<ReducerKind> masking_kind(ReducerKind kind, size_t array) {
  if (kind == ReducerKind::kArgMax) return array == 0 ? std::optional(ReducerKind::kMaximum) : std::nullopt;
  if (kind == ReducerKind::kArgMin) return array == 0 ? std::optional(ReducerKind::kMinimum) : std::nullopt;
  return kind;
}

/// Padding gets the neutral value, so that no result depends on it.
StatusOr<Expr> padded_reduce(const PaddedOp& op) {
  const auto& a = attributes_of<ReduceAttributes>(op.large);
  Exprs operands = op.operands;
  for (size_t k = 0; k < operands.size() / 2; ++k) {
    const auto at = std::ranges::find_if(a.dimensions, [&](int64_t d) { return op.varies(k, d); });
    if (at == a.dimensions.end()) continue;
    const ReducerKind kind = a.to_apply->reducer_kind();
    const std::optional<ReducerKind> masking = masking_kind(kind, k);
    if (!masking) continue;
    const std::optional<Literal> neutral = neutral_value(*masking, op.large_operand(k).element_type());
    if (!neutral) return op.refusal(*at);
    operands[k] = op.masked(k, a.dimensions, *neutral);
  }
  return op.as_large(operands);
}

StatusOr<Expr> padded_dot(const PaddedOp& op) {
  const auto& a = attributes_of<DotAttributes>(op.large);
  const auto zero = [&](size_t k) { return *Literal::make(Shape::scalar(op.large_operand(k).element_type())); };
  return op.as_large(
      {op.masked(0, a.lhs_contracting_dimensions, zero(0)), op.masked(1, a.rhs_contracting_dimensions, zero(1))});
}

/// Sums of the elements before an index don't read padding; those of the elements behind it do.
StatusOr<Expr> padded_cumulative(const PaddedOp& op) {
  const auto& a = attributes_of<CumulativeAttributes>(op.large);
  if (!a.reverse || !op.varies(0, a.axis)) return op.as_large(op.operands);
  const std::optional<Literal> neutral =
      neutral_value(*cumulative_kind(op.large.opcode), op.large_operand(0).element_type());
  if (!neutral) return op.refusal(a.axis);
  const int64_t axis[] = {a.axis};
  return op.as_large({op.masked(0, axis, *neutral)});
}

/// Windows read the same positions; those in the padding have the value of positions outside of the array.
StatusOr<Expr> padded_windows(const PaddedOp& op) {
  const auto& a = attributes_of<ReduceWindowAttributes>(op.large);
  Exprs operands = op.operands;
  const size_t arrays = operands.size() / 2;
  std::vector<int64_t> dimensions(a.window.size());
  std::iota(dimensions.begin(), dimensions.end(), 0);
  for (size_t k = 0; k < arrays; ++k) operands[k] = op.masked(k, dimensions, operands[arrays + k]);
  return op.as_large(operands);
}

StatusOr<Expr> padded_convolution(const PaddedOp& op) {
  const auto& a = attributes_of<ConvolutionAttributes>(op.large);
  if (differ(op.small_operand(1), op.large_operand(1))) return op.refusal(0);
  if (op.varies(0, a.dimensions.input_feature)) return op.refusal(a.dimensions.input_feature);
  if (a.batch_group_count != 1 && op.varies(0, a.dimensions.input_batch)) return op.refusal(a.dimensions.input_batch);
  const Literal zero = *Literal::make(Shape::scalar(op.large_operand(0).element_type()));
  return op.as_large({op.masked(0, a.dimensions.input_spatial, zero), op.operands[1]});
}

/// Returns the range of `sizes` that begins at `starts`, s32 scalars, and is within the array.
Expr dynamic_slice(Expr x, const Exprs& starts, std::span<const int64_t> sizes) {
  Exprs operands = {x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return x.sink->add_with<DynamicSliceAttributes>(
      Opcode::kDynamicSlice, operands, [&](DynamicSliceAttributes& a) { a.sizes.assign(sizes.begin(), sizes.end()); });
}

Exprs zeros(Sink& sink, int64_t count) {
  return Exprs(static_cast<size_t>(count), full(sink, Shape::scalar(ElementType::kS32), 0));
}

/// Ranges whose start is the same are sliced as in the larger trace; then those with another start.
StatusOr<Expr> padded_slice(const PaddedOp& op) {
  const auto& small = attributes_of<SliceAttributes>(op.small).ranges;
  const auto& large = attributes_of<SliceAttributes>(op.large).ranges;
  auto fixed = std::make_shared<SliceAttributes>(attributes_of<SliceAttributes>(op.large));
  Exprs starts = zeros(op.sink, std::ssize(large));
  bool moves = false;
  for (size_t d = 0; d < large.size(); ++d) {
    if (small[d].start == large[d].start) continue;
    if (large[d].stride != 1) return op.refusal(static_cast<int64_t>(d));
    fixed->ranges[d] = {0, op.large_operand(0).dimension(static_cast<int64_t>(d)), 1};
    starts[d] = op.number(small[d].start, large[d].start);
    moves = true;
  }
  if (!moves) return op.as_large(op.operands);
  const Expr part = op.sink.add(Opcode::kSlice, op.operands, fixed);
  return dynamic_slice(part, starts, op.large.shape.dimensions());
}

StatusOr<Expr> padded_pad(const PaddedOp& op) {
  const auto& padding = attributes_of<PadAttributes>(op.large).padding;
  std::vector<int64_t> dimensions(padding.size());
  std::iota(dimensions.begin(), dimensions.end(), 0);
  return op.as_large({op.masked(0, dimensions, op.operands[1]), op.operands[1]});
}

/// Each operand overwrites the padding of those before it.
StatusOr<Expr> padded_concatenate(const PaddedOp& op) {
  const int64_t dimension = attributes_of<ConcatenateAttributes>(op.large).dimension;
  bool moves = false;
  for (size_t k = 0; k + 1 < op.operands.size(); ++k) moves |= op.varies(k, dimension);
  if (!moves) return op.as_large(op.operands);
  Expr result = full(op.sink, op.large.shape, *Literal::make(Shape::scalar(op.large.shape.element_type())));
  Exprs starts = zeros(op.sink, op.large.shape.rank());
  for (size_t k = 0; k < op.operands.size(); ++k) {
    Exprs operands = {result, op.operands[k]};
    operands.insert(operands.end(), starts.begin(), starts.end());
    result = op.sink.add(Opcode::kDynamicUpdateSlice, operands);
    Expr& start = starts[static_cast<size_t>(dimension)];
    start = start + op.extent(k, dimension);
  }
  return result;
}

/// The reversed array begins with the padding, which is sliced off.
StatusOr<Expr> padded_reverse(const PaddedOp& op) {
  const auto& a = attributes_of<ReverseAttributes>(op.large);
  Expr result = op.as_large(op.operands);
  for (const int64_t d : a.dimensions) {
    if (!op.varies(0, d)) continue;
    Exprs starts = zeros(op.sink, op.large.shape.rank());
    starts[static_cast<size_t>(d)] =
        full(op.sink, Shape::scalar(ElementType::kS32), static_cast<double>(op.large.shape.dimension(d))) -
        op.extent(0, d);
    result = dynamic_slice(concatenate({result, result}, d), starts, op.large.shape.dimensions());
  }
  return result;
}

/// Returns the largest start of a range of an operand's dimension, as an s32 scalar. Returns nothing if the range
/// differs and isn't the whole dimension.
std::optional<Expr> last_start(const PaddedOp& op, int64_t d, int64_t small_range, int64_t large_range) {
  const int64_t small = op.small_operand(0).dimension(d), large = op.large_operand(0).dimension(d);
  if (small == small_range && large == large_range) return full(op.sink, Shape::scalar(ElementType::kS32), 0);
  if (small_range != large_range) return std::nullopt;
  return op.number(small, large) - full(op.sink, Shape::scalar(ElementType::kS32), static_cast<double>(large_range));
}

/// Moves starts, which follow the first `arrays` operands, into the bounds of the unpadded array.
StatusOr<Exprs> bounded_starts(const PaddedOp& op, size_t arrays, std::span<const int64_t> small_sizes,
                               std::span<const int64_t> large_sizes) {
  Exprs operands = op.operands;
  for (size_t d = 0; d < large_sizes.size(); ++d) {
    if (!op.varies(0, static_cast<int64_t>(d)) && small_sizes[d] == large_sizes[d]) continue;
    const std::optional<Expr> last = last_start(op, static_cast<int64_t>(d), small_sizes[d], large_sizes[d]);
    if (!last) return op.refusal(static_cast<int64_t>(d));
    Expr& start = operands[arrays + d];
    start = clamp(full_like(start, 0), start, convert(*last, start.type()));
  }
  return operands;
}

StatusOr<Expr> padded_dynamic_slice(const PaddedOp& op) {
  HILO_ASSIGN_OR_RETURN(const Exprs operands,
                        bounded_starts(op, 1, op.small.shape.dimensions(), op.large.shape.dimensions()));
  return op.as_large(operands);
}

StatusOr<Expr> padded_update(const PaddedOp& op) {
  HILO_ASSIGN_OR_RETURN(const Exprs operands,
                        bounded_starts(op, 2, op.small_operand(1).dimensions(), op.large_operand(1).dimensions()));
  return op.as_large(operands);
}

/// Indices are moved into the bounds of the unpadded array.
StatusOr<Expr> padded_gather(const PaddedOp& op) {
  const auto& small = attributes_of<GatherAttributes>(op.small);
  const auto& a = attributes_of<GatherAttributes>(op.large);
  const auto is_batching = [&](int64_t d) {
    return std::ranges::find(a.operand_batching_dims, d) != a.operand_batching_dims.end();
  };
  bool moves = false;
  for (int64_t d = 0; d < op.large_operand(0).rank(); ++d) {
    const auto k = static_cast<size_t>(d);
    if (!op.varies(0, d) && small.slice_sizes[k] == a.slice_sizes[k]) continue;
    if (is_batching(d)) continue;
    const bool whole = small.slice_sizes[k] == op.small_operand(0).dimension(d) &&
                       a.slice_sizes[k] == op.large_operand(0).dimension(d);
    if (!whole && small.slice_sizes[k] != a.slice_sizes[k]) return op.refusal(d);
    moves |= !whole;
  }
  if (!moves) return op.as_large(op.operands);
  const Shape& indices = op.large_operand(1);
  Exprs bounds;
  for (const int64_t d : a.start_index_map) {
    const auto k = static_cast<size_t>(d);
    bounds.push_back(reshape(*last_start(op, d, small.slice_sizes[k], a.slice_sizes[k]), std::vector<int64_t>{1}));
  }
  const Expr list = convert(concatenate(bounds, 0), indices.element_type());
  const Expr last = a.index_vector_dim == indices.rank() ? broadcast(reshape(list, {}), indices.dimensions(), {})
                                                         : broadcast(list, indices.dimensions(), {a.index_vector_dim});
  const Expr inside = clamp(full_like(op.operands[1], 0), op.operands[1], last);
  return op.as_large({op.operands[0], inside});
}

/// Updates that are padding get an index out of bounds. Indices beyond the unpadded array write to its padding.
StatusOr<Expr> padded_scatter(const PaddedOp& op) {
  const size_t arrays = op.operands.size() / 2;
  const auto& a = attributes_of<ScatterAttributes>(op.large);
  const Shape& indices = op.large_operand(arrays);
  const std::vector<int64_t> windows =
      other_dimensions(op.large_operand(0).rank(), a.inserted_window_dims, a.input_batching_dims);
  for (size_t w = 0; w < windows.size(); ++w) {
    const int64_t d = windows[w], of_update = a.update_window_dims[w];
    const int64_t small = op.small_operand(arrays + 1).dimension(of_update),
                  large = op.large_operand(arrays + 1).dimension(of_update);
    const bool whole = small == op.small_operand(0).dimension(d) && large == op.large_operand(0).dimension(d);
    if (!whole && (small != large || (op.varies(0, d) && large != 1))) return op.refusal(d);
  }
  std::vector<int64_t> batch;
  for (int64_t d = 0; d < indices.rank(); ++d) {
    if (d != a.index_vector_dim && op.varies(arrays, d)) batch.push_back(d);
  }
  if (batch.empty()) return op.as_large(op.operands);
  Exprs operands = op.operands;
  operands[arrays] = op.masked(arrays, batch, full(op.sink, Shape::scalar(indices.element_type()), -1));
  auto own = std::make_shared<ScatterAttributes>(a);
  own->indices_are_sorted = own->unique_indices = false;
  own->index_mode = IndexMode::kFillOrDrop;
  return op.sink.add(op.large.opcode, operands, own, op.large.shape);
}

bool is_copied(Opcode opcode) {
  return opcode == Opcode::kTuple || opcode == Opcode::kGetTupleElement || opcode == Opcode::kIota ||
         opcode == Opcode::kConstant;
}

}  // namespace

StatusOr<Expr> padded_op(const PaddedOp& op) {
  const Opcode opcode = op.large.opcode;
  if (is_copied(opcode)) return op.as_large(op.operands);
  if (opcode == Opcode::kSlice) return padded_slice(op);  // its start may differ where no extent does
  if (!any_differs(op)) return op.as_large(op.operands);
  if (cumulative_kind(opcode)) return padded_cumulative(op);
  switch (static_cast<int>(opcode)) {
    case static_cast<int>(Opcode::kReduce): return padded_reduce(op);
    case static_cast<int>(Opcode::kDot): return padded_dot(op);
    case static_cast<int>(Opcode::kReduceWindow): return padded_windows(op);
    case static_cast<int>(Opcode::kConvolution): return padded_convolution(op);
    case static_cast<int>(Opcode::kPad): return padded_pad(op);
    case static_cast<int>(Opcode::kConcatenate): return padded_concatenate(op);
    case static_cast<int>(Opcode::kReverse): return padded_reverse(op);
    case static_cast<int>(Opcode::kDynamicSlice): return padded_dynamic_slice(op);
    case static_cast<int>(Opcode::kDynamicUpdateSlice): return padded_update(op);
    case static_cast<int>(Opcode::kGather): return padded_gather(op);
    case static_cast<int>(Opcode::kScatter): return padded_scatter(op);
    default: return passed(op);
  }
}

}  // namespace hilo::hlo
