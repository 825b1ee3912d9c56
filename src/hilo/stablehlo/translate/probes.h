// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/probes.h -- records values of interpreter.probe in loops.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

/// Returns the probes in a loop's body that checks refer to, and the initial values that the loop carries for them.
StatusOr<std::vector<Recording>> recordings_of(const OpContext& op, const Region& body);
StatusOr<std::vector<hlo::InstructionId>> first_recorded(hlo::Builder& builder, std::span<const Recording> recordings);

/// Returns the recorded values after a pass, from those before it.
StatusOr<std::vector<hlo::InstructionId>> next_recorded(hlo::Builder& builder, std::span<const Recording> recordings,
                                                        std::span<const hlo::InstructionId> before);

}  // namespace hilo::stablehlo
