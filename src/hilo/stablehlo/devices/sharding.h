// SPDX-License-Identifier: Apache-2.0
// stablehlo/devices/sharding.h -- reads and writes the text of Shardy's meshes and shardings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hilo/hlo/sharding/sharding.h"

namespace hilo::stablehlo {

using hlo::AxisReference;
using hlo::DimensionSharding;
using hlo::DimensionSplit;
using hlo::Mesh;
using hlo::MeshAxis;
using hlo::Sharding;
using hlo::split_dimension;

/// Parses `<["x"=2, "y"=4], device_ids=[...]>`.
/// Errors    INVALID_ARGUMENT, also for sizes below 1, more than 65536 devices, and ids that aren't a permutation of
///           the devices
StatusOr<Mesh> parse_mesh(std::string_view text);

/// Parses `[<@mesh, [{"x", ?}p1, {}], replicated={"y"}>, ...]`.
StatusOr<std::vector<Sharding>> parse_shardings(std::string_view text);

/// Returns the text of one sharding in the format of parse_shardings.
std::string to_string(const Sharding& sharding);

/// Parses `{"x", "y"}`.
StatusOr<std::vector<std::string>> parse_axis_names(std::string_view text);

}  // namespace hilo::stablehlo
