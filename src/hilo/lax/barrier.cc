// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/barrier.h"

#include "hilo/trace/trace.h"

namespace hilo::lax::detail {

std::vector<Array> optimization_barrier(std::span<const Array> leaves, const std::source_location& location) {
  const UserLocation here(location);
  if (leaves.empty()) return {};
  return bind({hlo::Opcode::kOptimizationBarrier, {leaves.begin(), leaves.end()}, nullptr, std::nullopt});
}

}  // namespace hilo::lax::detail
