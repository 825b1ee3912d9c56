// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/ndimage/ndimage.h"

#include <fmt/format.h>

#include <string_view>

#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"

namespace hilo::scipy::ndimage {

namespace {

/// A grid index along an axis, whether it is inside, and its weight.
struct Node {
  Array index, inside, weight;
};

Array mirrored(const Array& index, int64_t size) {
  if (size == 1) return numpy::zeros_like(index);
  const int64_t s = size - 1;
  return numpy::abs(numpy::mod(index + s, 2 * s) - s);
}
Array fixed(const Array& index, int64_t size, std::string_view mode) {
  if (mode == "wrap") return numpy::mod(index, size);
  if (mode == "mirror") return mirrored(index, size);
  if (mode == "reflect") return numpy::floor_divide(mirrored(2 * index + 1, 2 * size + 1) - 1, 2);
  return numpy::clip(index, 0, size - 1);
}

std::vector<Node> nodes_of(const Array& place, int64_t size, int64_t order, std::string_view mode) {
  const auto node = [&](const Array& at, const Array& weight) {
    const Array index = numpy::astype(at, ElementType::kS32);
    const Array inside = mode == "constant" ? (index >= 0) & (index < size) : numpy::ones_like(index, bool_);
    return Node{fixed(index, size, mode), inside, weight};
  };
  if (order == 0) {
    const bool exact = is_integer(place.dtype());
    // Rounds halves away from zero, as C's round.
    const Array nearest = exact ? place : numpy::sign(place) * numpy::floor(numpy::abs(place) + 0.5);
    return {node(nearest, numpy::ones_like(place))};
  }
  const Array below = numpy::floor(place), upper = place - below;
  return {node(below, 1 - upper), node(below + 1, upper)};
}

}  // namespace

Array map_coordinates(const Operand& input, const std::vector<Array>& coordinates, int64_t order,
                      const CoordinateOptions& o) {
  constexpr const char* kName = "map_coordinates";
  const UserLocation here(input.location());
  const Array& x = input.array();
  const std::string_view mode = o.mode;
  if (std::ssize(coordinates) != x.ndim())
    or_throw(invalid_argument(fmt::format("{}: wanted coordinates for each of {} axes; got {}", at_user_line(kName),
                                          x.ndim(), coordinates.size())));
  if (order != 0 && order != 1)
    or_throw(unimplemented(fmt::format("{}: only orders 0 and 1 are implemented; got {}", at_user_line(kName), order)));
  if (mode != "constant" && mode != "nearest" && mode != "wrap" && mode != "mirror" && mode != "reflect")
    or_throw(
        unimplemented(fmt::format("{}: mode '{}' isn't implemented; wanted constant, nearest, wrap, mirror or "
                                  "reflect",
                                  at_user_line(kName), mode)));
  // For each corner: the flat index, whether it is inside along all axes, the product of the weights.
  std::vector<Node> corners = {{Array(0), numpy::ones({}, bool_), Array(1)}};
  for (size_t d = 0; d < coordinates.size(); ++d) {
    const int64_t size = x.shape(d);
    std::vector<Node> next;
    for (const Node& corner : corners)
      for (const Node& node : nodes_of(coordinates[d], size, order, mode))
        next.push_back({corner.index * size + node.index, corner.inside & node.inside, corner.weight * node.weight});
    corners = std::move(next);
  }
  Array sum;
  for (size_t i = 0; i < corners.size(); ++i) {
    const Node& corner = corners[i];
    const Array value = numpy::take(numpy::ravel(x), corner.index, 0);
    const Array chosen = numpy::where(corner.inside, value, numpy::astype(o.cval, x.dtype()));
    const Array part = order == 0 ? chosen : corner.weight * chosen;
    sum = i == 0 ? part : sum + part;
  }
  if (is_integer(x.dtype()) && is_floating(sum.dtype())) sum = numpy::sign(sum) * numpy::floor(numpy::abs(sum) + 0.5);
  return numpy::astype(sum, x.dtype());
}

Array map_coordinates(const Operand& input, const Array& coordinates, int64_t order, const CoordinateOptions& options) {
  const UserLocation here(input.location());
  if (coordinates.ndim() == 0)
    or_throw(invalid_argument(at_user_line("map_coordinates") +
                              ": coordinates must have a leading axis with an entry for each axis of the input"));
  return map_coordinates(input, numpy::unstack(coordinates), order, options);
}

}  // namespace hilo::scipy::ndimage
