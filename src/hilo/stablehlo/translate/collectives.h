// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/collectives.h -- translates collectives of devices.
#pragma once

#include "hilo/hlo/ops/collective.h"
#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

/// Sets the groups and channel of a collective. In a program for several devices the groups are converted to devices;
/// in one for a single device they are unchanged. `counts_devices`: whether ids can be devices.
Status set_collective(const OpContext& op, hlo::CollectiveAttributes& attributes, bool counts_devices);

}  // namespace hilo::stablehlo
