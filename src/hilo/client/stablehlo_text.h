// SPDX-License-Identifier: Apache-2.0
// client/stablehlo_text.h -- prints a module as StableHLO text, for the front end, which doesn't include stablehlo.
#pragma once

#include <string>

#include "hilo/base/status.h"
#include "hilo/hlo/ir/module.h"

namespace hilo {

/// Returns the module as StableHLO text.
/// Errors    UNIMPLEMENTED naming ops and types that StableHLO lacks
StatusOr<std::string> stablehlo_text(const hlo::Module& module);

}  // namespace hilo
