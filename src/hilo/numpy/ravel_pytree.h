// SPDX-License-Identifier: Apache-2.0
// numpy/ravel_pytree.h -- jax.flatten_util: a pytree of arrays as one vector, and back.
#pragma once

#include "hilo/numpy/numpy.h"
#include "hilo/tree/tree.h"

namespace hilo::flatten_util {

namespace detail {
/// Returns one vector of all leaves, with their common type.
Array ravel(std::span<const Array> leaves);
std::vector<Shape> shapes_of(std::span<const Array> leaves);
/// Splits a vector into arrays of these shapes. `type` is the type of the vector that ravel returned.
std::vector<Array> unravel(const Array& flat, std::span<const Shape> shapes, ElementType type);
}  // namespace detail

/// Flattens a pytree of arrays to one vector of their common type. Returns the vector, and a function that converts
/// such a vector back to a pytree. jax.flatten_util.ravel_pytree.
/// Types      if all leaves have one type, unravel accepts a vector of any type; otherwise each leaf gets its own type
///            back
/// Errors     of unravel: INVALID_ARGUMENT for a vector of another size, or (if the leaves' types differ) of another
///            type
/// Example    const std::vector<Array> parameters = {numpy::ones({2}), numpy::zeros({1})};
///            const auto [flat, unravel] = flatten_util::ravel_pytree(parameters);
///            flat  // [1. 1. 0.]
///            unravel(flat * 2)[0]  // [2. 2.]
template <typename T>
auto ravel_pytree(const T& tree) {
  const std::vector<Array> leaves = hilo::flatten(tree).leaves;
  const T like = hilo::unflatten(tree, std::vector<Array>(leaves.size()));
  const Array vector = detail::ravel(leaves);
  return std::pair(vector, [like, shapes = detail::shapes_of(leaves), type = vector.dtype()](const Array& flat) {
    return hilo::unflatten(like, detail::unravel(flat, shapes, type));
  });
}

}  // namespace hilo::flatten_util
