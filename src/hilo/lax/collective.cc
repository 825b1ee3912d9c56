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
                            ". Hint: it needs a surrounding vmap or pmap with this axis_name"));
  return 0;
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

/// This member's part of `x` along a dimension: a slice, without the dimension, or as many as fall to it.
Array own_part(const char* what, const Array& x, const std::string& axis_name, int64_t dimension, bool tiled) {
  const int64_t members = size_of_axis(what, axis_name), extent = x.shape(dimension);
  if (tiled ? extent % members != 0 : extent != members)
    or_throw(invalid_argument(at_user_line(what) + ": the dimension must " + (tiled ? "be a multiple of" : "have") +
                              " the axis's " + std::to_string(members) + " members; got " + std::to_string(extent)));
  const int64_t count = extent / members;
  const Array member = bind_one(hlo::kExtAxisIndex, {}, over_axis<hlo::NamedAxisAttributes>(what, axis_name));
  const Array start = ops::mul(member, ops::full_like(member, static_cast<double>(count)));
  const Array part = dynamic_slice_in_dim(x, start, count, {.axis = dimension, .allow_negative_indices = false});
  return tiled ? part : squeeze(part, {dimension});
}

}  // namespace

Array psum(const Operand& x, const std::string& axis_name) {
  const UserLocation here(x.location());
  const bool boolean = x.array().dtype() == ElementType::kPred;
  return bind_one(hlo::kExtPsum, {boolean ? ops::convert_element_type(x, ElementType::kS32) : x.array()},
                  over_axis<hlo::NamedAxisAttributes>("psum", axis_name));
}

Array pmean(const Operand& x, const std::string& axis_name) {
  const UserLocation here(x.location());
  const int64_t size = size_of_axis("pmean", axis_name);
  const bool inexact = is_floating(x.array().dtype()) || is_complex(x.array().dtype());
  const Array total = psum(inexact ? x.array() : ops::convert_element_type(x, ElementType::kF32), axis_name);
  return ops::div(total, ops::full_like(total, static_cast<double>(size)));
}

Array pmax(const Operand& x, const std::string& axis_name) {
  const UserLocation here(x.location());
  return bind_one(hlo::kExtPmax, {x.array()}, over_axis<hlo::NamedAxisAttributes>("pmax", axis_name));
}

Array pmin(const Operand& x, const std::string& axis_name) {
  const UserLocation here(x.location());
  return bind_one(hlo::kExtPmin, {x.array()}, over_axis<hlo::NamedAxisAttributes>("pmin", axis_name));
}

Array pbroadcast(const Operand& x, const std::string& axis_name, int64_t source) {
  const UserLocation here(x.location());
  const int64_t members = axis_size(axis_name, x.location());
  if (source < 0 || source >= members)
    refuse("pbroadcast",
           "no member " + std::to_string(source) + " in axis " + axis_name + " of " + std::to_string(members));
  const Array is_source =
      ops::eq(axis_index(axis_name, x.location()), ops::scalar(static_cast<double>(source), ElementType::kS32));
  const Array& own = x.array();
  const Array everywhere = ops::broadcast_in_dim(is_source, own.aval_shape().with_element_type(ElementType::kPred), {});
  return psum(ops::select(everywhere, own, ops::full_like(own, 0)), axis_name);
}

Array all_gather(const Operand& x, const std::string& axis_name, const AllGatherOptions& options) {
  const UserLocation here(x.location());
  const auto [axis, tiled] = options;
  auto attributes = over_axis<hlo::NamedAllGatherAttributes>("all_gather", axis_name);
  const int64_t axes = x.array().ndim() + (tiled ? 0 : 1);
  attributes->dimension = axis < 0 ? axis + axes : axis;
  if (attributes->dimension < 0 || attributes->dimension >= axes) {
    or_throw(invalid_argument(at_user_line("all_gather") + ": axis " + std::to_string(axis) + " is out of range for " +
                              x.array().aval_shape().to_string()));
  }
  const int64_t place = attributes->dimension;
  const Array stacked = bind_one(hlo::kExtAllGather, {x.array()}, std::move(attributes));
  return tiled ? merged(stacked, place) : stacked;
}

Array ppermute(const Operand& x, const std::string& axis_name, std::vector<std::pair<int64_t, int64_t>> permutation) {
  const UserLocation here(x.location());
  auto attributes = over_axis<hlo::PpermuteAttributes>("ppermute", axis_name);
  attributes->permutation = std::move(permutation);
  return bind_one(hlo::kExtPpermute, {x.array()}, std::move(attributes));
}

Array pshuffle(const Operand& x, const std::string& axis_name, const std::vector<int64_t>& perm) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i < perm.size(); ++i) pairs.emplace_back(perm[i], static_cast<int64_t>(i));
  return ppermute(x, axis_name, std::move(pairs));
}

Array all_to_all(const Operand& x, const std::string& axis_name, int64_t split_axis, int64_t concat_axis,
                 const AllToAllOptions& options) {
  const UserLocation here(x.location());
  const Array& own = x.array();
  const int64_t split = canonical_axis("all_to_all", split_axis, own.ndim()),
                concat = canonical_axis("all_to_all", concat_axis, own.ndim());
  const Array all = all_gather(own, axis_name);
  const Array part = own_part("all_to_all", all, axis_name, split + 1, options.tiled);
  const Array stacked = move_axis(part, 0, concat);
  return options.tiled ? merged(stacked, concat) : stacked;
}

Array pswapaxes(const Operand& x, const std::string& axis_name, int64_t axis) {
  return all_to_all(x, axis_name, axis, axis);
}

Array psum_scatter(const Operand& x, const std::string& axis_name, const PsumScatterOptions& options) {
  const UserLocation here(x.location());
  const int64_t axis = canonical_axis("psum_scatter", options.scatter_dimension, x.array().ndim());
  return own_part("psum_scatter", psum(x, axis_name), axis_name, axis, options.tiled);
}

Array axis_index(const std::string& axis_name, std::source_location location) {
  const UserLocation here(location);
  return bind_one(hlo::kExtAxisIndex, {}, over_axis<hlo::NamedAxisAttributes>("axis_index", axis_name));
}

int64_t axis_size(const std::string& axis_name, std::source_location location) {
  const UserLocation here(location);
  return size_of_axis("axis_size", axis_name);
}

}  // namespace hilo::lax
