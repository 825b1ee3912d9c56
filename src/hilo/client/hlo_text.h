// SPDX-License-Identifier: Apache-2.0
// client/hlo_text.h -- prints a module as text, for the front end, which doesn't include hlo/text.
#pragma once

#include <string>

#include "hilo/hlo/ir/module.h"

namespace hilo {

/// Returns the module as HLO text.
std::string hlo_text(const hlo::Module& module);

}  // namespace hilo
