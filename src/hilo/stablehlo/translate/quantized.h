// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/quantized.h -- translates operations on quantized types.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

Status translate_quantize(const OpContext& op);
Status translate_dequantize(const OpContext& op);
Status translate_on_real_values(const OpContext& op);
bool is_quantized(const ModuleTree& tree, const Operation& operation);

}  // namespace hilo::stablehlo
