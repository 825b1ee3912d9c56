// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/stablehlo_text.h"

#include "hilo/stablehlo/write/write_tree.h"

namespace hilo {

StatusOr<std::string> stablehlo_text(const hlo::Module& module) { return stablehlo::write_text(module); }

}  // namespace hilo
