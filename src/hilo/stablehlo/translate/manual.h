// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/manual.h -- computations that each device does by hand, and what differs from device to device.
#pragma once

#include "hilo/hlo/ops/collective.h"
#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

/// The number that `by_device` has for the device that runs: s32[].
StatusOr<hlo::InstructionId> device_entry(const OpContext& op, const std::vector<int64_t>& by_device);

/// The value on devices where `by_device` isn't 0; zeros on the others.
StatusOr<hlo::InstructionId> zero_elsewhere(const OpContext& op, hlo::InstructionId value,
                                            const std::vector<int64_t>& by_device);

/// The first array if the predicate, a scalar, holds, else the other; and zeros as the other.
StatusOr<hlo::InstructionId> choose(const OpContext& op, hlo::InstructionId first, hlo::InstructionId value,
                                    hlo::InstructionId otherwise);
StatusOr<hlo::InstructionId> zero_unless(const OpContext& op, hlo::InstructionId keeps, hlo::InstructionId value);

/// What the devices of each group have, one after the other along the dimension.
StatusOr<hlo::InstructionId> join_devices(const OpContext& op, hlo::InstructionId value, int64_t dimension,
                                          const hlo::Int64Lists& groups);

}  // namespace hilo::stablehlo
