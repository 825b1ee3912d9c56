// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/partitioned_calls.h -- custom calls that a caller partitions.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

Status translate_partitioned_call(const OpContext& op, const CustomPartition& partition);

}  // namespace hilo::stablehlo
