// SPDX-License-Identifier: Apache-2.0
// lax/reductions.h -- reductions along whole axes, by any function or by name.
#pragma once

#include <functional>
#include <vector>

#include "hilo/array/array.h"

namespace hilo::lax {

/// The elements along `dimensions` combined by `computation`, beginning with init_value, in any order and grouping.
///   Types      `computation` takes and gives scalars of the operand's type, and closes over no arrays
///   Errors     INVALID_ARGUMENT for a dimension out of range or named twice
///   Gradient   of both, for any function that has derivatives
///   Example    reduce(x, 0.0f, lax::add, {0})
Array reduce(const Operand& operand, const Operand& init_value,
             const std::function<Array(const Array&, const Array&)>& computation, const Dimensions& dimensions);
/// The same of several arrays of one shape at once: computation(accumulated, new) takes and gives lists of scalars.
std::vector<Array> reduce(
    const std::vector<Array>& operands, const std::vector<Array>& init_values,
    const std::function<std::vector<Array>(const std::vector<Array>&, const std::vector<Array>&)>& computation,
    const Dimensions& dimensions, std::source_location line = std::source_location::current());

// By one operation. Of nothing: 0, the least value, the greatest, 1, all bits, none, none.
Array reduce_sum(const Operand& operand, const Dimensions& axes);
Array reduce_max(const Operand& operand, const Dimensions& axes);
Array reduce_min(const Operand& operand, const Dimensions& axes);
Array reduce_prod(const Operand& operand, const Dimensions& axes);
Array reduce_and(const Operand& operand, const Dimensions& axes);
Array reduce_or(const Operand& operand, const Dimensions& axes);
Array reduce_xor(const Operand& operand, const Dimensions& axes);

/// Where the greatest (least) element along an axis stands, the first of equals; NaN counts as both.
/// Errors    INVALID_ARGUMENT for an axis of extent 0, or an index type that isn't integer
Array argmax(const Operand& operand, int64_t axis, ElementType index_dtype);
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
