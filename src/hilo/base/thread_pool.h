// SPDX-License-Identifier: Apache-2.0
// base/thread_pool.h -- fork-join parallelism over a fixed set of threads, which includes the calling thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "hilo/base/function_ref.h"

namespace hilo {

/// The interface for the engine's parallel loops: hilo's own pool, or an executor of the program.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Returns the maximum number of threads that work at once, including the caller.
  virtual int threads() const = 0;
  /// Calls task(0) ... task(tasks - 1) once each, in any order and on any of the threads. Returns when all are done. In
  /// default_pool(), tasks belong to the caller's stop word (base/stop.h): once it is set, tasks that haven't begun are
  /// skipped.
  virtual void parallel_for(int64_t tasks, FunctionRef<void(int64_t)> task) = 0;
};

/// hilo's own pool. Workers spin for some microseconds, then sleep. A call never waits for a worker that has not
/// joined: if all workers are busy elsewhere, the caller runs all tasks.
/// - A call inside a task runs inline. So does a call while another thread uses the pool, so there is no deadlock.
/// - Tasks use the caller's floating-point control word (rounding, flush to zero) on every thread.
/// - After fork() the child's copy of a pool has no workers and runs inline; default_pool() is created again there.
/// - Tasks must not throw.
class ThreadPool final : public Executor {
 public:
  /// Creates a pool of `threads` threads including the caller, so 1 or less starts none. If the system refuses some,
  /// the pool has fewer.
  explicit ThreadPool(int threads);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const override;
  /// Cost      1-2 us if the workers are awake; none if it runs inline
  void parallel_for(int64_t tasks, FunctionRef<void(int64_t)> task) override;

  struct Shared;

 private:
  std::unique_ptr<Shared> shared_;
};

/// Returns the engine's executor: the installed one, or else a pool of default_thread_count() threads. The pool starts
/// on first use and never stops.
Executor& default_pool();

/// Uses `executor` instead of hilo's own pool; null restores the pool. The executor must outlive its use. Must not be
/// called while a program runs.
void set_default_executor(Executor* executor);

/// Sets the number of threads of hilo's own pool, including the caller; 0 means default_thread_count(). Must not be
/// called while a program runs.
void set_default_thread_count(int threads);

/// Makes `executor` the default_pool() of this thread for the duration of the scope. Null changes nothing.
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

/// Returns whether the caller is inside a task of a ThreadPool, where a parallel loop would run inline.
bool inside_parallel_task();

}  // namespace hilo
