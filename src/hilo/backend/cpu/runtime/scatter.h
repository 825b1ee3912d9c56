// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/scatter.h -- scatter by compiled inner loops: the windows of the updates, and sums in double.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>

#include "hilo/backend/cpu/abi/scatter.h"
#include "hilo/backend/cpu/runtime/call.h"
#include "hilo/hlo/ops/long_sums.h"

namespace hilo::cpu::runtime {

/// A dimension of the indices, except that of the index vectors; or several that are contiguous in memory.
struct ScatterBatch {
  int64_t extent, index_stride;
  ScatterPlace stride;
};

/// How sums are stored while they accumulate.
enum class ScatterSums : uint8_t {
  kWide,   ///< in double
  kLost,   ///< with the lost bits in a second array
  kPairs,  ///< each followed by its lost bits
};

/// Operands: arrays, indices, updates. Code: the kernel. One unit. Scratch: scratch_bytes().
struct ScatterProblem {
  List<ScatterBatch> batch;  ///< empty if there is nothing to do
  List<ScatterComponent> components;
  List<ScatterPlace> pieces;
  List<int64_t> bytes;  ///< of the arrays
  int64_t run = 1, rows_size = 1, index_bytes = 1;
  int64_t most_windows = 1;  ///< per call of the kernel
  int64_t kernel = 0;        ///< its number in Call::code
  // Of hilo_rt_scatter_sum:
  ScatterSums sums = ScatterSums::kWide;
  bool is_double = false;  ///< whether the array's numbers are doubles; otherwise `type` is narrower
  ElementType type{};      ///< of the array's numbers
  int64_t numbers = 0;     ///< of the array: a complex element has two

  size_t scratch_bytes(bool is_sum) const {
    return Scratch::bytes_for<int64_t>(batch.size) +
           (is_sum ? static_cast<size_t>((is_double ? 2 : 1) * numbers) : 0) * sizeof(double);
  }
};

inline constexpr int64_t kScatterPollInterval = 1 << 22;  // elements of windows between checks of the stop word

/// Returns the offsets of the index vector at `position`, and of its window, from the first ones.
inline ScatterBatch offsets_of(std::span<const ScatterBatch> batch, std::span<const int64_t> position) {
  ScatterBatch sum{};
  for (size_t d = 0; d < batch.size(); ++d) {
    sum.index_stride += position[d] * batch[d].index_stride;
    sum.stride.array += position[d] * batch[d].stride.array;
    sum.stride.update += position[d] * batch[d].stride.update;
  }
  return sum;
}

/// Advances to the next position after the last dimension is done. Returns false after the last one.
inline bool advance(std::span<const ScatterBatch> batch, std::span<int64_t> position) {
  for (size_t d = position.size(); d-- > 0;) {
    if (position[d] < batch[d].extent) return true;
    position[d] = 0;
    if (d > 0) ++position[d - 1];
  }
  return false;
}

/// Calls f(call) for all updates in their order, until `stop.raised()`. `call` has its arrays, components, rows and
/// pieces set; this function sets its index vectors and positions, at most `most_windows` at once. `position`: memory
/// for a number a batch, of which there is at least one.
template <typename StopFlag, typename F>
void each_window(std::span<const ScatterBatch> batch, std::span<int64_t> position, int64_t index_bytes,
                 const void* indices, ScatterCall call, int64_t most_windows, const StopFlag& stop, F f) {
  const ScatterBatch& inner = batch.back();
  call.index_stride = inner.index_stride;
  call.stride = inner.stride;
  const ScatterPlace origin = call.first;
  std::ranges::fill(position, 0);
  const int64_t window = std::max<int64_t>(call.run * call.piece_count, 1);
  const int64_t most = std::clamp<int64_t>(kScatterPollInterval / window, 1, most_windows);
  do {
    if (stop.raised()) return;
    const ScatterBatch at = offsets_of(batch, position);
    call.count = std::min(most, inner.extent - position.back());
    call.indices = static_cast<const std::byte*>(indices) + at.index_stride * index_bytes;
    call.first = {origin.array + at.stride.array, origin.update + at.stride.update};
    f(call);
    position.back() += call.count;
  } while (advance(batch, position));
}

/// The compiler vectorizes ranges of a constant length.
template <typename From, typename To>
void convert_all(const From* __restrict from, To* __restrict to, size_t count) {
  constexpr size_t kChunk = 16;
  size_t i = 0;
  for (; i + kChunk <= count; i += kChunk) {
    for (size_t k = 0; k < kChunk; ++k) to[i + k] = static_cast<To>(from[i + k]);
  }
  for (; i < count; ++i) to[i] = static_cast<To>(from[i]);
}

/// Returns the distance between sums, and of the first lost bits from the first sum.
inline std::array<size_t, 2> sum_places(ScatterSums sums, size_t count) {
  const bool pairs = sums == ScatterSums::kPairs;
  return {pairs ? size_t{2} : size_t{1}, pairs ? size_t{1} : count};
}

/// Copies an array of floats to sums, and back. Sums of doubles also store the lost bits.
template <typename T>
void begin_sums(const T* from, double* sums, ScatterSums form, size_t count) {
  if constexpr (std::is_same_v<T, double>) {
    const auto [step, lost] = sum_places(form, count);
    for (size_t i = 0; i < count; ++i) {
      sums[i * step] = from[i];
      sums[i * step + lost] = 0;
    }
  } else {
    convert_all(from, sums, count);
  }
}
template <typename T>
void end_sums(const double* sums, T* to, ScatterSums form, size_t count) {
  if constexpr (std::is_same_v<T, double>) {
    const auto [step, lost] = sum_places(form, count);
    for (size_t i = 0; i < count; ++i) to[i] = hlo::CompensatedSum{sums[i * step], sums[i * step + lost]}.value();
  } else {
    convert_all(sums, to, count);
  }
}

}  // namespace hilo::cpu::runtime
