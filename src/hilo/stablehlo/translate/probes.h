// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/probes.h -- what interpreter.probe sees in loops.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

/// The probes in a loop's body that checks ask for, and the values that the loop begins with for them.
StatusOr<std::vector<Recording>> recordings_of(const OpContext& op, const Region& body);
StatusOr<std::vector<hlo::InstructionId>> first_recorded(hlo::Builder& builder, std::span<const Recording> recordings);

/// The values after a pass, from those before it.
StatusOr<std::vector<hlo::InstructionId>> next_recorded(hlo::Builder& builder, std::span<const Recording> recordings,
                                                        std::span<const hlo::InstructionId> before);

}  // namespace hilo::stablehlo
