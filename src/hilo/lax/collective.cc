// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/collective.h"

#include <algorithm>

#include "hilo/hlo/ops/ext/named_axis.h"
#include "hilo/hlo/ops/extensions.h"
#include "hilo/lax/axes.h"
#include "hilo/lax/shape.h"
#include "hilo/lax/slicing.h"
#include "hilo/trace/ops.h"
#include "hilo/trace/refuse.h"
#include "hilo/transform/batch.h"

namespace hilo::lax {
namespace {

/// The size of a named axis around the call; `what` is the function that asks.
int64_t size_of_axis(const char* what, const std::string& axis_name) {
  for (const NamedAxis& axis : named_axes()) {
    if (axis.name == axis_name) return axis.size;
  }
  or_throw(invalid_argument(at_user_line(what) + ": unbound axis name: " + axis_name +
                            ". Hint: it needs a surrounding vmap, pmap or shard_map with this axis"));
  return 0;
}

/// Members of several axes as one.
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

/// `x` with dimensions axis and axis + 1 made one.
Array merged(const Array& x, int64_t axis) {
  std::vector<int64_t> sizes(x.shape().begin(), x.shape().end());
  sizes[static_cast<size_t>(axis)] *= sizes[static_cast<size_t>(axis) + 1];
  sizes.erase(sizes.begin() + axis + 1);
  return ops::reshape(x, sizes);
}

Array reduced(hlo::Opcode opcode, const char* what, const Array& x, const AxisNames& axis_names) {
  Array total = x;
  for (const std::string& name : axis_names)
    total = bind_one(opcode, {total}, over_axis<hlo::NamedAxisAttributes>(what, name));
  return total;
}

/// Row-major, as s32[].
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

/// All members' `x`, stacked along a new axis: those of the minor axis first.
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

/// This member's part of `x` along a dimension: a slice, without the dimension, or as many as fall to it.
Array own_part(const char* what, const Array& x, const AxisNames& axis_name, int64_t dimension, bool tiled) {
  const int64_t members = member_count(what, axis_name), extent = x.shape(dimension);
  if (tiled ? extent % members != 0 : extent != members)
    or_throw(invalid_argument(at_user_line(what) + ": the dimension must " + (tiled ? "be a multiple of" : "have") +
                              " the axis's " + std::to_string(members) + " members; got " + std::to_string(extent)));
  const int64_t count = extent / members;
  const Array member = member_index(what, axis_name);
  const Array start = ops::mul(member, ops::full_like(member, static_cast<double>(count)));
  const Array part = dynamic_slice_in_dim(x, start, count, {.axis = dimension, .allow_negative_indices = false});
  return tiled ? part : squeeze(part, {dimension});
}

/// ppermute over several axes: each takes its source's from what all have.
Array permuted(const Array& x, const AxisNames& axis_names, const std::vector<std::pair<int64_t, int64_t>>& pairs) {
  const int64_t members = member_count("ppermute", axis_names);
  std::vector<int32_t> source_of(static_cast<size_t>(members), -1);
  std::vector<bool> sends(source_of.size());
  for (const auto& [source, target] : pairs) {
    const bool fits = source >= 0 && source < members && target >= 0 && target < members;
    if (!fits || sends[static_cast<size_t>(source)] || source_of[static_cast<size_t>(target)] >= 0)
      refuse("ppermute", "sources and destinations must be unique members of the axes; got (" + std::to_string(source) +
                             ", " + std::to_string(target) + ") among " + std::to_string(members));
    sends[static_cast<size_t>(source)] = true;
    source_of[static_cast<size_t>(target)] = static_cast<int32_t>(source);
  }
  const std::vector<int64_t> count = {members};
  const Array table = ops::constant(Literal::array<int32_t>(count, source_of));
  const DynamicSliceInDimOptions one{.axis = 0, .allow_negative_indices = false};
  const Array source = squeeze(dynamic_slice_in_dim(table, member_index("ppermute", axis_names), 1, one), {0});
  const Array is_target = ops::ge(source, ops::full_like(source, 0));
  const Array sent = squeeze(dynamic_slice_in_dim(stacked("ppermute", x, axis_names, 0), source, 1, one), {0});
  const Array everywhere = ops::broadcast_in_dim(is_target, x.aval_shape().with_element_type(ElementType::kPred), {});
  return ops::select(everywhere, sent, ops::full_like(x, 0));
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
  const Array all = all_gather(own, axis_name);
  const Array part = own_part("all_to_all", all, axis_name, split + 1, options.tiled);
  const Array joined = move_axis(part, 0, concat);
  return options.tiled ? merged(joined, concat) : joined;
}

Array pswapaxes(const Operand& x, const AxisNames& axis_name, int64_t axis) {
  return all_to_all(x, axis_name, axis, axis);
}

Array psum_scatter(const Operand& x, const AxisNames& axis_name, const PsumScatterOptions& options) {
  const UserLocation here(x.location());
  const int64_t axis = canonical_axis("psum_scatter", options.scatter_dimension, x.array().ndim());
  return own_part("psum_scatter", psum(x, axis_name), axis_name, axis, options.tiled);
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
