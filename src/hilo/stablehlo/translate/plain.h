// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/plain.h -- operations of which their row says all.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

Status translate_plain(const OpContext& op);
Status translate_identity(const OpContext& op);

/// Operands in the element types that the operation's regions take, which may be wider than the operands' own.
StatusOr<InstructionIds> promoted_operands(const OpContext& op);

}  // namespace hilo::stablehlo
