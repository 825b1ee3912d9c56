// SPDX-License-Identifier: Apache-2.0
// stablehlo/devices/op_sharding.h -- shardings as GSPMD writes them, `{devices=[2,1]<=[2]}`: attribute mhlo.sharding.
#pragma once

#include "hilo/stablehlo/devices/sharding.h"

namespace hilo::stablehlo {

inline constexpr std::string_view kOpSharding = "mhlo.sharding";  ///< the attribute

/// A sharding whose mesh has an axis for each prime of a number of parts; and whether the devices work on parts by hand.
struct OpSharding {
  Sharding sharding;
  bool manual = false;  ///< along all axes, or some
};

/// Of the attribute's text, or an OpSharding's bytes, for an array of this rank.
/// Errors    those of hlo::proto::read_tiles; INVALID_ARGUMENT for another rank
StatusOr<OpSharding> read_op_sharding(std::string_view text, int64_t rank);

}  // namespace hilo::stablehlo
