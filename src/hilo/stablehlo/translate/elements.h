// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/elements.h -- translates operations whose meaning depends on the element type.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

Status translate_bitcast(const OpContext& op);
Status translate_cbrt(const OpContext& op);
Status translate_extreme(const OpContext& op);
Status translate_clamp(const OpContext& op);
Status translate_convert(const OpContext& op);
Status translate_reduce_precision(const OpContext& op);

}  // namespace hilo::stablehlo
