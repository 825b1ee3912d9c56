// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/rewrite_loops.h"

#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {

StatusOr<ComputationPtr> rewrite_loops(const ComputationPtr& source, const LoopRewrite& rewrite) {
  if (!has_opcode(*source, Opcode::kWhile)) return source;
  RewriteBuilder b(source, {.share = false, .rule = forward_tuples});
  for (const Instruction& i : source->instructions()) {
    if (i.opcode == Opcode::kWhile) {
      HILO_ASSIGN_OR_RETURN(const bool done, rewrite(b, i));
      if (done) continue;
    }
    b.copy(i);
  }
  return b.finish();
}

}  // namespace hilo::hlo
