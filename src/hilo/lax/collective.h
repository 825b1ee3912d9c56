// SPDX-License-Identifier: Apache-2.0
// lax/collective.h -- functions over the named axis of a surrounding vmap, pmap or shard_map: jax.lax.psum and the like.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hilo/tree/tree.h"

namespace hilo::lax {

/// The axis that a function speaks along, or several as one, the first major: `"x"`, `{"x", "y"}`.
class AxisNames : public std::vector<std::string> {
 public:
  AxisNames(const char* axis) : vector{axis} {}
  AxisNames(const std::string& axis) : vector{axis} {}
  AxisNames(std::initializer_list<const char*> axes) : vector(axes.begin(), axes.end()) {}
  AxisNames(std::vector<std::string> axes) : vector(std::move(axes)) {}
};

/// A tree that isn't one array: the functions below go leaf by leaf.
template <typename T>
concept TreeOfArrays = Tree<T> && !OperandLike<const T&>;

/// The sum of `x` over all members of the axis, for each member.
/// Types      numbers; booleans count as s32
/// Errors     INVALID_ARGUMENT "unbound axis name: i" where no vmap, pmap or shard_map around the call has the axis
/// Gradient   the psum of the cotangent
/// Example    vmap([](Array x) { return x / lax::psum(x, "i"); }, {0}, {0}, "i")(xs)
Array psum(const Operand& x, const AxisNames& axis_name);
/// psum / axis_size; integers become f32.
Array pmean(const Operand& x, const AxisNames& axis_name);
/// The greatest and the least value over the members, elementwise; NaN wins. No derivative, as in JAX.
Array pmax(const Operand& x, const AxisNames& axis_name);
Array pmin(const Operand& x, const AxisNames& axis_name);

/// The `x` of member `source`, for each member.
/// Errors     as psum; INVALID_ARGUMENT for a source that isn't in the axis
/// Gradient   the sum of the cotangents goes to the source
Array pbroadcast(const Operand& x, const AxisNames& axis_name, int64_t source);

struct AllGatherOptions {
  int64_t axis = 0;
  bool tiled = false;
};
/// All members' `x`, stacked along a new axis `axis`; if `tiled`, joined along the existing one.
/// Errors     as psum; INVALID_ARGUMENT for an axis out of range
/// Gradient   the sum of the members' cotangents for this member's part
Array all_gather(const Operand& x, const AxisNames& axis_name, const AllGatherOptions& options = {});
template <int = 0>
Array all_gather(const Operand& x, const AxisNames& axis_name, int64_t axis, bool tiled = false) {
  return all_gather(x, axis_name, AllGatherOptions{.axis = axis, .tiled = tiled});
}

/// Sends `x` from `first` to `second` of each pair; who isn't sent to gets zeros.
/// Errors     as psum; INVALID_ARGUMENT for a source or destination that stands twice or isn't in the axis
/// Gradient   goes back along the pairs
Array ppermute(const Operand& x, const AxisNames& axis_name, std::vector<std::pair<int64_t, int64_t>> permutation);

/// `x` from member perm[i] goes to member i.
Array pshuffle(const Operand& x, const AxisNames& axis_name, const std::vector<int64_t>& perm);

struct AllToAllOptions {
  bool tiled = false;
};
/// Each member's `x` is cut along split_axis, part j goes to member j, and what a member gets is put together along
/// concat_axis. Parts have extent 1 and lose the axis, and the result has a new one; if `tiled`, parts are as long as the
/// axis divided by the number of members, and are joined along the existing axis.
/// Errors     as psum; INVALID_ARGUMENT where the axis can't be cut so
/// Cost       each member sends all slices but its own, once along each axis
/// Gradient   the all_to_all the other way round
Array all_to_all(const Operand& x, const AxisNames& axis_name, int64_t split_axis, int64_t concat_axis,
                 const AllToAllOptions& options = {});
/// all_to_all whose members change places with one axis.
Array pswapaxes(const Operand& x, const AxisNames& axis_name, int64_t axis);

struct PsumScatterOptions {
  int64_t scatter_dimension = 0;
  bool tiled = false;
};
/// psum, of which each member gets its part along scatter_dimension: one slice, without the axis; if `tiled`, the axis
/// divided by the number of members.
/// Errors     as psum; INVALID_ARGUMENT where the axis can't be cut so
/// Gradient   the all_gather of the cotangent
Array psum_scatter(const Operand& x, const AxisNames& axis_name, const PsumScatterOptions& options = {});

/// Which member of the axis this is, as s32[].
Array axis_index(const AxisNames& axis_name, std::source_location location = std::source_location::current());
/// How many members the axis has.
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
