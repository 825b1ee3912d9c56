// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/op_sharding.h"
#include "hilo/hlo/ops/strided_copy.h"
#include "hilo/types/checked.h"
#include "hilo/types/twins.h"

namespace hilo::hlo {
namespace {

StatusOr<Literal> slice_result(const EvaluateInput& input) {
  return Literal::make(input.instruction.shape.with_default_layout());
}

Status check_slice_range(size_t dimension, int64_t size, const SliceRange& range) {
  const auto wrong = [dimension](std::string what) {
    return invalid_argument(fmt::format("dim {}: {}", dimension, what));
  };
  if (range.start < 0) return wrong(fmt::format("start {} < 0", range.start));  // slice_c3
  if (range.limit > size) return wrong(fmt::format("limit {} > size {}", range.limit, size));
  if (range.start > range.limit) return wrong(fmt::format("start {} > limit {}", range.start, range.limit));
  if (range.stride < 1) return wrong(fmt::format("stride {}; must be at least 1", range.stride));  // slice_c4
  return ok_status();
}

int64_t slice_extent(const SliceRange& range) {
  return range.limit == range.start ? 0 : (range.limit - range.start - 1) / range.stride + 1;
}

StatusOr<Shape> infer_slice(const ShapeRuleInput& input) {
  const Shape& operand = input.operands[0];
  const std::vector<SliceRange>& ranges = attributes_of<SliceAttributes>(input).ranges;
  if (std::ssize(ranges) != operand.rank()) {  // slice_c2
    return invalid_argument(
        fmt::format("one range per dimension is needed; got {} for {}", ranges.size(), operand.to_string()));
  }
  DimensionList extents;
  for (size_t i = 0; i < ranges.size(); ++i) {
    HILO_RETURN_IF_ERROR(check_slice_range(i, operand.dimensions()[i], ranges[i]));
    extents.push_back(slice_extent(ranges[i]));  // slice_c5
  }
  return operand.with_dimensions(extents);
}

StatusOr<Literal> evaluate_slice(const EvaluateInput& input) {
  const Literal& operand = *input.operands[0];
  HILO_ASSIGN_OR_RETURN(Literal out, slice_result(input));
  if (out.shape().element_count() == 0) return out;
  const int size = element_size_bytes(out.shape().element_type());
  const std::vector<SliceRange>& ranges = attributes_of<SliceAttributes>(input.instruction).ranges;
  Int64List from_strides = row_major_strides(operand.shape().dimensions());
  int64_t first = 0;
  for (size_t i = 0; i < ranges.size(); ++i) {
    first += ranges[i].start * from_strides[i];
    // A single element needs no step, and a large stride would overflow.
    from_strides[i] = out.shape().dimensions()[i] == 1 ? 0 : from_strides[i] * ranges[i].stride;
  }
  strided_copy(out.shape().dimensions(), size, out.mutable_bytes().data(), row_major_strides(out.shape().dimensions()),
               operand.bytes().data() + first * size, from_strides);
  return out;
}

/// Checks that `starts` has one scalar per dimension of `array`, all of one integer type.
Status check_starts(std::span<const Shape> starts, const Shape& array) {
  if (std::ssize(starts) != array.rank()) {  // dynamic_slice_c2, dynamic_update_slice_c4
    return invalid_argument(
        fmt::format("one start index per dimension of {} is needed; got {}", array.to_string(), starts.size()));
  }
  for (size_t i = 0; i < starts.size(); ++i) {
    if (!starts[i].is_scalar() || !is_integer(starts[i].element_type())) {
      return invalid_argument(
          fmt::format("start index {} must be an integer scalar; got {}", i, starts[i].to_string()));
    }
    if (starts[i].element_type() != starts[0].element_type()) {  // dynamic_slice_c3, dynamic_update_slice_c5
      return invalid_argument(fmt::format("start indices must share one type; got {} and {}", starts[0].to_string(),
                                          starts[i].to_string()));
    }
  }
  return ok_status();
}

/// Returns the start index, clamped into [0, size - extent]. u64 values above 2^63 are clamped, too.
int64_t clamped_start(const Literal& start, int64_t size, int64_t extent) {
  const int64_t last = size - extent;
  return visit_array_type(
      start.shape().element_type(),
      [&]<typename T>() -> int64_t {
        if constexpr (is_integral_element<T> && !std::is_same_v<T, bool>) {
          const T value = start.data<T>()[0];
          if constexpr (is_signed_element<T>) {
            if (value < 0) return 0;
          }
          return static_cast<uint64_t>(value) > static_cast<uint64_t>(last) ? last : static_cast<int64_t>(value);
        } else {
          return 0;  // rejected by the shape rule
        }
      },
      []() -> int64_t { return 0; });
}

StatusOr<Shape> infer_dynamic_slice(const ShapeRuleInput& input) {
  if (input.operands.empty()) return invalid_argument("got 0 operands, wanted an array and its start indices");
  const Shape& operand = input.operands[0];
  const Int64List& sizes = attributes_of<DynamicSliceAttributes>(input).sizes;
  HILO_RETURN_IF_ERROR(check_starts(input.operands.subspan(1), operand));
  if (std::ssize(sizes) != operand.rank()) {
    return invalid_argument(fmt::format("one size per dimension is needed; got {} for {}", dimensions_to_string(sizes),
                                        operand.to_string()));
  }
  for (size_t i = 0; i < sizes.size(); ++i) {  // dynamic_slice_c4
    if (sizes[i] >= 0 && sizes[i] <= operand.dimensions()[i]) continue;
    return invalid_argument(
        fmt::format("dim {}: slice size {} doesn't fit size {}", i, sizes[i], operand.dimensions()[i]));
  }
  return operand.with_dimensions(sizes);  // dynamic_slice_c5
}

StatusOr<Literal> evaluate_dynamic_slice(const EvaluateInput& input) {
  const Literal& operand = *input.operands[0];
  HILO_ASSIGN_OR_RETURN(Literal out, slice_result(input));
  const int size = element_size_bytes(out.shape().element_type());
  const Int64List from_strides = row_major_strides(operand.shape().dimensions());
  int64_t first = 0;
  for (size_t i = 0; i < from_strides.size(); ++i) {
    first += from_strides[i] *
             clamped_start(*input.operands[i + 1], operand.shape().dimensions()[i], out.shape().dimensions()[i]);
  }
  strided_copy(out.shape().dimensions(), size, out.mutable_bytes().data(), row_major_strides(out.shape().dimensions()),
               operand.bytes().data() + first * size, from_strides);
  return out;
}

StatusOr<Shape> infer_dynamic_update_slice(const ShapeRuleInput& input) {
  if (input.operands.size() < 2) {
    return invalid_argument(
        fmt::format("got {} operands, wanted an array, an update and start indices", input.operands.size()));
  }
  const Shape& operand = input.operands[0];
  const Shape& update = input.operands[1];
  if (operand.element_type() != update.element_type()) {  // dynamic_update_slice_c2
    return invalid_argument(fmt::format("operand element types differ; got {} and {}. Hint: convert one operand",
                                        operand.to_string(), update.to_string()));
  }
  if (operand.rank() != update.rank()) {  // dynamic_update_slice_c3
    return invalid_argument(
        fmt::format("array and update must have equal ranks; got {} and {}", operand.to_string(), update.to_string()));
  }
  HILO_RETURN_IF_ERROR(check_starts(input.operands.subspan(2), operand));
  for (int64_t i = 0; i < operand.rank(); ++i) {  // dynamic_update_slice_c6
    if (update.dimension(i) <= operand.dimension(i)) continue;
    return invalid_argument(
        fmt::format("dim {}: update size {} doesn't fit size {}", i, update.dimension(i), operand.dimension(i)));
  }
  return operand.with_default_layout();
}

StatusOr<Literal> evaluate_dynamic_update_slice(const EvaluateInput& input) {
  HILO_ASSIGN_OR_RETURN(Literal out, slice_result(input));
  std::ranges::copy(input.operands[0]->bytes(), out.mutable_bytes().begin());
  const Literal& update = *input.operands[1];
  const int size = element_size_bytes(out.shape().element_type());
  const Int64List to_strides = row_major_strides(out.shape().dimensions());
  int64_t first = 0;
  for (size_t i = 0; i < to_strides.size(); ++i) {
    first += to_strides[i] *
             clamped_start(*input.operands[i + 2], out.shape().dimensions()[i], update.shape().dimensions()[i]);
  }
  strided_copy(update.shape().dimensions(), size, out.mutable_bytes().data() + first * size, to_strides,
               update.bytes().data(), row_major_strides(update.shape().dimensions()));
  return out;
}

StatusOr<Shape> infer_concatenate(const ShapeRuleInput& input) {
  if (input.operands.empty()) return invalid_argument("got 0 operands, wanted at least one");  // concatenate_c3
  const Shape& first = input.operands[0];
  const int64_t dimension = attributes_of<ConcatenateAttributes>(input).dimension;
  HILO_RETURN_IF_ERROR(check_dimension("dimension", dimension, first));  // concatenate_c4
  DimensionList extents(first.dimensions().begin(), first.dimensions().end());
  int64_t& joined = extents[dimension];
  for (size_t n = 1; n < input.operands.size(); ++n) {
    const Shape& other = input.operands[n];
    if (other.element_type() != first.element_type()) {  // concatenate_c1
      return invalid_argument(
          fmt::format("operand element types differ; operand 0 is {}, operand {} is {}. Hint: convert one operand",
                      first.to_string(), n, other.to_string()));
    }
    bool fits = other.rank() == first.rank();
    for (int64_t d = 0; fits && d < first.rank(); ++d)
      fits = d == dimension || other.dimension(d) == first.dimension(d);
    if (!fits) {  // concatenate_c2
      return invalid_argument(fmt::format("operands 0 and {} differ outside dimension {}; got {} and {}", n, dimension,
                                          first.to_string(), other.to_string()));
    }
    const std::optional<int64_t> sum = checked_add(joined, other.dimension(dimension));
    if (!sum) return invalid_argument(fmt::format("dimension {} of the result doesn't fit 2^63-1", dimension));
    joined = *sum;  // concatenate_c6
  }
  return Shape::make_array(first.element_type(), extents);
}

StatusOr<Literal> evaluate_concatenate(const EvaluateInput& input) {
  HILO_ASSIGN_OR_RETURN(Literal out, slice_result(input));
  const size_t dimension = attributes_of<ConcatenateAttributes>(input.instruction).dimension;
  const int size = element_size_bytes(out.shape().element_type());
  const Int64List to_strides = row_major_strides(out.shape().dimensions());
  std::byte* to = out.mutable_bytes().data();
  for (const Literal* operand : input.operands) {
    const std::span<const int64_t> extents = operand->shape().dimensions();
    strided_copy(extents, size, to, to_strides, operand->bytes().data(), row_major_strides(extents));
    to += to_strides[dimension] * extents[dimension] * size;
  }
  return out;
}

/// Returns low + size + interior * max(size - 1, 0) + high, or an error.
StatusOr<int64_t> padded_extent(size_t dimension, int64_t size, const PaddingDimension& padding) {
  if (padding.interior < 0) {  // pad_c3
    return invalid_argument(fmt::format("dim {}: interior padding {} < 0", dimension, padding.interior));
  }
  std::optional<int64_t> extent = checked_mul(padding.interior, std::max<int64_t>(size - 1, 0));
  for (int64_t part : {size, padding.low, padding.high}) {
    if (extent) extent = checked_add(*extent, part);
  }
  if (!extent) return invalid_argument(fmt::format("dim {}: padded size doesn't fit 2^63-1", dimension));
  if (*extent < 0) {
    return invalid_argument(fmt::format("dim {}: padding {}_{}_{} leaves {} of {} elements", dimension, padding.low,
                                        padding.high, padding.interior, *extent, size));
  }
  return *extent;
}

StatusOr<Shape> infer_pad(const ShapeRuleInput& input) {
  const Shape& operand = input.operands[0];
  const Shape& value = input.operands[1];
  if (!value.is_scalar() || value.element_type() != operand.element_type()) {  // pad_c1
    return invalid_argument(fmt::format("the padding value must be a {} scalar; got {}",
                                        element_type_name(operand.element_type()), value.to_string()));
  }
  const std::vector<PaddingDimension>& padding = attributes_of<PadAttributes>(input).padding;
  if (std::ssize(padding) != operand.rank()) {  // pad_c2
    return invalid_argument(
        fmt::format("one padding per dimension is needed; got {} for {}", padding.size(), operand.to_string()));
  }
  Int64List extents;
  for (size_t i = 0; i < padding.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(const int64_t extent, padded_extent(i, operand.dimensions()[i], padding[i]));
    extents.push_back(extent);  // pad_c4
  }
  return Shape::make_array(operand.element_type(), extents);
}

void fill(Literal& out, const Literal& value) {
  const Int64List zeros(out.shape().rank(), 0);
  strided_copy(out.shape().dimensions(), element_size_bytes(out.shape().element_type()), out.mutable_bytes().data(),
               row_major_strides(out.shape().dimensions()), value.bytes().data(), zeros);
}

/// Returns how many of low, low + step, low + 2 step, ... are below `extent`; low may be as small as -2^63.
/// Precondition: low < extent.
int64_t count_below(int64_t extent, int64_t low, int64_t step) {
  const uint64_t distance = static_cast<uint64_t>(extent) - 1 - static_cast<uint64_t>(low);
  return static_cast<int64_t>(std::min<uint64_t>(distance / static_cast<uint64_t>(step), INT64_MAX - 1)) + 1;
}

StatusOr<Literal> evaluate_pad(const EvaluateInput& input) {
  const Literal& operand = *input.operands[0];
  HILO_ASSIGN_OR_RETURN(Literal out, slice_result(input));
  fill(out, *input.operands[1]);
  const std::vector<PaddingDimension>& padding = attributes_of<PadAttributes>(input.instruction).padding;
  const int size = element_size_bytes(out.shape().element_type());
  const Int64List from_strides = row_major_strides(operand.shape().dimensions());
  Int64List to_strides = row_major_strides(out.shape().dimensions());
  Int64List counts;
  int64_t from = 0, to = 0;
  for (size_t i = 0; i < padding.size(); ++i) {
    const KeptRange kept = kept_by(padding[i], operand.shape().dimensions()[i], out.shape().dimensions()[i]);
    if (kept.count == 0) return out;
    from += kept.from * from_strides[i];
    to += kept.at * to_strides[i];
    to_strides[i] *= kept.step;
    counts.push_back(kept.count);
  }
  strided_copy(counts, size, out.mutable_bytes().data() + to * size, to_strides, operand.bytes().data() + from * size,
               from_strides);
  return out;
}

}  // namespace

KeptRange kept_by(const PaddingDimension& p, int64_t size, int64_t result) {
  // A single element needs no step, and a large interior would overflow.
  const int64_t step = size > 1 ? p.interior + 1 : 1;
  const int64_t begin = p.low >= 0 ? 0 : std::min(-(p.low + 1) / step, size) + 1;  // low may be -2^63
  const int64_t end = p.low >= result ? 0 : std::min(size, count_below(result, p.low, step));
  if (begin >= end) return {};
  return {begin, end - begin, p.low + begin * step, end - begin > 1 ? step : 1};
}

namespace {

constexpr AttributeField kSliceFields[] = {field<&SliceAttributes::ranges>("slice", FieldShow::kAlways)};
constexpr AttributeField kDynamicSliceFields[] = {
    field<&DynamicSliceAttributes::sizes>("dynamic_slice_sizes", FieldShow::kAlways)};
// HLO text writes this number in braces, as it does for sort.
constexpr AttributeField kConcatenateFields[] = {
    field<&ConcatenateAttributes::dimension>("dimensions", FieldShow::kAlways)};
constexpr AttributeField kPadFields[] = {field<&PadAttributes::padding>("padding", FieldShow::kAlways)};

/// For slice and pad: a dimension whose size changes moves elements.
void resize_rule(RuleBuilder& builder) {
  for (int64_t d = 0; d < builder.results[0].rank(); ++d) {
    const bool same = builder.operands[0].dimension(d) == builder.results[0].dimension(d);
    builder.pair(0, d, 0, d, same ? FactorKind::kPass : FactorKind::kPermute);
  }
}

/// Slices without a stride, and those whose shards differ in size, are views (hlo/partition/view.h).
void slice_on_parts(LocalBuilder& builder) {
  passing_factors(builder);
  const auto& ranges = attributes_of<SliceAttributes>(builder.instruction).ranges;
  for (size_t d = 0; d < ranges.size(); ++d) {
    const int64_t size = builder.operand(0).dimension(d);
    if (ranges[d] != SliceRange{0, size, 1})
      builder.set(builder.factor(builder.op.rule.operands[0], d), LocalStrategy::kOwn,
                  std::gcd(size, builder.instruction.shape.dimension(d)));
  }
}

void concatenate_rule(RuleBuilder& builder) {
  const int64_t along = attributes_of<ConcatenateAttributes>(builder.instruction).dimension;
  for (int64_t d = 0; d < builder.results[0].rank(); ++d) {
    const int factor =
        builder.factor(builder.results[0].dimension(d), d == along ? FactorKind::kReplicate : FactorKind::kPass);
    for (size_t i = 0; i < builder.operands.size(); ++i) builder.operand(i, d, factor);
    builder.result(0, d, factor);
  }
}

void dynamic_slice_rule(RuleBuilder& builder) {
  for (int64_t d = 0; d < builder.results[0].rank(); ++d) {
    const int64_t size = builder.operands[0].dimension(d);
    const bool same = size == builder.results[0].dimension(d);
    const int factor = same ? builder.factor(size) : builder.factor(size, FactorKind::kReplicate, true);
    builder.operand(0, d, factor);
    builder.result(0, d, factor);
  }
}

/// Sets partial results: each device contributes the elements that it has along sliced dimensions.
void dynamic_slice_on_parts(LocalBuilder& builder) {
  passing_factors(builder);
  if (!joining_kind(builder.instruction.shape.element_type()) || !fits_s32(builder.operand(0))) return;
  for (int64_t d = 0; d < builder.instruction.shape.rank(); ++d) {
    if (builder.operand(0).dimension(d) == builder.instruction.shape.dimension(d)) continue;
    builder.op.strategies[builder.factor(builder.op.rule.operands[0], d)] = LocalStrategy::kPartial;
    builder.op.rule.results[0][d].clear();
  }
}

void dynamic_update_slice_rule(RuleBuilder& builder) {
  for (int64_t d = 0; d < builder.results[0].rank(); ++d) {
    const int64_t size = builder.results[0].dimension(d), updated = builder.operands[1].dimension(d);
    const int factor = builder.factor(size);
    builder.operand(0, d, factor);
    builder.result(0, d, factor);
    builder.operand(1, d, size == updated ? factor : builder.factor(updated, FactorKind::kReplicate));
  }
}

/// Each device writes the elements that are in its shard.
void dynamic_update_slice_on_parts(LocalBuilder& builder) {
  passing_factors(builder);
  for (int64_t d = 0; d < builder.instruction.shape.rank(); ++d) {
    const size_t f = builder.factor(builder.op.rule.operands[0], d);
    if (!has_factor(builder.op.rule.operands[1], f)) builder.op.strategies[f] = LocalStrategy::kWhole;
    if (!has_factor(builder.op.rule.operands[1], f) && fits_s32(builder.instruction.shape))
      builder.op.strategies[f] = LocalStrategy::kOwn;
  }
}

void pad_on_parts(LocalBuilder& builder) {
  passing_factors(builder);
  const auto& dimensions = attributes_of<PadAttributes>(builder.instruction).padding;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (dimensions[d] == PaddingDimension{}) continue;
    builder.op.strategies[builder.factor(builder.op.rule.operands[0], d)] = LocalStrategy::kWhole;
  }
}

}  // namespace

HILO_DEFINE_OP(slice_op, {.opcode = Opcode::kSlice,
                          .name = "slice",
                          .arity = 1,
                          .operand_types = kAnyArray,
                          .traits = kMovesData,
                          .cost = CostClass::kFree,
                          .sharding = {resize_rule, slice_on_parts},
                          .infer_shape = infer_slice,
                          .attributes = attributes_def<SliceAttributes>(kSliceFields),
                          .evaluate = evaluate_slice,
                          .spec = "slice"})

HILO_DEFINE_OP(dynamic_slice_op, {.opcode = Opcode::kDynamicSlice,
                                  .name = "dynamic-slice",
                                  .arity = -1,
                                  .operand_types = kAnyArray,
                                  .traits = kMovesData,
                                  .cost = CostClass::kCheap,
                                  .sharding = {dynamic_slice_rule, dynamic_slice_on_parts},
                                  .infer_shape = infer_dynamic_slice,
                                  .attributes = attributes_def<DynamicSliceAttributes>(kDynamicSliceFields),
                                  .evaluate = evaluate_dynamic_slice,
                                  .spec = "dynamic_slice"})

HILO_DEFINE_OP(dynamic_update_slice_op, {.opcode = Opcode::kDynamicUpdateSlice,
                                         .name = "dynamic-update-slice",
                                         .arity = -1,
                                         .operand_types = kAnyArray,
                                         .traits = kMovesData,
                                         .cost = CostClass::kCheap,
                                         .sharding = {dynamic_update_slice_rule, dynamic_update_slice_on_parts},
                                         .infer_shape = infer_dynamic_update_slice,
                                         .evaluate = evaluate_dynamic_update_slice,
                                         .spec = "dynamic_update_slice"})

HILO_DEFINE_OP(concatenate_op, {.opcode = Opcode::kConcatenate,
                                .name = "concatenate",
                                .arity = -1,
                                .operand_types = kAnyArray,
                                .traits = kMovesData,
                                .cost = CostClass::kCheap,
                                .sharding = {concatenate_rule, passing_factors},
                                .infer_shape = infer_concatenate,
                                .attributes = attributes_def<ConcatenateAttributes>(kConcatenateFields),
                                .evaluate = evaluate_concatenate,
                                .spec = "concatenate"})

HILO_DEFINE_OP(pad_op, {.opcode = Opcode::kPad,
                        .name = "pad",
                        .arity = 2,
                        .operand_types = kAnyArray,
                        .traits = kMovesData,
                        .cost = CostClass::kCheap,
                        .sharding = {resize_rule, pad_on_parts},
                        .infer_shape = infer_pad,
                        .attributes = attributes_def<PadAttributes>(kPadFields),
                        .evaluate = evaluate_pad,
                        .spec = "pad"})

}  // namespace hilo::hlo
