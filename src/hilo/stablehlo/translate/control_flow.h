// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/control_flow.h -- translates loops, branches and barriers.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

Status translate_barrier(const OpContext& op);

}  // namespace hilo::stablehlo
