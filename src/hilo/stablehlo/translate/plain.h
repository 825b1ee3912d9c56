// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/plain.h -- translates operations that their row describes completely.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

Status translate_plain(const OpContext& op);
Status translate_identity(const OpContext& op);

/// Returns the operands, converted to the element types of the region's arguments, which may be wider.
StatusOr<InstructionIds> promoted_operands(const OpContext& op);

}  // namespace hilo::stablehlo
