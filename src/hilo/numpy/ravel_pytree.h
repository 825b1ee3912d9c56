// SPDX-License-Identifier: Apache-2.0
// numpy/ravel_pytree.h -- jax.flatten_util: a tree of arrays as one vector, and back.
#pragma once

#include "hilo/numpy/numpy.h"
#include "hilo/tree/tree.h"

namespace hilo::flatten_util {

namespace detail {
/// One vector of all leaves, of their common type.
Array ravel(std::span<const Array> leaves);
std::vector<Shape> shapes_of(std::span<const Array> leaves);
/// `type`: that of the vector that ravel made.
std::vector<Array> unravel(const Array& flat, std::span<const Shape> shapes, ElementType type);
}  // namespace detail

/// (vector, unravel): all arrays of a tree in one vector of their common type, and the function that makes such a tree of
/// such a vector. jax.flatten_util.ravel_pytree.
/// Types      leaves of one type: unravel takes a vector of any, and leaves have its type. Of several: each leaf gets its own
/// Errors     of unravel: INVALID_ARGUMENT for a vector of another size, or of another type where leaves have several
/// Example    auto [flat, unravel] = flatten_util::ravel_pytree(parameters);
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
