// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/spmd_calls.h -- custom calls of XLA's partitioner.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

Status translate_sharding_note(const OpContext& op);
Status translate_full_to_shard(const OpContext& op);
Status translate_shard_to_full(const OpContext& op);

}  // namespace hilo::stablehlo
