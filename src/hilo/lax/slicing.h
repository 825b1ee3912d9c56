// SPDX-License-Identifier: Apache-2.0
// lax/slicing.h -- slices of arrays at static positions (slice and similar) or at traced ones (dynamic_slice and
// similar).
#pragma once

#include <optional>
#include <vector>

#include "hilo/array/arguments.h"
#include "hilo/array/array.h"

namespace hilo::lax {

using hilo::Named, hilo::OptionalDimensions;

/// Returns the elements start, start + stride, ... below limit along every axis: jax.lax.slice.
/// Errors     INVALID_ARGUMENT for positions out of bounds; negative ones don't count from the end
/// Example    slice(numpy::arange(10), {2}, {8}, Dimensions{3})  // [2 5]
Array slice(const Operand& operand, const Dimensions& start_indices, const Dimensions& limit_indices,
            const OptionalDimensions& strides = std::nullopt);

struct SliceInDimOptions {
  int64_t stride = 1;
  int64_t axis = 0;
};
/// Slices one axis and keeps the others whole. Negative positions count from the end; nullopt means up to the end.
Array slice_in_dim(const Operand& operand, std::optional<int64_t> start_index, std::optional<int64_t> limit_index,
                   const SliceInDimOptions& options = {});
template <int = 0>
Array slice_in_dim(const Operand& operand, std::optional<int64_t> start_index, std::optional<int64_t> limit_index,
                   int64_t stride, int64_t axis = 0) {
  return slice_in_dim(operand, start_index, limit_index, SliceInDimOptions{.stride = stride, .axis = axis});
}

struct IndexInDimOptions {
  int64_t axis = 0;
  bool keepdims = true;  ///< keeps the axis, with size 1
};
/// Returns the slice at `index` along an axis.
/// Errors     OUT_OF_RANGE for an index out of bounds
Array index_in_dim(const Operand& operand, int64_t index, const IndexInDimOptions& options = {});
template <int = 0>
Array index_in_dim(const Operand& operand, int64_t index, int64_t axis, bool keepdims = true) {
  return index_in_dim(operand, index, IndexInDimOptions{.axis = axis, .keepdims = keepdims});
}

/// Returns the slices of src at (idxs[0][i], idxs[1][i], ...) along `axes`, for every i. Negative indices count from
/// the end; others out of bounds wrap around.
/// Shapes     idxs: vectors of one length n; the result has a leading axis of size n
Array index_take(const Operand& src, const std::vector<Array>& idxs, const Dimensions& axes);

/// The start of a slice: one scalar per axis, or one vector.
class StartIndices {
 public:
  // implicit, so that users can write a list
  StartIndices(std::vector<Array> scalars) : scalars_(std::move(scalars)) {}
  StartIndices(std::initializer_list<Array> scalars) : scalars_(scalars) {}
  StartIndices(const std::vector<int64_t>& positions);
  StartIndices(const Array& vector) : vector_(vector) {}
  /// Returns the start as scalars.
  /// Errors     INVALID_ARGUMENT unless there are `rank` integers of one type
  std::vector<Array> scalars(const char* function, int64_t rank) const;

 private:
  std::vector<Array> scalars_;
  std::optional<Array> vector_;
};
struct DynamicOptions {
  bool allow_negative_indices = true;  ///< negative indices count from the end
};

/// Returns the slice of `slice_sizes` that begins at `start_indices`, which may be traced: jax.lax.dynamic_slice. A
/// slice that is partly out of bounds is moved inside.
/// Errors     INVALID_ARGUMENT for indices that aren't integers of one type, or sizes greater than the array's
/// Gradient   of the operand
/// Example    dynamic_slice(numpy::arange(10), {Array(3)}, {4})  // [3 4 5 6]
///            dynamic_slice(numpy::arange(10), {Array(8)}, {4})  // [6 7 8 9]
Array dynamic_slice(const Operand& operand, const StartIndices& start_indices, const Dimensions& slice_sizes,
                    const DynamicOptions& options = {});
/// Returns the operand with `update` written at `start_indices`, which may be traced: jax.lax.dynamic_update_slice. An
/// update that is partly out of bounds is moved inside.
/// Errors     as dynamic_slice
/// Gradient   of the operand and the update
/// Example    dynamic_update_slice(numpy::zeros({5}), numpy::ones({2}), {Array(1)})  // [0. 1. 1. 0. 0.]
Array dynamic_update_slice(const Operand& operand, const Operand& update, const StartIndices& start_indices,
                           const DynamicOptions& options = {});
/// Options of dynamic slices along one axis.
struct DynamicSliceInDimOptions {
  int64_t axis = 0;
  bool allow_negative_indices = true;
};
/// Returns `slice_size` elements along one axis from `start_index` on, which may be traced:
/// jax.lax.dynamic_slice_in_dim. A slice that is partly out of bounds is moved inside.
/// Example    dynamic_slice_in_dim(numpy::arange(10), 3, 2)  // [3 4]
Array dynamic_slice_in_dim(const Operand& operand, const Operand& start_index, int64_t slice_size,
                           const DynamicSliceInDimOptions& options = {});
template <int = 0>
Array dynamic_slice_in_dim(const Operand& operand, const Operand& start_index, int64_t slice_size, int64_t axis) {
  return dynamic_slice_in_dim(operand, start_index, slice_size, DynamicSliceInDimOptions{.axis = axis});
}
struct DynamicIndexInDimOptions {
  int64_t axis = 0;
  bool keepdims = true;
  bool allow_negative_indices = true;
};
/// Returns the slice at `index` along one axis, which may be traced: jax.lax.dynamic_index_in_dim. An index out of
/// bounds is clamped.
/// Example    dynamic_index_in_dim(numpy::array({10, 20, 30}), 1, 0, false)  // 20
Array dynamic_index_in_dim(const Operand& operand, const Operand& index, const DynamicIndexInDimOptions& options = {});
template <int = 0>
Array dynamic_index_in_dim(const Operand& operand, const Operand& index, int64_t axis, bool keepdims = true) {
  return dynamic_index_in_dim(operand, index, DynamicIndexInDimOptions{.axis = axis, .keepdims = keepdims});
}
/// Returns the operand with `update` written along one axis at `start_index`.
Array dynamic_update_slice_in_dim(const Operand& operand, const Operand& update, const Operand& start_index,
                                  int64_t axis, const DynamicOptions& options = {});
/// Returns the operand with `update` written at `index` along one axis. `update` may lack the axis.
Array dynamic_update_index_in_dim(const Operand& operand, const Operand& update, const Operand& index, int64_t axis,
                                  const DynamicOptions& options = {});
template <int = 0>
Array dynamic_update_slice_in_dim(const Operand& operand, const Operand& update, const Operand& start_index,
                                  const DynamicSliceInDimOptions& options) {
  return dynamic_update_slice_in_dim(operand, update, start_index, options.axis, {options.allow_negative_indices});
}
template <int = 0>
Array dynamic_update_index_in_dim(const Operand& operand, const Operand& update, const Operand& index,
                                  const DynamicSliceInDimOptions& options) {
  return dynamic_update_index_in_dim(operand, update, index, options.axis, {options.allow_negative_indices});
}

}  // namespace hilo::lax
