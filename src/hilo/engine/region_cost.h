// SPDX-License-Identifier: Apache-2.0
// engine/region_cost.h -- what one thread takes for a region.
#pragma once

#include "hilo/engine/costs.h"
#include "hilo/engine/regions.h"

namespace hilo::engine {

/// Nanoseconds, roughly.
double region_cost(const Region& region, const Costs& costs);

}  // namespace hilo::engine
