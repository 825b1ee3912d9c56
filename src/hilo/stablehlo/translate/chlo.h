// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/chlo.h -- operations of CHLO that HLO has no op for.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

Status translate_conj(const OpContext& op);
Status translate_square(const OpContext& op);
Status translate_is_infinite(const OpContext& op);
Status translate_hyperbolic(const OpContext& op);
Status translate_constant_like(const OpContext& op);

}  // namespace hilo::stablehlo
