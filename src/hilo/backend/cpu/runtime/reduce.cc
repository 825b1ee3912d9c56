// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/reduce.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "hilo/backend/cpu/abi/functions.h"
#include "hilo/backend/cpu/runtime/functions.h"
#include "hilo/backend/cpu/runtime/widest.h"
#include "hilo/hlo/ops/element_access.h"

namespace hilo::cpu::runtime {
namespace {

int64_t offset_of_result(const ReduceCompiledProblem& p, int64_t number) {
  const std::span<const int64_t> sizes = p.outer_sizes.of(&p), strides = p.outer_strides.of(&p);
  int64_t offset = 0;
  for (size_t d = sizes.size(); d-- > 0;) {
    offset += number % sizes[d] * strides[d];
    number /= sizes[d];
  }
  return offset;
}

/// Memory of a range of results.
struct ReducedMemory {
  std::span<Widest> sums;  ///< the two halves alternate as operands and results
  std::span<const void*> arguments;
  std::span<void*> results;
  std::span<int64_t> index;
};

void reduce_one(const Call& call, const ReduceCompiledProblem& p, const ReducedMemory& memory, int64_t to) {
  const auto body = reinterpret_cast<ScalarFunction>(call.code[0]);
  const std::span<const int64_t> from_widths = p.from_widths.of(&p), widths = p.widths.of(&p);
  const std::span<const int64_t> sizes = p.reduced_sizes.of(&p), strides = p.reduced_strides.of(&p);
  const size_t n = widths.size();
  const int64_t from = offset_of_result(p, to);
  size_t now = 0;
  for (size_t k = 0; k < n; ++k) std::memcpy(&memory.sums[k], call.buffers[n + k], static_cast<size_t>(widths[k]));
  std::ranges::fill(memory.index, 0);
  const Stop stop = stop_of(call);
  bool more = hlo::count_of(sizes) != 0;
  while (more && !stop.raised()) {
    const int64_t at = from + hlo::offset_of(memory.index, strides);
    for (size_t k = 0; k < n; ++k) {
      memory.arguments[k] = &memory.sums[now + k];
      memory.results[k] = &memory.sums[n - now + k];
      memory.arguments[n + k] = static_cast<const std::byte*>(call.buffers[k]) + at * from_widths[k];
    }
    body(memory.arguments.data(), memory.results.data(), call.stop);
    now = n - now;
    more = hlo::next_index(sizes, memory.index);
  }
  for (size_t k = 0; k < n; ++k)
    std::memcpy(static_cast<std::byte*>(call.buffers[2 * n + k]) + to * widths[k], &memory.sums[now + k],
                static_cast<size_t>(widths[k]));
}

}  // namespace

size_t ReduceCompiledProblem::scratch_bytes() const {
  return Scratch::bytes_for<Widest>(2 * widths.size) + Scratch::bytes_for<void*>(2 * widths.size) +
         Scratch::bytes_for<void*>(widths.size) + Scratch::bytes_for<int64_t>(reduced_sizes.size);
}

void hilo_rt_reduce_compiled(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<ReduceCompiledProblem>(*call);
  const size_t n = p.widths.size;
  Scratch scratch(*call);
  const ReducedMemory memory{scratch.take<Widest>(2 * n), scratch.take<const void*>(2 * n), scratch.take<void*>(n),
                             scratch.take<int64_t>(p.reduced_sizes.size)};
  const Stop stop = stop_of(*call);
  for (int64_t to = begin; to < end && !stop.raised(); ++to) reduce_one(*call, p, memory, to);
}

}  // namespace hilo::cpu::runtime
