// SPDX-License-Identifier: Apache-2.0
// client/hlo_text.h -- a module as text, for the front end, which doesn't see hlo/text.
#pragma once

#include <string>

#include "hilo/hlo/ir/module.h"

namespace hilo {

/// The module as HLO text.
std::string hlo_text(const hlo::Module& module);

}  // namespace hilo
