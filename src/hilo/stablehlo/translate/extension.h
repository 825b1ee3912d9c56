// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/extension.h -- composites that are hilo's own ops.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

/// Makes a composite that names an extension op of hilo that op again; false where it is none, or doesn't fit.
StatusOr<bool> restore_extension(const OpContext& op, std::string_view name);

}  // namespace hilo::stablehlo
