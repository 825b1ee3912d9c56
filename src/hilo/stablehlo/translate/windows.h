// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/windows.h -- translates operations with sliding windows.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

Status translate_dynamic_window(const OpContext& op);  ///< the custom call whose last operands are the window's lists

}  // namespace hilo::stablehlo
