// SPDX-License-Identifier: Apache-2.0
// stablehlo/write/plain.h -- writes operations that their row describes completely, and dots.
#pragma once

#include "hilo/stablehlo/write/write_context.h"

namespace hilo::stablehlo {

StatusOr<bool> write_elementwise(const WriteContext& context);

/// Returns [HIGHEST, DEFAULT] of a dot or convolution from HLO's names.
AttributeId precisions(TreeBuilder& builder, const hlo::StringList& words);

}  // namespace hilo::stablehlo
