// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/moves.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "hilo/backend/cpu/runtime/functions.h"
#include "hilo/base/stretches.h"
#include "hilo/hlo/ops/element_access.h"

namespace hilo::cpu::runtime {
namespace {

constexpr int64_t kMovePollInterval = 1 << 22;  // elements between checks of the stop word

template <typename T>
void pad(const Call& call, const PadProblem& p) {
  const T* from = static_cast<const T*>(call.buffers[0]) + p.from_begin;
  T* out = static_cast<T*>(call.buffers[2]);
  const Stop stop = stop_of(call);
  in_stretches(p.total, kMovePollInterval, stop, [&](int64_t begin, int64_t end) {
    std::fill(out + begin, out + end, *static_cast<const T*>(call.buffers[1]));
  });
  const std::span<const int64_t> counts = p.counts.of(&p), from_strides = p.from_strides.of(&p);
  const std::span<const int64_t> to_strides = p.to_strides.of(&p);
  if (hlo::count_of(counts) == 0) return;
  // All dimensions except the last are counted; the last one is a loop.
  const size_t outer = counts.size() - 1;
  const std::span<int64_t> index = Scratch(call).take<int64_t>(outer);
  std::ranges::fill(index, 0);
  do {
    const T* row = from + hlo::offset_of(index, from_strides);
    T* to = out + p.to_begin + hlo::offset_of(index, to_strides);
    if (stop.raised()) return;
    for (int64_t i = 0; i < counts[outer]; ++i) to[i * to_strides[outer]] = row[i];
  } while (hlo::next_index(counts.first(outer), index));
}

}  // namespace
void hilo_rt_copy(const Call* call, int64_t begin, int64_t end) {
  const auto* const from = static_cast<const std::byte*>(call->buffers[0]) + begin;
  auto* const to = static_cast<std::byte*>(call->buffers[1]) + begin;
  in_stretches(end - begin, kMovePollInterval, stop_of(*call), [&](int64_t first, int64_t last) {
    std::memcpy(to + first, from + first, static_cast<size_t>(last - first));
  });
}

void hilo_rt_pad(const Call* call, int64_t, int64_t) {
  const auto& p = problem_of<PadProblem>(*call);
  switch (p.width) {
    case 1: return pad<uint8_t>(*call, p);
    case 2: return pad<uint16_t>(*call, p);
    case 4: return pad<uint32_t>(*call, p);
    case 8: return pad<uint64_t>(*call, p);
    default: return pad<std::pair<uint64_t, uint64_t>>(*call, p);
  }
}

void hilo_rt_concatenate(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<ConcatenateProblem>(*call);
  const std::span<const int64_t> pieces = p.pieces.of(&p);
  const Stop stop = stop_of(*call);
  for (int64_t row = begin; row < end && !stop.raised(); ++row) {
    auto* out = static_cast<std::byte*>(call->buffers[pieces.size()]) + row * p.row_bytes;
    for (size_t k = 0; k < pieces.size(); ++k) {
      if (pieces[k] == 0) continue;
      std::memcpy(out, static_cast<const std::byte*>(call->buffers[k]) + row * pieces[k],
                  static_cast<size_t>(pieces[k]));
      out += pieces[k];
    }
  }
}

}  // namespace hilo::cpu::runtime
