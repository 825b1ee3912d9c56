// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/collective.h"

#include <algorithm>

#include "hilo/array/refuse.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/ext/named_axis.h"
#include "hilo/lax/axes.h"
#include "hilo/lax/shape.h"
#include "hilo/lax/slicing.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"

namespace hilo::lax {
namespace {

/// Returns the size of a named axis around the call. `what` names the calling function in errors.
int64_t size_of_axis(const char* what, const std::string& axis_name) {
  for (const NamedAxis& axis : named_axes()) {
    if (axis.name == axis_name) return axis.size;
  }
  or_throw(invalid_argument(at_user_line(what) + ": unbound axis name: " + axis_name +
                            ". Hint: it needs a surrounding vmap, pmap or shard_map with this axis"));
  return 0;
}

/// Returns the number of members of several axes together.
int64_t member_count(const char* what, const AxisNames& axis_names) {
  int64_t count = 1;
  for (const std::string& name : axis_names) count *= size_of_axis(what, name);
  return count;
}

template <typename T>
std::shared_ptr<T> over_axis(const char* what, const std::string& axis_name) {
  auto attributes = std::make_shared<T>();
  attributes->axis_name = axis_name;
  attributes->axis_size = size_of_axis(what, axis_name);
  return attributes;
}

/// Merges the dimensions axis and axis + 1 of `x`.
Array merged(const Array& x, int64_t axis) {
  std::vector<int64_t> sizes(x.shape().begin(), x.shape().end());
  sizes[axis] *= sizes[axis + 1];
  sizes.erase(sizes.begin() + axis + 1);
  return ops::reshape(x, sizes);
}

Array reduced(hlo::Opcode opcode, const char* what, const Array& x, const AxisNames& axis_names) {
  Array total = x;
  for (const std::string& name : axis_names)
    total = bind_one(opcode, {total}, over_axis<hlo::NamedAxisAttributes>(what, name));
  return total;
}

/// Returns the row-major index as s32[].
Array member_index(const char* what, const AxisNames& axis_names) {
  Array index = ops::scalar(0, ElementType::kS32);
  for (size_t i = 0; i < axis_names.size(); ++i) {
    const auto axis = over_axis<hlo::NamedAxisAttributes>(what, axis_names[i]);
    const Array along = bind_one(hlo::kExtAxisIndex, {}, axis);
    index =
        i == 0 ? along : ops::add(ops::mul(index, ops::full_like(index, static_cast<double>(axis->axis_size))), along);
  }
  return index;
}

/// Stacks the `x` of all members along a new axis; the minor axis varies fastest.
Array stacked(const char* what, const Array& x, const AxisNames& axis_names, int64_t place) {
  Array all = x;
  for (size_t i = axis_names.size(); i-- > 0;) {
    auto attributes = over_axis<hlo::NamedAllGatherAttributes>(what, axis_names[i]);
    attributes->dimension = place;
    all = bind_one(hlo::kExtAllGather, {all}, std::move(attributes));
    if (i + 1 < axis_names.size()) all = merged(all, place);
  }
  return all;
}

/// Returns `x` with a dimension that has a slice for each member. If `tiled`, splits the dimension: f32[8] of 4 members
/// -> f32[4,2].
Array in_slices(const char* what, const Array& x, const AxisNames& axis_names, int64_t dimension, bool tiled) {
  const int64_t members = member_count(what, axis_names), extent = x.shape(dimension);
  if (tiled ? extent % members != 0 : extent != members)
    or_throw(invalid_argument(at_user_line(what) + ": the dimension must " + (tiled ? "be a multiple of" : "have") +
                              " the axis's " + std::to_string(members) + " members; got " + std::to_string(extent)));
  if (!tiled) return x;
  std::vector<int64_t> sizes(x.shape().begin(), x.shape().end());
  sizes[dimension] /= members;
  sizes.insert(sizes.begin() + dimension, members);
  return ops::reshape(x, sizes);
}

/// Splits a dimension of all members into one per axis: f32[8,3] of x=2 and y=4 -> f32[2,4,3].
Array by_axes(const Array& x, const AxisNames& axis_names, int64_t dimension) {
  if (axis_names.size() == 1) return x;
  std::vector<int64_t> sizes(x.shape().begin(), x.shape().end());
  sizes.erase(sizes.begin() + dimension);
  for (size_t i = 0; i < axis_names.size(); ++i)
    sizes.insert(sizes.begin() + dimension + static_cast<int64_t>(i), size_of_axis("all_to_all", axis_names[i]));
  return ops::reshape(x, sizes);
}

/// Exchanges slices, along one axis after the other: returns the slices that all members have for this one, in front.
Array exchanged(const Array& slices, const AxisNames& axis_names, int64_t split) {
  Array x = by_axes(move_axis(slices, split, 0), axis_names, 0);
  for (size_t i = 0; i < axis_names.size(); ++i) {
    auto attributes = over_axis<hlo::NamedAllToAllAttributes>("all_to_all", axis_names[i]);
    attributes->split = attributes->concat = static_cast<int64_t>(i);
    x = bind_one(hlo::kExtAllToAll, {x}, std::move(attributes));
  }
  for (size_t i = 1; i < axis_names.size(); ++i) x = merged(x, 0);
  return x;
}

/// Returns the `x` of the member that is `hops` positions before this one along each axis; axes are rings.
Array from_before(Array x, const AxisNames& axis_names, const std::vector<int64_t>& hops) {
  for (size_t i = 0; i < axis_names.size(); ++i) {
    if (hops[i] == 0) continue;
    auto attributes = over_axis<hlo::PpermuteAttributes>("ppermute", axis_names[i]);
    for (int64_t member = 0; member < attributes->axis_size; ++member)
      attributes->permutation.emplace_back(member, (member + hops[i]) % attributes->axis_size);
    x = bind_one(hlo::kExtPpermute, {x}, std::move(attributes));
  }
  return x;
}

/// Returns the distance from source to target along each axis.
std::vector<int64_t> hops_between(const AxisNames& axis_names, int64_t source, int64_t target) {
  std::vector<int64_t> hops(axis_names.size());
  for (size_t i = axis_names.size(); i-- > 0;) {
    const int64_t size = size_of_axis("ppermute", axis_names[i]);
    hops[i] = (target % size - source % size + size) % size;
    source /= size;
    target /= size;
  }
  return hops;
}

/// Computes ppermute over several axes. Pairs with equal distances are sent together; each target selects its own
/// value.
/// Example    a shift by one along x=2, y=4: one along y, and from the end of a row one along y and one along x
Array permuted(const Array& x, const AxisNames& axis_names, const std::vector<std::pair<int64_t, int64_t>>& pairs) {
  const int64_t members = member_count("ppermute", axis_names);
  std::vector<std::vector<int64_t>> ways;
  std::vector<int32_t> way_of(members, -1);
  std::vector<bool> sends(way_of.size());
  for (const auto& [source, target] : pairs) {
    const bool fits = source >= 0 && source < members && target >= 0 && target < members;
    if (!fits || sends[source] || way_of[target] >= 0)
      refuse("ppermute", "sources and destinations must be unique members of the axes; got (" + std::to_string(source) +
                             ", " + std::to_string(target) + ") among " + std::to_string(members));
    sends[source] = true;
    const std::vector<int64_t> hops = hops_between(axis_names, source, target);
    const auto way = std::ranges::find(ways, hops) - ways.begin();
    if (way == std::ssize(ways)) ways.push_back(hops);
    way_of[target] = static_cast<int32_t>(way);
  }
  const std::vector<int64_t> count = {members};
  const Array table = ops::constant(Literal::array<int32_t>(count, way_of));
  const DynamicSliceInDimOptions one{.axis = 0, .allow_negative_indices = false};
  const Array own = squeeze(dynamic_slice_in_dim(table, member_index("ppermute", axis_names), 1, one), {0});
  const Shape flags = x.aval_shape().with_element_type(ElementType::kPred);
  Array created = ops::full_like(x, 0);
  for (size_t way = 0; way < ways.size(); ++way) {
    const Array is_target = ops::eq(own, ops::full_like(own, static_cast<double>(way)));
    const Array sent = from_before(x, axis_names, ways[way]);
    created = ops::select(ops::broadcast_in_dim(is_target, flags, {}), sent, created);
  }
  return created;
}

/// "x" or "x,y"
std::string text_of(const AxisNames& axis_names) {
  std::string text;
  for (const std::string& name : axis_names) text += (text.empty() ? "" : ",") + name;
  return text;
}

}  // namespace

Array psum(const Operand& x, const AxisNames& axis_name) {
  const UserLocation here(x.location());
  const bool boolean = x.array().dtype() == ElementType::kPred;
  const Array number = boolean ? ops::convert_element_type(x, ElementType::kS32) : x.array();
  return reduced(hlo::kExtPsum, "psum", number, axis_name);
}

Array pmean(const Operand& x, const AxisNames& axis_name) {
  const UserLocation here(x.location());
  const int64_t size = member_count("pmean", axis_name);
  const bool inexact = is_floating(x.array().dtype()) || is_complex(x.array().dtype());
  const Array total = psum(inexact ? x.array() : ops::convert_element_type(x, ElementType::kF32), axis_name);
  return ops::div(total, ops::full_like(total, static_cast<double>(size)));
}

Array pmax(const Operand& x, const AxisNames& axis_name) {
  const UserLocation here(x.location());
  return reduced(hlo::kExtPmax, "pmax", x.array(), axis_name);
}

Array pmin(const Operand& x, const AxisNames& axis_name) {
  const UserLocation here(x.location());
  return reduced(hlo::kExtPmin, "pmin", x.array(), axis_name);
}

Array pbroadcast(const Operand& x, const AxisNames& axis_name, int64_t source) {
  const UserLocation here(x.location());
  const int64_t members = axis_size(axis_name, x.location());
  if (source < 0 || source >= members)
    refuse("pbroadcast",
           "no member " + std::to_string(source) + " in axis " + text_of(axis_name) + " of " + std::to_string(members));
  const Array is_source =
      ops::eq(axis_index(axis_name, x.location()), ops::scalar(static_cast<double>(source), ElementType::kS32));
  const Array& own = x.array();
  const Array everywhere = ops::broadcast_in_dim(is_source, own.aval_shape().with_element_type(ElementType::kPred), {});
  return psum(ops::select(everywhere, own, ops::full_like(own, 0)), axis_name);
}

Array all_gather(const Operand& x, const AxisNames& axis_name, const AllGatherOptions& options) {
  const UserLocation here(x.location());
  const auto [axis, tiled] = options;
  const int64_t axes = x.array().ndim() + (tiled ? 0 : 1);
  const int64_t place = axis < 0 ? axis + axes : axis;
  if (place < 0 || place >= axes) {
    or_throw(invalid_argument(at_user_line("all_gather") + ": axis " + std::to_string(axis) + " is out of range for " +
                              x.array().aval_shape().to_string()));
  }
  const Array all = stacked("all_gather", x.array(), axis_name, place);
  return tiled ? merged(all, place) : all;
}

Array ppermute(const Operand& x, const AxisNames& axis_name, std::vector<std::pair<int64_t, int64_t>> permutation) {
  const UserLocation here(x.location());
  if (axis_name.size() != 1) return permuted(x, axis_name, permutation);
  auto attributes = over_axis<hlo::PpermuteAttributes>("ppermute", axis_name[0]);
  attributes->permutation = std::move(permutation);
  return bind_one(hlo::kExtPpermute, {x.array()}, std::move(attributes));
}

Array pshuffle(const Operand& x, const AxisNames& axis_name, const std::vector<int64_t>& perm) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i < perm.size(); ++i) pairs.emplace_back(perm[i], static_cast<int64_t>(i));
  return ppermute(x, axis_name, std::move(pairs));
}

Array all_to_all(const Operand& x, const AxisNames& axis_name, int64_t split_axis, int64_t concat_axis,
                 const AllToAllOptions& options) {
  const UserLocation here(x.location());
  const Array& own = x.array();
  const int64_t split = canonical_axis("all_to_all", split_axis, own.ndim()),
                concat = canonical_axis("all_to_all", concat_axis, own.ndim());
  const Array slices = in_slices("all_to_all", own, axis_name, split, options.tiled);
  if (axis_name.size() == 1) {
    auto attributes = over_axis<hlo::NamedAllToAllAttributes>("all_to_all", axis_name[0]);
    attributes->split = split;
    attributes->concat = concat;
    const Array stacked = bind_one(hlo::kExtAllToAll, {slices}, std::move(attributes));
    return options.tiled ? merged(stacked, concat) : stacked;
  }
  const Array stacked = move_axis(exchanged(slices, axis_name, split), 0, concat);
  return options.tiled ? merged(stacked, concat) : stacked;
}

Array pswapaxes(const Operand& x, const AxisNames& axis_name, int64_t axis) {
  return all_to_all(x, axis_name, axis, axis);
}

Array psum_scatter(const Operand& x, const AxisNames& axis_name, const PsumScatterOptions& options) {
  const UserLocation here(x.location());
  const int64_t axis = canonical_axis("psum_scatter", options.scatter_dimension, x.array().ndim());
  const bool boolean = x.array().dtype() == ElementType::kPred;
  const Array number = boolean ? ops::convert_element_type(x, ElementType::kS32) : x.array();
  Array part = by_axes(in_slices("psum_scatter", number, axis_name, axis, options.tiled), axis_name, axis);
  for (const std::string& name : axis_name) {
    auto attributes = over_axis<hlo::PsumScatterAttributes>("psum_scatter", name);
    attributes->dimension = axis;
    part = bind_one(hlo::kExtPsumScatter, {part}, std::move(attributes));
  }
  return part;
}

Array axis_index(const AxisNames& axis_name, std::source_location location) {
  const UserLocation here(location);
  return member_index("axis_index", axis_name);
}

int64_t axis_size(const AxisNames& axis_name, std::source_location location) {
  const UserLocation here(location);
  return member_count("axis_size", axis_name);
}

}  // namespace hilo::lax
