// SPDX-License-Identifier: Apache-2.0
// pjrt/propagation.h -- how results are split that a program says nothing of: by what they are computed from.
#pragma once

#include <vector>

#include "hilo/pjrt/program.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::pjrt {

/// Places the function's results that bear no sharding. Operands' shardings go forward through operations, calls and loops;
/// what an operation or a constraint says of itself counts before that. XLA's propagation goes backward, too. A result whose
/// sharding can't be had (uneven parts, sums that aren't finished) stays whole on each device.
/// Cost    one walk over the operations, with calls as often as they are made, up to a million
void place_results(const stablehlo::ModuleTree& tree, const stablehlo::Operation& function, int64_t devices,
                   std::vector<ProgramValue>& results);

}  // namespace hilo::pjrt
