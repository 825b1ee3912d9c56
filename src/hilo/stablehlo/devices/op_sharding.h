// SPDX-License-Identifier: Apache-2.0
// stablehlo/devices/op_sharding.h -- reads GSPMD's shardings, `{devices=[2,1]<=[2]}`: attribute mhlo.sharding.
#pragma once

#include "hilo/stablehlo/devices/sharding.h"

namespace hilo::stablehlo {

inline constexpr std::string_view kOpSharding = "mhlo.sharding";  ///< name of the attribute

/// A sharding, over a mesh with one axis per prime factor of a number of parts.
struct OpSharding {
  Sharding sharding;
  bool manual = false;  ///< whether devices work on their parts explicitly, along all axes or some of them
};

/// Reads the sharding of an array of this rank from the attribute's text or an OpSharding's bytes.
/// Errors    those of hlo::proto::read_tiles; INVALID_ARGUMENT for another rank
StatusOr<OpSharding> read_op_sharding(std::string_view text, int64_t rank);

}  // namespace hilo::stablehlo
