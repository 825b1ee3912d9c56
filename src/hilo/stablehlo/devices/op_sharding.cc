// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/devices/op_sharding.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "hilo/hlo/proto/sharding.h"
#include "hilo/hlo/sharding/prime_factors.h"

namespace hilo::stablehlo {
namespace {

/// Adds axes with `count` positions together.
StatusOr<std::vector<AxisReference>> add_axes(int64_t count, Mesh& mesh) {
  std::vector<AxisReference> axes;
  for (const int64_t prime : hlo::prime_factors(count)) {
    axes.push_back({.name = fmt::format("_{}", mesh.axes.size())});
    HILO_RETURN_IF_ERROR(mesh.add_axis(axes.back().name, prime));
  }
  return axes;
}

}  // namespace

StatusOr<OpSharding> read_op_sharding(std::string_view text, int64_t rank) {
  HILO_ASSIGN_OR_RETURN(const hlo::proto::Tiles tiles, hlo::proto::read_tiles(text));
  OpSharding made;
  made.manual = std::ranges::find(tiles.kinds, "manual") != tiles.kinds.end();
  made.sharding.dimensions.resize(rank);
  if (tiles.devices.empty()) return made;
  if (static_cast<int64_t>(tiles.counts.size() - tiles.kinds.size()) != rank)
    return invalid_argument(
        fmt::format("a sharding of {} dimensions for an array of {}", tiles.counts.size() - tiles.kinds.size(), rank));
  Sharding& sharding = made.sharding;
  for (size_t i = 0; i < tiles.counts.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(std::vector<AxisReference> axes, add_axes(tiles.counts[i], sharding.mesh));
    if (i < sharding.dimensions.size()) {
      sharding.dimensions[i].axes = std::move(axes);
    } else if (tiles.kinds[i - sharding.dimensions.size()] == "unreduced") {
      sharding.unreduced = std::move(axes);
    }
  }
  std::vector<int64_t> usual(tiles.devices.size());
  std::iota(usual.begin(), usual.end(), 0);
  if (tiles.devices != usual) HILO_RETURN_IF_ERROR(sharding.mesh.set_device_ids(tiles.devices));
  return made;
}

}  // namespace hilo::stablehlo
