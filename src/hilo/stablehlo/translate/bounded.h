// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/bounded.h -- translates modules with bounded sizes.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

/// Translates an operation whose operands may have limits.
/// Errors    UNIMPLEMENTED naming operations that don't support such operands
Status translate_bounded(const OpContext& op);

/// Returns the value with zeros beyond its limits.
StatusOr<hlo::InstructionId> zero_beyond(const OpContext& op, ValueId value);

}  // namespace hilo::stablehlo
