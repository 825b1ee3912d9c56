// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/cost_analysis.h"

namespace hilo {

StatusOr<hlo::Cost> cost_analysis(const Executable& executable) {
  HILO_ASSIGN_OR_RETURN(const hlo::Module* const module, optimized_module_of(executable));
  return cost_analysis(*module);
}

hlo::Cost cost_analysis(const hlo::Module& module) { return hlo::CostAnalysis(module.entry).of(*module.entry); }

}  // namespace hilo
