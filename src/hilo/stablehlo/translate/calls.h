// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/calls.h -- calls of functions and custom calls.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

Status translate_call(const OpContext& op);
Status translate_check(const OpContext& op);

/// Names in HLO of a custom call's api_version 0, 1, ...
inline constexpr std::string_view kApiVersions[] = {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
                                                    "API_VERSION_STATUS_RETURNING",
                                                    "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};

}  // namespace hilo::stablehlo
