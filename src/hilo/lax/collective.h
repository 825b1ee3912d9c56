// SPDX-License-Identifier: Apache-2.0
// lax/collective.h -- collectives over a named axis of a surrounding vmap, pmap or shard_map: jax.lax.psum and the
// like.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hilo/tree/tree.h"

namespace hilo::lax {

/// The axis of a collective, or several axes as one, the first of which is the major one: `"x"`, `{"x", "y"}`.
class AxisNames : public std::vector<std::string> {
 public:
  AxisNames(const char* axis) : vector{axis} {}
  AxisNames(const std::string& axis) : vector{axis} {}
  AxisNames(std::initializer_list<const char*> axes) : vector(axes.begin(), axes.end()) {}
  AxisNames(std::vector<std::string> axes) : vector(std::move(axes)) {}
};

/// A tree that isn't a single array; collectives process it leaf by leaf.
template <typename T>
concept TreeOfArrays = Tree<T> && !OperandLike<const T&>;

/// Sums `x` over all members of a named axis; each member gets the sum: jax.lax.psum.
/// Types      numbers; booleans count as s32
/// Errors     INVALID_ARGUMENT "unbound axis name: i" if no surrounding vmap, pmap or shard_map has the axis
/// Gradient   the psum of the cotangent
/// Example    const auto f = [](Array x) { return x / psum(x, "i"); };
///            vmap(f, {.axis_name = "i"})(numpy::array({1.0f, 3.0f}))  // [0.25 0.75]
Array psum(const Operand& x, const AxisNames& axis_name);
/// Computes the mean of `x` over all members, psum / axis_size: jax.lax.pmean. Integers become f32.
/// Example    const auto f = [](Array x) { return x - pmean(x, "i"); };
///            vmap(f, {.axis_name = "i"})(numpy::array({1.0f, 3.0f}))  // [-1. 1.]
Array pmean(const Operand& x, const AxisNames& axis_name);
/// Compute the maximum and the minimum over the members, elementwise; NaN propagates. Not differentiable, as in JAX.
Array pmax(const Operand& x, const AxisNames& axis_name);
Array pmin(const Operand& x, const AxisNames& axis_name);

/// Returns the `x` of member `source` to each member.
/// Errors     as psum; INVALID_ARGUMENT for a source that isn't a member
/// Gradient   the source gets the sum of the cotangents
Array pbroadcast(const Operand& x, const AxisNames& axis_name, int64_t source);

struct AllGatherOptions {
  int64_t axis = 0;
  bool tiled = false;
};
/// Gathers the `x` of all members, stacked along a new axis `axis`, or with `tiled` concatenated along the existing
/// one: jax.lax.all_gather.
/// Errors     as psum; INVALID_ARGUMENT for an axis out of range
/// Gradient   the sum of the members' cotangents for this member's part
/// Example    const auto f = [](Array x) { return numpy::sum(all_gather(x, "i") * x); };
///            vmap(f, {.axis_name = "i"})(numpy::arange(3))  // [0 3 6]
Array all_gather(const Operand& x, const AxisNames& axis_name, const AllGatherOptions& options = {});
template <int = 0>
Array all_gather(const Operand& x, const AxisNames& axis_name, int64_t axis, bool tiled = false) {
  return all_gather(x, axis_name, AllGatherOptions{.axis = axis, .tiled = tiled});
}

/// Sends `x` from member `first` to member `second` of each pair; members that don't receive get zeros:
/// jax.lax.ppermute.
/// Errors     as psum; INVALID_ARGUMENT for a duplicate source or destination, or one that isn't a member
/// Gradient   the cotangents are sent in the opposite direction
/// Example    const auto shift = [](Array x) { return ppermute(x, "i", {{0, 1}, {1, 2}}); };
///            vmap(shift, {.axis_name = "i"})(numpy::array({1, 2, 3}))  // [0 1 2]
Array ppermute(const Operand& x, const AxisNames& axis_name, std::vector<std::pair<int64_t, int64_t>> permutation);

/// Sends the `x` of member perm[i] to member i.
Array pshuffle(const Operand& x, const AxisNames& axis_name, const std::vector<int64_t>& perm);

struct AllToAllOptions {
  bool tiled = false;
};
/// Splits each member's `x` along split_axis, sends part j to member j, and joins the received parts along concat_axis:
/// jax.lax.all_to_all.
/// Shapes     The size of split_axis is the number of members; the parts lose that axis, and the result has a new one.
///            With `tiled`, the number of members divides the size of split_axis, and the parts are concatenated along
///            the existing concat_axis.
/// Errors     as psum; INVALID_ARGUMENT if the axis can't be split in this way
/// Cost       each member sends all parts but its own, once along each axis
/// Gradient   the all_to_all with the axes exchanged
Array all_to_all(const Operand& x, const AxisNames& axis_name, int64_t split_axis, int64_t concat_axis,
                 const AllToAllOptions& options = {});
/// Exchanges the members' axis with an axis of `x`, by all_to_all.
Array pswapaxes(const Operand& x, const AxisNames& axis_name, int64_t axis);

struct PsumScatterOptions {
  int64_t scatter_dimension = 0;
  bool tiled = false;
};
/// Computes psum and returns to each member its part along scatter_dimension: jax.lax.psum_scatter. The part is one
/// slice without the axis; with `tiled`, the axis' size divided by the number of members.
/// Errors     as psum; INVALID_ARGUMENT if the axis can't be split in this way
/// Gradient   the all_gather of the cotangent
Array psum_scatter(const Operand& x, const AxisNames& axis_name, const PsumScatterOptions& options = {});

/// Returns the index of this member along the axis, as s32[]: jax.lax.axis_index.
/// Example    const auto f = [](Array x) { return x + 10 * axis_index("i"); };
///            vmap(f, {.axis_name = "i"})(numpy::array({1, 2, 3}))  // [ 1 12 23]
Array axis_index(const AxisNames& axis_name, std::source_location location = std::source_location::current());
/// Returns the number of members of the axis: jax.lax.axis_size.
/// Example    vmap([](Array x) { return x * axis_size("i"); }, {.axis_name = "i"})(numpy::array({1, 2, 3}))  // [3 6 9]
int64_t axis_size(const AxisNames& axis_name, std::source_location location = std::source_location::current());

template <TreeOfArrays T>
T psum(const T& tree, const AxisNames& axis_name) {
  return hilo::tree_map([&](const Array& x) { return psum(x, axis_name); }, tree);
}
template <TreeOfArrays T>
T pmean(const T& tree, const AxisNames& axis_name) {
  return hilo::tree_map([&](const Array& x) { return pmean(x, axis_name); }, tree);
}

}  // namespace hilo::lax
