// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/ops.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/types/twins.h"

namespace hilo::ops {
namespace {

using hlo::Opcode;

/// Returns the minimum of an ordered type (-inf for floats), or the maximum.
Array extreme(ElementType type, bool least) {
  const hlo::ReducerKind kind = least ? hlo::ReducerKind::kMaximum : hlo::ReducerKind::kMinimum;
  const std::optional<Literal> value = hlo::neutral_value(kind, type);
  return Array::from_literal(value ? *value : Literal(Shape::scalar(type)));
}

}  // namespace

Array compare(const Array& x, const Array& y, hlo::ComparisonDirection direction, hlo::ComparisonType type) {
  hlo::CompareAttributes attributes;
  attributes.direction = direction;
  attributes.type = type;
  return bind_one(Opcode::kCompare, {x, y}, hlo::shared_attributes(attributes));
}

namespace {

/// Whether the array is a C++ integer that s32 can't hold, without x64. It is converted here, because programs can't
/// hold it.
bool is_wide_number(const Array& x) {
  return x.impl().kind == ArrayImpl::Kind::kNumber && x.weak_type() && x.dtype() == ElementType::kS64 &&
         canonical_type(ElementType::kS64) != ElementType::kS64;
}

int64_t wide_number(const Array& x) {
  int64_t value;
  std::memcpy(&value, static_cast<const HostNumber&>(x.impl()).bytes.data(), sizeof value);
  return value;
}

Array converted_number(int64_t value, ElementType type) {
  const auto rounded = [&] { return Array::from_literal(filled(Shape::scalar(type), static_cast<double>(value))); };
  if (!is_integer(type)) return rounded();
  const auto cut = [&]<typename T>() {
    const T bits = static_cast<T>(value);
    return Array::from_values(std::span<const T>(&bits, 1), std::vector<int64_t>{});
  };
  return visit_element_type(
      type,
      [&]<typename T>() {
        if constexpr (std::is_integral_v<T>) return cut.template operator()<T>();
        else return rounded();
      },
      rounded);
}

}  // namespace

Array convert_element_type(const Array& x, ElementType type) {
  if (is_wide_number(x) && type != ElementType::kS64) return converted_number(wide_number(x), type);
  if (x.dtype() == type) return with_weak_type(x, false);
  return with_weak_type(bind_one(Opcode::kConvert, {x}, nullptr, x.aval_shape().with_element_type(type)), false);
}

Array complex(const Array& real, const Array& imag) {
  const ElementType type = real.dtype() == ElementType::kF64 ? ElementType::kC128 : ElementType::kC64;
  return bind_one(Opcode::kComplex, {real, imag}, nullptr, real.aval_shape().with_element_type(type));
}

Array reduce_precision(const Array& x, int64_t exponent_bits, int64_t mantissa_bits) {
  hlo::ReducePrecisionAttributes attributes;
  attributes.exponent_bits = exponent_bits;
  attributes.mantissa_bits = mantissa_bits;
  return bind_one(Opcode::kReducePrecision, {x}, hlo::shared_attributes(attributes));
}

Array bitcast_convert(const Array& x, ElementType type) {
  return bind_one(Opcode::kBitcastConvert, {x}, nullptr, x.aval_shape().with_element_type(type));
}

Array lowest(ElementType type) { return extreme(type, true); }
Array highest(ElementType type) { return extreme(type, false); }

Array scalar(double value, ElementType type) { return Array::from_literal(filled(Shape::scalar(type), value)); }

Array full(const Shape& shape, double value) {
  const Array one = scalar(value, shape.element_type());
  return shape.rank() == 0 ? one : broadcast_in_dim(one, shape, {});
}

Array full_like(const Array& x, double value) { return with_weak_type(full(x.aval_shape(), value), x.weak_type()); }

Array constant(const Literal& value) {
  hlo::ConstantAttributes attributes;
  attributes.value = value;
  return bind_one(Opcode::kConstant, {}, hlo::shared_attributes(std::move(attributes)));
}

Array iota(const Shape& shape, int64_t dimension) {
  hlo::IotaAttributes attributes;
  attributes.dimension = dimension;
  return bind_one(Opcode::kIota, {}, hlo::shared_attributes(attributes), shape);
}

Array broadcast_in_dim(const Array& x, const Shape& shape, std::vector<int64_t> dimensions) {
  hlo::BroadcastAttributes attributes;
  attributes.dimensions = std::move(dimensions);
  return bind_one(Opcode::kBroadcast, {x}, hlo::shared_attributes(std::move(attributes)), shape);
}

Array reshape(const Array& x, std::span<const int64_t> dimensions) {
  if (std::ranges::equal(x.shape(), dimensions)) return x;
  StatusOr<Shape> shape = Shape::make_array(x.dtype(), dimensions);
  if (!shape.ok()) or_throw(shape.status().with_context(at_user_line("reshape")));
  return bind_one(Opcode::kReshape, {x}, nullptr, *shape);
}

Array transpose(const Array& x, std::vector<int64_t> permutation) {
  if (std::ranges::is_sorted(permutation)) return x;
  hlo::TransposeAttributes attributes;
  attributes.permutation = std::move(permutation);
  return bind_one(Opcode::kTranspose, {x}, hlo::shared_attributes(std::move(attributes)));
}

Array reverse(const Array& x, std::vector<int64_t> dimensions) {
  hlo::ReverseAttributes attributes;
  attributes.dimensions = std::move(dimensions);
  return bind_one(Opcode::kReverse, {x}, hlo::shared_attributes(std::move(attributes)));
}

Array slice(const Array& x, std::vector<hlo::SliceRange> ranges) {
  hlo::SliceAttributes attributes;
  attributes.ranges = std::move(ranges);
  return bind_one(Opcode::kSlice, {x}, hlo::shared_attributes(std::move(attributes)));
}

Array slice_along(const Array& x, int64_t axis, const hlo::SliceRange& range) {
  std::vector<hlo::SliceRange> ranges;
  for (int64_t extent : x.shape()) ranges.push_back({0, extent, 1});
  ranges[axis] = range;
  return slice(x, std::move(ranges));
}

Array dynamic_slice(const Array& x, std::span<const Array> starts, std::vector<int64_t> sizes) {
  hlo::DynamicSliceAttributes attributes;
  attributes.sizes = std::move(sizes);
  std::vector<Array> operands = {x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return bind_one(Opcode::kDynamicSlice, std::move(operands), hlo::shared_attributes(std::move(attributes)));
}

Array dynamic_update_slice(const Array& x, const Array& update, std::span<const Array> starts) {
  std::vector<Array> operands = {x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return bind_one(Opcode::kDynamicUpdateSlice, std::move(operands));
}

Array concatenate(std::span<const Array> arrays, int64_t dimension) {
  hlo::ConcatenateAttributes attributes;
  attributes.dimension = dimension;
  return bind_one(Opcode::kConcatenate, {arrays.begin(), arrays.end()}, hlo::shared_attributes(attributes));
}

Array pad(const Array& x, const Array& value, std::vector<hlo::PaddingDimension> padding) {
  hlo::PadAttributes attributes;
  attributes.padding = std::move(padding);
  return bind_one(Opcode::kPad, {x, value}, hlo::shared_attributes(std::move(attributes)));
}

Array reduce(Opcode opcode, const Array& x, const Array& initial, std::vector<int64_t> dimensions) {
  hlo::ReduceAttributes attributes;
  attributes.dimensions = std::move(dimensions);
  attributes.to_apply = or_throw(hlo::scalar_binary_computation(opcode, x.dtype()));
  return bind_one(Opcode::kReduce, {x, initial}, hlo::shared_attributes(std::move(attributes)));
}

Array reduce_sum(const Array& x, std::vector<int64_t> dimensions) {
  if (dimensions.empty()) return x;
  return reduce(Opcode::kAdd, x, scalar(0, x.dtype()), std::move(dimensions));
}

Array reduce_max(const Array& x, std::vector<int64_t> dimensions) {
  return reduce(Opcode::kMaximum, x, lowest(x.dtype()), std::move(dimensions));
}

Array reduce_min(const Array& x, std::vector<int64_t> dimensions) {
  return reduce(Opcode::kMinimum, x, highest(x.dtype()), std::move(dimensions));
}

Array dot_general(const Array& lhs, const Array& rhs, const DotDimensions& dimensions,
                  std::optional<ElementType> preferred_type) {
  hlo::DotAttributes attributes;
  attributes.lhs_batch_dimensions = dimensions.lhs_batch;
  attributes.rhs_batch_dimensions = dimensions.rhs_batch;
  attributes.lhs_contracting_dimensions = dimensions.lhs_contracting;
  attributes.rhs_contracting_dimensions = dimensions.rhs_contracting;
  Operation operation{Opcode::kDot, {lhs, rhs}, hlo::shared_attributes(std::move(attributes)), std::nullopt};
  if (preferred_type) operation.declared = result_avals(operation)[0].shape.with_element_type(*preferred_type);
  return bind(operation)[0];
}

Array gather(const Array& x, const Array& indices, hlo::GatherAttributes attributes) {
  return bind_one(Opcode::kGather, {x, indices}, hlo::shared_attributes(std::move(attributes)));
}

Array scatter(const Array& x, const Array& indices, const Array& updates, hlo::ScatterAttributes attributes,
              std::optional<Opcode> opcode) {
  if (opcode) {
    attributes.to_apply = or_throw(hlo::scalar_binary_computation(*opcode, x.dtype()));
  } else {
    hlo::Builder builder("replace");
    builder.parameter(Shape::scalar(x.dtype()), "old");
    const hlo::InstructionId update = builder.parameter(Shape::scalar(x.dtype()), "new");
    attributes.to_apply = or_throw(std::move(builder).build(update));
  }
  return bind_one(Opcode::kScatter, {x, indices, updates}, hlo::shared_attributes(std::move(attributes)));
}

std::vector<Array> call(const hlo::ComputationPtr& computation, std::vector<Array> operands) {
  hlo::CallAttributes attributes;
  attributes.to_apply = computation;
  return bind({Opcode::kCall, std::move(operands), hlo::shared_attributes(std::move(attributes)), std::nullopt});
}

std::vector<int64_t> all_dimensions(int64_t n) {
  std::vector<int64_t> dimensions(n);
  std::iota(dimensions.begin(), dimensions.end(), 0);
  return dimensions;
}

std::vector<int64_t> without_dimensions(std::span<const int64_t> shape, std::span<const int64_t> removed) {
  std::vector<int64_t> retained;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (std::ranges::find(removed, static_cast<int64_t>(i)) == removed.end()) retained.push_back(shape[i]);
  }
  return retained;
}

}  // namespace hilo::ops
