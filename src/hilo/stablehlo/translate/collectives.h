// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/collectives.h -- collectives of devices.
#pragma once

#include "hilo/hlo/ops/collective.h"
#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

/// Groups and channel of a collective. A program for several devices has its groups written out for them; one for a single
/// device keeps what it says. `counts_devices`: whether ids can count devices.
Status set_collective(const OpContext& op, hlo::CollectiveAttributes& attributes, bool counts_devices);

}  // namespace hilo::stablehlo
