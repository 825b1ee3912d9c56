// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/barrier.h"

#include "hilo/trace/trace.h"

namespace hilo::lax {
namespace detail {

std::vector<Array> optimization_barrier(std::span<const Array> leaves, const std::source_location& location) {
  const UserLocation here(location);
  if (leaves.empty()) return {};
  return bind({hlo::Opcode::kOptimizationBarrier, {leaves.begin(), leaves.end()}, nullptr, std::nullopt});
}

}  // namespace detail

std::vector<Array> optimization_barrier(const std::vector<Array>& operands, std::source_location location) {
  return detail::optimization_barrier(operands, location);
}

std::vector<Array> stop_gradient(const std::vector<Array>& x) {
  std::vector<Array> stopped;
  for (const Array& leaf : x) stopped.push_back(hilo::stop_gradient(leaf));
  return stopped;
}

}  // namespace hilo::lax
