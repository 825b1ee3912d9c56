// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/rewrite/rewrite_where.h"

#include <algorithm>

namespace hilo::hlo {

StatusOr<ComputationPtr> rewrite_where(const ComputationPtr& source, const RewriteOptions& options,
                                       const std::function<bool(const Instruction&)>& selected,
                                       const Replacement& replacement) {
  if (std::ranges::none_of(source->instructions(), selected)) return source;
  RewriteBuilder b(source, options);
  for (const Instruction& i : source->instructions()) {
    if (!selected(i)) {
      b.copy(i);
      continue;
    }
    b.at(i);
    HILO_ASSIGN_OR_RETURN(const InstructionId result, replacement(b, i));
    b.replace(i.id, result);
  }
  return b.finish();
}

}  // namespace hilo::hlo
