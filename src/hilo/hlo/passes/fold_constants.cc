// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/rewrite/fold.h"

namespace hilo::hlo {

StatusOr<bool> fold_constants(Module& module) {
  return rewrite_computations(
      module, [](const ComputationPtr& c) { return rewrite(c, {.share = true, .rule = fold_constant}); });
}

}  // namespace hilo::hlo
