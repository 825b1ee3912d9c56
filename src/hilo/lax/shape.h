// SPDX-License-Identifier: Apache-2.0
// lax/shape.h -- the functions of jax.lax that make arrays and give them other shapes.
#pragma once

#include <optional>
#include <vector>

#include "hilo/array/arguments.h"
#include "hilo/array/array.h"

namespace hilo::lax {

using hilo::Named, hilo::OptionalDimensions;

// ---- making arrays --------------------------------------------------------------------------------------------------
/// An array full of one value, of its type or of `dtype`.
Array full(const Dimensions& shape, const Operand& fill_value, std::optional<ElementType> dtype = std::nullopt);
struct FullLikeOptions {
  std::optional<ElementType> dtype = std::nullopt;
  OptionalDimensions shape = std::nullopt;
};
/// In the type and shape of `x` but for what is said otherwise.
Array full_like(const Operand& x, const Operand& fill_value, const FullLikeOptions& options = {});
template <int = 0>
Array full_like(const Operand& x, const Operand& fill_value, ElementType dtype,
                const OptionalDimensions& shape = std::nullopt) {
  return full_like(x, fill_value, FullLikeOptions{.dtype = dtype, .shape = shape});
}
/// Zeros, since no memory is without a value.
Array empty(const Dimensions& shape, ElementType dtype, std::source_location line = std::source_location::current());
/// 0, 1, ..., size - 1.
Array iota(ElementType dtype, int64_t size, std::source_location line = std::source_location::current());
/// The position of each element along `dimension`.
Array broadcasted_iota(ElementType dtype, const Dimensions& shape, int64_t dimension,
                       std::source_location line = std::source_location::current());
inline ElementType dtype(const Operand& x) { return x.array().dtype(); }
inline ElementType dtype(ElementType type) { return canonical_type(type); }
inline ElementType dtype(ScalarType type) { return canonical_type(type.type); }
/// The extents as an array of s32.
Array shape_as_value(const Dimensions& shape, std::source_location line = std::source_location::current());

// ---- extents --------------------------------------------------------------------------------------------------------
/// Errors    INVALID_ARGUMENT if the numbers of elements differ, or an extent is negative: -1 is numpy's
/// The elements are read in the order of `dimensions`, by default as they are.
Array reshape(const Operand& operand, const Dimensions& new_sizes, const OptionalDimensions& dimensions = std::nullopt);
/// New axes of these extents in front.
Array broadcast(const Operand& operand, const Dimensions& sizes);
/// Axis i of the operand becomes axis broadcast_dimensions[i] of the result; one of extent 1 is repeated.
/// Errors    INVALID_ARGUMENT unless the dimensions ascend and extents fit
Array broadcast_in_dim(const Operand& operand, const Dimensions& shape, const Dimensions& broadcast_dimensions);
/// As NumPy broadcasts, to the shape of another array.
Array broadcast_like(const Operand& arr, const Operand& like_arr);
/// New axes of extent 1 in front until there are `rank`.
Array broadcast_to_rank(const Operand& x, int64_t rank);
/// The common shape of all of these, by NumPy's rules. Errors    INVALID_ARGUMENT for two that don't fit
namespace detail {
Dimensions broadcast_shapes(std::span<const Dimensions> shapes);
}
template <int = 0>
Dimensions broadcast_shapes(std::span<const Dimensions> shapes) {
  return detail::broadcast_shapes(shapes);
}
Dimensions broadcast_shapes(const Dimensions& first, const Dimensions& second = {}, const Dimensions& third = {},
                            const Dimensions& fourth = {}, const Dimensions& fifth = {}, const Dimensions& sixth = {});
/// Axes start_dimension .. stop_dimension - 1 made one; by default all from the first one on.
Array collapse(const Operand& operand, int64_t start_dimension, std::optional<int64_t> stop_dimension = std::nullopt);
Array squeeze(const Operand& array, const Dimensions& dimensions);
/// New axes of extent 1, where the result has them.
Array expand_dims(const Operand& array, const Dimensions& dimensions);

// ---- order ----------------------------------------------------------------------------------------------------------
Array transpose(const Operand& operand, const Dimensions& permutation);
/// The other way round along these axes.
Array rev(const Operand& operand, const Dimensions& dimensions);

// ---- joining and repeating ------------------------------------------------------------------------------------------
/// Errors    INVALID_ARGUMENT if types differ, or extents other than along `dimension`
Array concatenate(const std::vector<Array>& operands, int64_t dimension,
                  std::source_location line = std::source_location::current());
Array stack(const std::vector<Array>& operands, int64_t axis = 0,
            std::source_location line = std::source_location::current());
/// The same of a std::tuple, pair or array.
template <ArrayParts Parts>
Array concatenate(const Parts& operands, int64_t dimension,
                  std::source_location line = std::source_location::current()) {
  return lax::concatenate(hilo::list_of(operands), dimension, line);
}
template <ArrayParts Parts>
Array stack(const Parts& operands, int64_t axis = 0, std::source_location line = std::source_location::current()) {
  return lax::stack(hilo::list_of(operands), axis, line);
}
std::vector<Array> unstack(const Operand& x, int64_t axis = 0);
/// Parts of these extents along an axis. Errors    INVALID_ARGUMENT unless they add up to its extent
std::vector<Array> split(const Operand& operand, const Dimensions& sizes, int64_t axis = 0);
/// Repeated so often along each axis.
Array tile(const Operand& operand, const Dimensions& reps);
/// How many elements `padding_value` are put before, behind, and between two elements of an axis.
struct PaddingConfig {
  int64_t low = 0, high = 0, interior = 0;
};
/// Errors    INVALID_ARGUMENT for a negative interior, or if negative padding takes more than is there
Array pad(const Operand& operand, const Operand& padding_value, const std::vector<PaddingConfig>& padding_config);

// ---- types ----------------------------------------------------------------------------------------------------------
/// The same bits as another type. Where it is narrower the result has one more axis, where it is wider one less.
/// Errors    INVALID_ARGUMENT if the last axis doesn't have as many elements as make one
Array bitcast_convert_type(const Operand& operand, ElementType new_dtype);

}  // namespace hilo::lax
