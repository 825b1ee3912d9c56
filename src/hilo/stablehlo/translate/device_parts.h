// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/device_parts.h -- between whole arrays and the parts that devices work on by hand.
#pragma once

#include "hilo/stablehlo/devices/sharding.h"
#include "hilo/stablehlo/translate/op_context.h"
#include "hilo/stablehlo/translate/translate.h"

namespace hilo::stablehlo {

/// How the devices share one array: one split a dimension, by the axes that a computation takes by hand.
struct DeviceParts {
  std::vector<DimensionSplit> dimensions;
  DimensionSplit summands;  ///< who adds to the same elements
  std::string sharding;     ///< of the whole array
  std::string by_hand;      ///< the same without axes that the computation leaves to the compiler
};

/// By a sharding, of which axes in `manual_axes` are taken by hand.
/// Errors    UNIMPLEMENTED for a sharding over other devices than the program's
StatusOr<DeviceParts> parts_by_axes(const OpContext& op, const Sharding& sharding,
                                    const std::vector<std::string>& manual_axes);

/// Errors    INVALID_ARGUMENT unless so many parts of this shape make up the whole
Status check_parts(const DeviceParts& parts, const Shape& whole, const Shape& part);

/// A device's part of the whole array that all have. The instruction says so (ManualEdge).
StatusOr<hlo::InstructionId> cut_part(const OpContext& op, hlo::InstructionId value, const DeviceParts& parts,
                                      const Shape& part);

/// The whole array of the devices' parts, saying how it is shared. The last instruction says that it is one (ManualEdge).
StatusOr<hlo::InstructionId> join_parts(const OpContext& op, hlo::InstructionId value, const DeviceParts& parts);

/// The whole array, saying how it is shared: propagation goes no further into the body.
StatusOr<hlo::InstructionId> state_sharding(const OpContext& op, hlo::InstructionId value, const DeviceParts& parts);

}  // namespace hilo::stablehlo
