// SPDX-License-Identifier: Apache-2.0
// lax/collective.h -- functions over the named axis of a surrounding vmap or pmap: jax.lax.psum and the like.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hilo/tree/tree.h"

namespace hilo::lax {

/// A tree that isn't one array: the functions below go leaf by leaf.
template <typename T>
concept TreeOfArrays = Tree<T> && !std::convertible_to<const T&, Operand>;

/// The sum of `x` over all members of the axis, for each member.
/// Types      numbers; booleans count as s32
/// Errors     INVALID_ARGUMENT "unbound axis name: i" where no vmap or pmap around the call has the axis
/// Gradient   the psum of the cotangent
/// Example    vmap([](Array x) { return x / lax::psum(x, "i"); }, {0}, {0}, "i")(xs)
Array psum(const Operand& x, const std::string& axis_name);
/// psum / axis_size; integers become f32.
Array pmean(const Operand& x, const std::string& axis_name);
/// The greatest and the least value over the members, elementwise; NaN wins. No derivative, as in JAX.
Array pmax(const Operand& x, const std::string& axis_name);
Array pmin(const Operand& x, const std::string& axis_name);

/// All members' `x`, stacked along a new axis `axis`; if `tiled`, joined along the existing one.
/// Errors     as psum; INVALID_ARGUMENT for an axis out of range
/// Gradient   the sum of the members' cotangents for this member's part
Array all_gather(const Operand& x, const std::string& axis_name, int64_t axis = 0, bool tiled = false);

/// Sends `x` from `first` to `second` of each pair; who isn't sent to gets zeros.
/// Errors     as psum; INVALID_ARGUMENT for a source or destination that stands twice or isn't in the axis
/// Gradient   goes back along the pairs
Array ppermute(const Operand& x, const std::string& axis_name, std::vector<std::pair<int64_t, int64_t>> permutation);

/// Which member of the axis this is, as s32[].
Array axis_index(const std::string& axis_name, std::source_location location = std::source_location::current());
/// How many members the axis has.
int64_t axis_size(const std::string& axis_name, std::source_location location = std::source_location::current());

template <TreeOfArrays T>
T psum(const T& tree, const std::string& axis_name) {
  return tree_map([&](const Array& x) { return psum(x, axis_name); }, tree);
}
template <TreeOfArrays T>
T pmean(const T& tree, const std::string& axis_name) {
  return tree_map([&](const Array& x) { return pmean(x, axis_name); }, tree);
}

}  // namespace hilo::lax
