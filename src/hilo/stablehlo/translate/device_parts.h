// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/device_parts.h -- converts between whole arrays and the parts of devices in manual computations.
#pragma once

#include "hilo/stablehlo/devices/sharding.h"
#include "hilo/stablehlo/translate/op_context.h"
#include "hilo/stablehlo/translate/translate.h"

namespace hilo::stablehlo {

/// The sharding of one array by a computation's manual axes: one split per dimension.
struct DeviceParts {
  std::vector<DimensionSplit> dimensions;
  DimensionSplit summands;                              ///< devices with partial results of the same elements
  hlo::ReducerKind reduction = hlo::ReducerKind::kAdd;  ///< of the partial results
  std::string sharding;                                 ///< sharding of the whole array
  std::string manual;  ///< the same without axes that the computation leaves to the compiler
};

/// Returns the parts of a sharding along `manual_axes`.
/// Errors    UNIMPLEMENTED for a sharding over other devices than the program's
StatusOr<DeviceParts> parts_by_axes(const OpContext& op, const Sharding& sharding,
                                    const std::vector<std::string>& manual_axes);

/// Checks that the parts of this shape make up the whole.
/// Errors    INVALID_ARGUMENT
Status check_parts(const DeviceParts& parts, const Shape& whole, const Shape& part);

/// Cuts a device's part out of a replicated array. The instruction is marked (ManualEdge).
StatusOr<hlo::InstructionId> cut_part(const OpContext& op, hlo::InstructionId value, const DeviceParts& parts,
                                      const Shape& part);

/// Joins the devices' parts to the whole array and states its sharding. The last instruction is marked (ManualEdge).
StatusOr<hlo::InstructionId> join_parts(const OpContext& op, hlo::InstructionId value, const DeviceParts& parts);

/// States the sharding of the whole array, so that propagation stops at the body.
StatusOr<hlo::InstructionId> state_sharding(const OpContext& op, hlo::InstructionId value, const DeviceParts& parts);

}  // namespace hilo::stablehlo
