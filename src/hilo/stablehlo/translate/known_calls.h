// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/known_calls.h -- custom calls for which HLO has ops.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

/// What does a custom call that HLO has other ops for; null for all others (known_calls.cc).
Handler known_custom_call(std::string_view target);

}  // namespace hilo::stablehlo
