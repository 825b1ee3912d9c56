// SPDX-License-Identifier: Apache-2.0
// lax/shape.h -- functions of jax.lax that create and reshape arrays.
#pragma once

#include <optional>
#include <vector>

#include "hilo/array/arguments.h"
#include "hilo/array/array.h"

namespace hilo::lax {

using hilo::Named, hilo::OptionalDimensions;

// ---- creation -------------------------------------------------------------------------------------------------------
/// Returns an array filled with one value, of its type or of `dtype`: jax.lax.full.
/// Example    full({2, 2}, 7)  // [[7 7] [7 7]]
Array full(const Dimensions& shape, const Operand& fill_value, std::optional<ElementType> dtype = std::nullopt);
struct FullLikeOptions {
  std::optional<ElementType> dtype = std::nullopt;
  OptionalDimensions shape = std::nullopt;
};
/// Returns an array filled with one value, with the type and shape of `x` unless the options specify others.
Array full_like(const Operand& x, const Operand& fill_value, const FullLikeOptions& options = {});
template <int = 0>
Array full_like(const Operand& x, const Operand& fill_value, ElementType dtype,
                const OptionalDimensions& shape = std::nullopt) {
  return full_like(x, fill_value, FullLikeOptions{.dtype = dtype, .shape = shape});
}
/// Returns zeros; same as zeros, because memory is always initialized.
Array empty(const Dimensions& shape, ElementType dtype, std::source_location line = std::source_location::current());
/// Returns 0, 1, ..., size - 1.
/// Example    iota(float32, 3)  // [0. 1. 2.]
Array iota(ElementType dtype, int64_t size, std::source_location line = std::source_location::current());
/// Returns the index of each element along `dimension`.
/// Example    broadcasted_iota(int32, {2, 3}, 1)  // [[0 1 2] [0 1 2]]
Array broadcasted_iota(ElementType dtype, const Dimensions& shape, int64_t dimension,
                       std::source_location line = std::source_location::current());
inline ElementType dtype(const Operand& x) { return x.array().dtype(); }
inline ElementType dtype(ElementType type) { return canonical_type(type); }
inline ElementType dtype(ScalarType type) { return canonical_type(type.type); }
/// Returns the dimensions as an array of s32.
Array shape_as_value(const Dimensions& shape, std::source_location line = std::source_location::current());

// ---- reshaping and broadcasting -------------------------------------------------------------------------------------
/// Returns the elements in a new shape: jax.lax.reshape. Reads them in the order of `dimensions`; default: row-major.
/// Errors     INVALID_ARGUMENT if the numbers of elements differ, or a size is negative (-1 works in numpy::reshape
///            only)
/// Example    reshape(numpy::arange(6), {2, 3})  // [[0 1 2] [3 4 5]]
Array reshape(const Operand& operand, const Dimensions& new_sizes, const OptionalDimensions& dimensions = std::nullopt);
/// Repeats the operand along new leading axes of these sizes.
Array broadcast(const Operand& operand, const Dimensions& sizes);
/// Broadcasts to `shape`: jax.lax.broadcast_in_dim. Axis i of the operand becomes axis broadcast_dimensions[i] of the
/// result; axes of size 1 are repeated.
/// Errors     INVALID_ARGUMENT unless the dimensions ascend and sizes fit
/// Example    broadcast_in_dim(numpy::array({1, 2}), {2, 3}, {0})  // [[1 1 1] [2 2 2]]
Array broadcast_in_dim(const Operand& operand, const Dimensions& shape, const Dimensions& broadcast_dimensions);
/// Broadcasts to the shape of another array by NumPy's rules.
Array broadcast_like(const Operand& arr, const Operand& like_arr);
/// Adds leading axes of size 1 until the rank is `rank`.
Array broadcast_to_rank(const Operand& x, int64_t rank);
namespace detail {
Dimensions broadcast_shapes(std::span<const Dimensions> shapes);
}  // namespace detail
/// Returns the common shape of all of these, by NumPy's rules.
/// Errors     INVALID_ARGUMENT for incompatible shapes
template <int = 0>
Dimensions broadcast_shapes(std::span<const Dimensions> shapes) {
  return detail::broadcast_shapes(shapes);
}
Dimensions broadcast_shapes(const Dimensions& first, const Dimensions& second = {}, const Dimensions& third = {},
                            const Dimensions& fourth = {}, const Dimensions& fifth = {}, const Dimensions& sixth = {});
/// Merges axes start_dimension .. stop_dimension - 1 into one; by default all from the first one on.
Array collapse(const Operand& operand, int64_t start_dimension, std::optional<int64_t> stop_dimension = std::nullopt);
/// Removes these axes, which have size 1.
Array squeeze(const Operand& array, const Dimensions& dimensions);
/// Inserts axes of size 1 at these positions of the result.
/// Example    expand_dims(numpy::arange(3), {0, 2}).shape()  // (1, 3, 1)
Array expand_dims(const Operand& array, const Dimensions& dimensions);

// ---- order ----------------------------------------------------------------------------------------------------------
/// Permutes the axes: axis i of the result is axis permutation[i] of the operand. jax.lax.transpose.
/// Example    transpose(numpy::ones({2, 3}), {1, 0}).shape()  // (3, 2)
Array transpose(const Operand& operand, const Dimensions& permutation);
/// Reverses the order of elements along these axes.
/// Example    rev(numpy::arange(4), {0})  // [3 2 1 0]
Array rev(const Operand& operand, const Dimensions& dimensions);

// ---- joining and repeating ------------------------------------------------------------------------------------------
/// Concatenates arrays along an existing axis: jax.lax.concatenate.
/// Errors     INVALID_ARGUMENT if types differ, or sizes other than along `dimension`
/// Example    concatenate({numpy::arange(2), numpy::arange(3)}, 0)  // [0 1 0 1 2]
Array concatenate(const std::vector<Array>& operands, int64_t dimension,
                  std::source_location line = std::source_location::current());
/// Stacks arrays of one shape along a new axis.
/// Example    stack({numpy::arange(2), numpy::arange(2)}, 1)  // [[0 0] [1 1]]
Array stack(const std::vector<Array>& operands, int64_t axis = 0,
            std::source_location line = std::source_location::current());
/// Concatenates the elements of a std::tuple, pair or array.
template <ArrayParts Parts>
Array concatenate(const Parts& operands, int64_t dimension,
                  std::source_location line = std::source_location::current()) {
  return lax::concatenate(hilo::list_of(operands), dimension, line);
}
template <ArrayParts Parts>
Array stack(const Parts& operands, int64_t axis = 0, std::source_location line = std::source_location::current()) {
  return lax::stack(hilo::list_of(operands), axis, line);
}
/// Returns the slices along an axis, without that axis.
std::vector<Array> unstack(const Operand& x, int64_t axis = 0);
/// Splits an array into parts of these sizes along an axis.
/// Errors     INVALID_ARGUMENT unless they add up to the axis' size
/// Example    split(numpy::arange(5), {2, 3})[1]  // [2 3 4]
std::vector<Array> split(const Operand& operand, const Dimensions& sizes, int64_t axis = 0);
/// Repeats the operand along each axis, reps[i] times along axis i.
Array tile(const Operand& operand, const Dimensions& reps);
/// Numbers of padding elements before, behind, and between two elements of an axis.
struct PaddingConfig {
  int64_t low = 0, high = 0, interior = 0;
};
/// Pads each axis with `padding_value`: jax.lax.pad. Negative padding crops.
/// Errors     INVALID_ARGUMENT for a negative interior, or if negative padding removes more elements than exist
/// Example    pad(numpy::array({1, 2}), 0, {{.low = 1, .high = 2, .interior = 1}})  // [0 1 0 2 0 0]
Array pad(const Operand& operand, const Operand& padding_value, const std::vector<PaddingConfig>& padding_config);

// ---- types ----------------------------------------------------------------------------------------------------------
/// Reinterprets the bits as another type: jax.lax.bitcast_convert_type.
/// Shapes     A narrower type adds a last axis; a wider one removes it.
/// Errors     INVALID_ARGUMENT if the last axis doesn't have as many elements as one wider element needs
/// Example    bitcast_convert_type(1.0f, uint32)  // 1065353216
Array bitcast_convert_type(const Operand& operand, ElementType new_dtype);

}  // namespace hilo::lax
