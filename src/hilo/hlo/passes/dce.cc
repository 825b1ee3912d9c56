// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::hlo {

StatusOr<bool> dce(Module& module) {
  return rewrite_computations(module, [](const ComputationPtr& c) { return rewrite(c, {.share = false}); });
}

}  // namespace hilo::hlo
