// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/loop_forms.h"

#include <algorithm>

#include "hilo/backend/cpu/emit/region/nodes.h"

namespace hilo::cpu {

using llvm::Value;

void folded_loop(RegionState& s, Value* from, Value* to, const Inside& inside) {
  const size_t k = s.facts.shape.vector_dimension;
  plain_loop(s, k, from, to, s.facts.shape.step, [&] {
    const int64_t count = s.facts.shape.step * s.facts.shape.folded;
    for (int64_t at = 0; at < count; at += s.facts.shape.lanes) {
      s.first_lane = std::min(at, count - s.facts.shape.lanes);
      emit_level(s, static_cast<int>(k));
      inside();
    }
  });
}

}  // namespace hilo::cpu
