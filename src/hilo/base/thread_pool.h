// SPDX-License-Identifier: Apache-2.0
// base/thread_pool.h -- fork-join over a fixed set of threads; the calling thread is one of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "hilo/base/function_ref.h"

namespace hilo {

/// Whatever runs the engine's parallel loops: hilo's own pool, or one that the program brings along.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Threads that can work at once, the caller's included.
  virtual int threads() const = 0;
  /// Calls task(0) ... task(tasks - 1), each once, in any order, on any of the threads, and returns when all
  /// are done. Of default_pool() tasks belong to the caller's stop word (base/stop.h): once that is set, those that
  /// haven't begun are left out.
  virtual void parallel_for(int64_t tasks, FunctionRef<void(int64_t)> task) = 0;
};

/// hilo's own pool. Workers look out for work for some microseconds, then sleep. A call never waits for a
/// worker that has not started: with all workers busy elsewhere, the caller does everything itself.
///   - A call from inside a task runs inline, and so does one made while another thread uses the pool: no
///   deadlock.
///   - Tasks see the caller's floating-point control word (rounding, flush to zero) whichever thread they run
///   on.
///   - After fork() the child's copy of a pool has no workers and runs inline; default_pool() is built anew
///   there.
///   - Tasks must not throw.
class ThreadPool final : public Executor {
 public:
  /// `threads` counts the caller, so 1 (and less) starts no thread. Fewer start if the system refuses.
  explicit ThreadPool(int threads);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const override;
  /// Cost    1-2 us if the workers are awake; nothing beyond the tasks if it runs inline.
  void parallel_for(int64_t tasks, FunctionRef<void(int64_t)> task) override;

  struct Shared;

 private:
  std::unique_ptr<Shared> shared_;
};

/// The executor that the engine uses: the installed one, else a pool of default_thread_count() threads,
/// started at the first use and never stopped.
Executor& default_pool();

/// Uses `executor`, which must outlive its use, instead of the own pool; null returns to that. To be called
/// while no program runs.
void set_default_executor(Executor* executor);

/// Gives the own pool so many threads, the caller included; 0 means default_thread_count(). To be called
/// while no program runs.
void set_default_thread_count(int threads);

/// While it lives, default_pool() is `executor` on this thread: a caller's own, for what it runs. Null changes nothing.
class ExecutorScope {
 public:
  explicit ExecutorScope(Executor* executor) : set_(executor != nullptr) {
    if (set_) before_ = exchange(executor);
  }
  ~ExecutorScope() {
    if (set_) exchange(before_);
  }
  ExecutorScope(const ExecutorScope&) = delete;
  ExecutorScope& operator=(const ExecutorScope&) = delete;

 private:
  static Executor* exchange(Executor* executor);
  const bool set_;
  Executor* before_ = nullptr;
};

/// True inside a task of a ThreadPool, where a parallel loop would run inline.
bool inside_parallel_task();

}  // namespace hilo
