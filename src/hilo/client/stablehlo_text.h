// SPDX-License-Identifier: Apache-2.0
// client/stablehlo_text.h -- a module as text of StableHLO, for the front end, which doesn't see stablehlo.
#pragma once

#include <string>

#include "hilo/base/status.h"
#include "hilo/hlo/ir/module.h"

namespace hilo {

/// Errors    UNIMPLEMENTED naming ops and types that StableHLO lacks
StatusOr<std::string> stablehlo_text(const hlo::Module& module);

}  // namespace hilo
