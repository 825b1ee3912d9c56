// SPDX-License-Identifier: Apache-2.0
// numpy/ravel_pytree.h -- jax.flatten_util: a tree of arrays as one vector, and back.
#pragma once

#include "hilo/numpy/numpy.h"
#include "hilo/tree/tree.h"

namespace hilo::flatten_util {

namespace detail {
/// One vector of all leaves, of their common type.
Array ravel(std::span<const Array> leaves);
std::vector<Array> unravel(const Array& flat, std::span<const Shape> shapes);
}  // namespace detail

/// (vector, unravel): all arrays of a tree in one vector of their common type, and the function that makes such a tree of
/// such a vector. jax.flatten_util.ravel_pytree.
/// Errors     of unravel: INVALID_ARGUMENT for a vector of another size
/// Example    auto [flat, unravel] = flatten_util::ravel_pytree(parameters);
template <Tree T>
auto ravel_pytree(const T& tree) {
  const std::vector<Array> leaves = flatten(tree).leaves;
  std::vector<Shape> shapes;
  for (const Array& leaf : leaves) shapes.push_back(leaf.aval_shape());
  const T like = unflatten(tree, std::vector<Array>(leaves.size()));
  return std::pair(detail::ravel(leaves), [like, shapes = std::move(shapes)](const Array& flat) {
    return unflatten(like, detail::unravel(flat, shapes));
  });
}

}  // namespace hilo::flatten_util
