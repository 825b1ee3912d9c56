// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/parallel.h -- divides the work of library code among threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>

#include "hilo/backend/cpu/library/costs.h"
#include "hilo/base/stop.h"
#include "hilo/base/thread_pool.h"

namespace hilo::cpu {

/// Calls executor.parallel_for for tasks that may run out of memory. In that case tasks that haven't begun are skipped,
/// and the caller receives the first exception.
template <typename Task>
void run_tasks(Executor& executor, int64_t tasks, const Task& task) {
  std::atomic<bool> failed = false;
  std::exception_ptr first;
  executor.parallel_for(tasks, [&](int64_t t) {
    if (failed.load(std::memory_order_relaxed)) return;
    try {
      task(t);
    } catch (...) {  // NOLINT: rethrown below
      if (!failed.exchange(true)) first = std::current_exception();
    }
  });
  if (first != nullptr) std::rethrow_exception(first);
}

/// Returns the time on one thread of n units of a cost in kCpuCosts.library.
/// Example   work_ns(kCpuCosts.library.sorted, 4100): 15'000
template <typename Count>
double work_ns(double unit, Count count) {
  return unit * static_cast<double>(count);
}

/// Whether several threads are faster than one for work of that many nanoseconds.
inline bool worth_forking(double nanoseconds) { return nanoseconds >= kCpuCosts.fork; }

/// Calls run(begin, end) for `parts` ranges that partition [0, count). Uses several threads if there is more than one
/// part.
template <typename Run>
void in_parts(int64_t count, int64_t parts, const Run& run) {
  if (parts <= 1) return run(int64_t{0}, count);
  run_tasks(default_pool(), parts, [&](int64_t p) { run(count * p / parts, count * (p + 1) / parts); });
}

/// Calls in_parts with one call run(k) for each k, until the work must stop.
template <typename Run>
void each_in_parts(int64_t count, int64_t parts, const Run& run) {
  in_parts(count, parts, [&](int64_t begin, int64_t end) {
    const StopFlag stop;
    for (int64_t k = begin; k < end && !stop.raised(); ++k) run(k);
  });
}

/// Returns a number of parts that keeps all threads busy even if some parts take longer. Only for results that don't
/// depend on it.
inline int64_t parts_for_threads(int64_t count) { return std::min<int64_t>(count, default_pool().threads() * 4); }

}  // namespace hilo::cpu
