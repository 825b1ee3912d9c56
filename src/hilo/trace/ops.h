// SPDX-License-Identifier: Apache-2.0
// trace/ops.h -- one thin bind wrapper per opcode, without promotion or broadcasting. Rules are written with these.
#pragma once

#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/scatter.h"
#include "hilo/trace/trace.h"

namespace hilo::ops {

/// A wrapper of an elementwise op with the number of operands in the op's row.
template <hlo::Opcode kOpcode, size_t kArity>
struct Elementwise {
  template <std::convertible_to<const Array&>... Arrays>
    requires(sizeof...(Arrays) == kArity)
  Array operator()(const Arrays&... operands) const {
    return bind_one(kOpcode, {operands...});
  }
};

// exp, add, mul, ... with their names in jax.lax. Those with attributes have separate functions below.
#define HILO_ELEMENTWISE(enumerator, name, lax_name, arity, ...) \
  inline constexpr Elementwise<hlo::Opcode::k##enumerator, arity> lax_name{};
#define HILO_ELEMENTWISE_DECLARED(...)
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE

Array compare(const Array& x, const Array& y, hlo::ComparisonDirection direction,
              hlo::ComparisonType type = hlo::ComparisonType::kDefault);
inline Array eq(const Array& x, const Array& y) { return compare(x, y, hlo::ComparisonDirection::kEq); }
inline Array ne(const Array& x, const Array& y) { return compare(x, y, hlo::ComparisonDirection::kNe); }
inline Array ge(const Array& x, const Array& y) { return compare(x, y, hlo::ComparisonDirection::kGe); }
inline Array gt(const Array& x, const Array& y) { return compare(x, y, hlo::ComparisonDirection::kGt); }
inline Array le(const Array& x, const Array& y) { return compare(x, y, hlo::ComparisonDirection::kLe); }
inline Array lt(const Array& x, const Array& y) { return compare(x, y, hlo::ComparisonDirection::kLt); }
Array convert_element_type(const Array& x, ElementType type);
Array complex(const Array& real, const Array& imag);
Array reduce_precision(const Array& x, int64_t exponent_bits, int64_t mantissa_bits);
Array bitcast_convert(const Array& x, ElementType type);

/// Return the minimum (-inf) and maximum (inf) of an ordered type.
Array lowest(ElementType type);
Array highest(ElementType type);
/// Return a scalar constant of `type`, and an array filled with it.
Array scalar(double value, ElementType type);
Array full(const Shape& shape, double value);
/// Returns an array filled with `value`, with the shape and type of `x`; weakly typed if `x` is.
Array full_like(const Array& x, double value);
Array constant(const Literal& value);
Array iota(const Shape& shape, int64_t dimension);

Array broadcast_in_dim(const Array& x, const Shape& shape, std::vector<int64_t> dimensions);
Array reshape(const Array& x, std::span<const int64_t> dimensions);
Array transpose(const Array& x, std::vector<int64_t> permutation);
Array reverse(const Array& x, std::vector<int64_t> dimensions);
Array slice(const Array& x, std::vector<hlo::SliceRange> ranges);
/// Slices one axis and keeps the others whole.
Array slice_along(const Array& x, int64_t axis, const hlo::SliceRange& range);
Array dynamic_slice(const Array& x, std::span<const Array> starts, std::vector<int64_t> sizes);
Array dynamic_update_slice(const Array& x, const Array& update, std::span<const Array> starts);
Array concatenate(std::span<const Array> arrays, int64_t dimension);
Array pad(const Array& x, const Array& value, std::vector<hlo::PaddingDimension> padding);

Array reduce(hlo::Opcode opcode, const Array& x, const Array& initial, std::vector<int64_t> dimensions);
Array reduce_sum(const Array& x, std::vector<int64_t> dimensions);
Array reduce_max(const Array& x, std::vector<int64_t> dimensions);
Array reduce_min(const Array& x, std::vector<int64_t> dimensions);

struct DotDimensions {
  std::vector<int64_t> lhs_contracting, rhs_contracting, lhs_batch, rhs_batch;
};
Array dot_general(const Array& lhs, const Array& rhs, const DotDimensions& dimensions,
                  std::optional<ElementType> preferred_type = std::nullopt);

Array gather(const Array& x, const Array& indices, hlo::GatherAttributes attributes);
/// `opcode` combines old and new values: kAdd, kMultiply, kMinimum, kMaximum; nullopt replaces them.
Array scatter(const Array& x, const Array& indices, const Array& updates, hlo::ScatterAttributes attributes,
              std::optional<hlo::Opcode> opcode);

std::vector<Array> call(const hlo::ComputationPtr& computation, std::vector<Array> operands);

std::vector<int64_t> all_dimensions(int64_t n);
std::vector<int64_t> without_dimensions(std::span<const int64_t> shape, std::span<const int64_t> removed);

}  // namespace hilo::ops
