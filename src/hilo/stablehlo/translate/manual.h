// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/manual.h -- helpers of manual computations: values that differ between devices.
#pragma once

#include "hilo/hlo/ops/collective.h"
#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

/// Returns the entry of `by_device` for the device that runs: s32[].
StatusOr<hlo::InstructionId> device_entry(const OpContext& op, const std::vector<int64_t>& by_device);

/// Returns the value on devices with a nonzero entry in `by_device`; zeros on the others.
StatusOr<hlo::InstructionId> zero_elsewhere(const OpContext& op, hlo::InstructionId value,
                                            const std::vector<int64_t>& by_device);

/// Returns the first array if the scalar predicate holds, otherwise the second one, or zeros.
StatusOr<hlo::InstructionId> choose(const OpContext& op, hlo::InstructionId first, hlo::InstructionId value,
                                    hlo::InstructionId otherwise);
StatusOr<hlo::InstructionId> zero_unless(const OpContext& op, hlo::InstructionId keeps, hlo::InstructionId value);

/// Concatenates the values of the devices in each group along the dimension.
StatusOr<hlo::InstructionId> join_devices(const OpContext& op, hlo::InstructionId value, int64_t dimension,
                                          const hlo::Int64Lists& groups);

}  // namespace hilo::stablehlo
