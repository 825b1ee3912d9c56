// SPDX-License-Identifier: Apache-2.0
// stablehlo/write/plain.h -- operations of which their row says all, and dots.
#pragma once

#include "hilo/stablehlo/write/write_context.h"

namespace hilo::stablehlo {

StatusOr<bool> write_elementwise(const WriteContext& context);

/// [HIGHEST, DEFAULT] of a dot or convolution, from HLO's words.
AttributeId precisions(TreeBuilder& builder, const hlo::StringList& words);

}  // namespace hilo::stablehlo
