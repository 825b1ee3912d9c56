// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/hlo_text.h"

#include "hilo/hlo/text/printer.h"

namespace hilo {

std::string hlo_text(const hlo::Module& module) { return hlo::print_module(module); }

}  // namespace hilo
