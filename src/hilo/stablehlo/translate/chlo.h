// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/chlo.h -- translates operations of CHLO without an equivalent HLO op.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

Status translate_conj(const OpContext& op);
Status translate_square(const OpContext& op);
Status translate_is_infinite(const OpContext& op);
Status translate_hyperbolic(const OpContext& op);
Status translate_constant_like(const OpContext& op);

}  // namespace hilo::stablehlo
