// SPDX-License-Identifier: Apache-2.0
// lax/slicing.h -- parts of arrays, at places that are known (slice and its kin) or not (dynamic_slice and its kin).
#pragma once

#include <optional>
#include <vector>

#include "hilo/array/arguments.h"
#include "hilo/array/array.h"

namespace hilo::lax {

using hilo::Named, hilo::OptionalDimensions;

/// Elements start, start + stride, ... below limit, of every axis.
/// Errors    INVALID_ARGUMENT for positions outside; negative ones are no positions here
Array slice(const Operand& operand, const Dimensions& start_indices, const Dimensions& limit_indices,
            const OptionalDimensions& strides = std::nullopt);

struct SliceInDimOptions {
  int64_t stride = 1;
  int64_t axis = 0;
};
/// The same along one axis, whole along the others. Negative positions count from the end; none means as far as it goes.
Array slice_in_dim(const Operand& operand, std::optional<int64_t> start_index, std::optional<int64_t> limit_index,
                   const SliceInDimOptions& options = {});
template <int = 0>
Array slice_in_dim(const Operand& operand, std::optional<int64_t> start_index, std::optional<int64_t> limit_index,
                   int64_t stride, int64_t axis = 0) {
  return slice_in_dim(operand, start_index, limit_index, SliceInDimOptions{.stride = stride, .axis = axis});
}

struct IndexInDimOptions {
  int64_t axis = 0;
  bool keepdims = true;  ///< the axis stays, with extent 1
};
/// Errors    OUT_OF_RANGE for an index outside
Array index_in_dim(const Operand& operand, int64_t index, const IndexInDimOptions& options = {});
template <int = 0>
Array index_in_dim(const Operand& operand, int64_t index, int64_t axis, bool keepdims = true) {
  return index_in_dim(operand, index, IndexInDimOptions{.axis = axis, .keepdims = keepdims});
}

/// src at (idxs[0][i], idxs[1][i], ...) along `axes`, for every i: a slice each. Indices count from both ends, and further
/// ones round and round.
/// Shapes    idxs: vectors of one length n; the result has n slices in front
Array index_take(const Operand& src, const std::vector<Array>& idxs, const Dimensions& axes);

/// Where a slice begins: one scalar an axis, or a vector of them.
class StartIndices {
 public:
  StartIndices(std::vector<Array> scalars) : scalars_(std::move(scalars)) {}  // indices convert
  StartIndices(std::initializer_list<Array> scalars) : scalars_(scalars) {}
  StartIndices(const std::vector<int64_t>& positions);
  StartIndices(const Array& vector) : vector_(vector) {}
  /// The scalars. Errors    INVALID_ARGUMENT unless there are `rank` integers of one type
  std::vector<Array> scalars(const char* function, int64_t rank) const;

 private:
  std::vector<Array> scalars_;
  std::optional<Array> vector_;
};
struct DynamicOptions {
  bool allow_negative_indices = true;  ///< they count from the end
};

// A slice that lies partly outside is moved to the nearest place inside.
//   Errors     INVALID_ARGUMENT for indices that aren't integers of one type, or sizes greater than the array's
//   Gradient   of the operand and the update
/// Of `slice_sizes`, from `start_indices` on.
Array dynamic_slice(const Operand& operand, const StartIndices& start_indices, const Dimensions& slice_sizes,
                    const DynamicOptions& options = {});
/// The operand with `update` written there.
Array dynamic_update_slice(const Operand& operand, const Operand& update, const StartIndices& start_indices,
                           const DynamicOptions& options = {});
/// So many elements along an axis, or the part at an index, which may be traced; what would stand out is moved inside.
struct DynamicSliceInDimOptions {
  int64_t axis = 0;
  bool allow_negative_indices = true;
};
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
Array dynamic_index_in_dim(const Operand& operand, const Operand& index, const DynamicIndexInDimOptions& options = {});
template <int = 0>
Array dynamic_index_in_dim(const Operand& operand, const Operand& index, int64_t axis, bool keepdims = true) {
  return dynamic_index_in_dim(operand, index, DynamicIndexInDimOptions{.axis = axis, .keepdims = keepdims});
}
Array dynamic_update_slice_in_dim(const Operand& operand, const Operand& update, const Operand& start_index,
                                  int64_t axis, const DynamicOptions& options = {});
/// `update` may lack the axis.
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
