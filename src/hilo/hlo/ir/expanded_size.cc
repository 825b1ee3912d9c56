// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/expanded_size.h"

#include <algorithm>
#include <unordered_map>

#include "hilo/types/checked.h"

namespace hilo::hlo {

int64_t expanded_instruction_count(const Module& module) {
  std::unordered_map<const Computation*, int64_t> counts;  // callees come first
  for (const ComputationPtr& computation : computations_of(module)) {
    int64_t count = computation->size();
    for (const Instruction& i : computation->instructions()) {
      for (const ComputationPtr& called : called_computations(i))
        count = checked_add(count, counts.at(called.get())).value_or(INT64_MAX);
    }
    counts.emplace(computation.get(), count);
  }
  return counts.at(module.entry.get());
}

int64_t max_expanded_instructions(const Module& module) {
  constexpr int64_t kAlways = 1 << 14, kFactor = 256;
  return std::max(kAlways, kFactor * instruction_count(module));
}

}  // namespace hilo::hlo
