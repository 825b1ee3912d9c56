// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/scatter.h"

#include <cstring>

#include "hilo/backend/cpu/runtime/functions.h"
#include "hilo/types/element_type.h"

namespace hilo::cpu::runtime {
namespace {

/// Combines the updates with the arrays.
void update_all(const Call& call, const ScatterProblem& p, Scratch& scratch, void* const* arrays,
                const void* const* updates, const void* indices) {
  const std::span<const ScatterBatch> batch = p.batch.of(&p);
  const std::span<const ScatterPlace> pieces = p.pieces.of(&p);
  ScatterCall one{};
  one.arrays = arrays;
  one.updates = updates;
  one.components = p.components.of(&p).data();
  one.rows_size = p.rows_size;
  one.pieces = pieces.data();
  one.piece_count = static_cast<int64_t>(pieces.size());
  one.run = p.run;
  each_window(batch, scratch.take<int64_t>(batch.size()), p.index_bytes, indices, one, p.most_windows, stop_of(call),
              reinterpret_cast<ScatterFunction>(call.code[p.kernel]));
}

}  // namespace

void hilo_rt_scatter(const Call* call, int64_t, int64_t) {
  const auto& p = problem_of<ScatterProblem>(*call);
  const std::span<const int64_t> bytes = p.bytes.of(&p);
  const size_t arrays = bytes.size();
  void* const* results = call->buffers + 2 * arrays + 1;
  for (size_t k = 0; arrays > 1 && k < arrays; ++k) {
    if (bytes[k] != 0) std::memcpy(results[k], call->buffers[k], static_cast<size_t>(bytes[k]));
  }
  if (p.batch.size == 0) return;
  Scratch scratch(*call);
  update_all(*call, p, scratch, results, call->buffers + arrays + 1, call->buffers[arrays]);
}

void hilo_rt_scatter_sum(const Call* call, int64_t, int64_t) {
  const auto& p = problem_of<ScatterProblem>(*call);
  const auto count = static_cast<size_t>(p.numbers);
  Scratch scratch(*call);
  double* const sums = scratch.take<double>((p.is_double ? 2 : 1) * count).data();
  void* const arrays[] = {sums, sums + sum_places(p.sums, count)[1]};
  const void* const updates[] = {call->buffers[2], call->buffers[2]};
  visit_element_type(
      p.type,
      [&]<typename T>() {
        if constexpr (is_floating(element_type_of<T>)) {
          T* const out = static_cast<T*>(call->buffers[3]);
          begin_sums(out, sums, p.sums, count);
          update_all(*call, p, scratch, arrays, updates, call->buffers[1]);
          end_sums(sums, out, p.sums, count);
        }
      },
      [] {});
}

}  // namespace hilo::cpu::runtime
