// SPDX-License-Identifier: Apache-2.0
// lax/reductions.h -- reductions along whole axes, by a function or by name.
#pragma once

#include <functional>
#include <vector>

#include "hilo/array/array.h"

namespace hilo::lax {

/// Combines the elements along `dimensions` by `computation`, starting from init_value, in any order and grouping:
/// jax.lax.reduce.
/// Types      `computation` maps scalars of the operand's type to such a scalar and must not capture arrays
/// Errors     INVALID_ARGUMENT for a dimension that is out of range or duplicate
/// Gradient   of operand and init_value, for any differentiable function
/// Example    reduce(numpy::arange(6).reshape({2, 3}), 0, lax::add, {0})  // [3 5 7]
Array reduce(const Operand& operand, const Operand& init_value,
             const std::function<Array(const Array&, const Array&)>& computation, const Dimensions& dimensions);
/// Reduces several arrays of one shape at once: computation(accumulated, new) maps lists of scalars to a list of
/// scalars.
std::vector<Array> reduce(
    const std::vector<Array>& operands, const std::vector<Array>& init_values,
    const std::function<std::vector<Array>(const std::vector<Array>&, const std::vector<Array>&)>& computation,
    const Dimensions& dimensions, std::source_location line = std::source_location::current());

// Reductions by one operation. Of empty axes they give: 0, the minimum of the type, the maximum, 1, all bits, no bits,
// no bits.
Array reduce_sum(const Operand& operand, const Dimensions& axes);
Array reduce_max(const Operand& operand, const Dimensions& axes);
Array reduce_min(const Operand& operand, const Dimensions& axes);
Array reduce_prod(const Operand& operand, const Dimensions& axes);
Array reduce_and(const Operand& operand, const Dimensions& axes);
Array reduce_or(const Operand& operand, const Dimensions& axes);
Array reduce_xor(const Operand& operand, const Dimensions& axes);

/// Returns the index of the largest element along an axis; the first of equal ones. NaN counts as largest.
/// Errors     INVALID_ARGUMENT for an axis of size 0, or an index type that isn't an integer type
/// Example    argmax(numpy::array({3, 9, 4}), 0, int32)  // 1
Array argmax(const Operand& operand, int64_t axis, ElementType index_dtype);
/// Returns the index of the smallest element along an axis; the first of equal ones. NaN counts as smallest.
/// Errors     as argmax
/// Example    argmin(numpy::array({3, 9, 4}), 0, int32)  // 0
Array argmin(const Operand& operand, int64_t axis, ElementType index_dtype);
struct ArgExtremeOptions {
  int64_t axis = 0;
  ElementType index_dtype = ElementType::kS32;
};
template <int = 0>
Array argmax(const Operand& operand, const ArgExtremeOptions& options) {
  return argmax(operand, options.axis, options.index_dtype);
}
template <int = 0>
Array argmin(const Operand& operand, const ArgExtremeOptions& options) {
  return argmin(operand, options.axis, options.index_dtype);
}

}  // namespace hilo::lax
