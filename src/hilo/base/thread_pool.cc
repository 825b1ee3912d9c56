// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/thread_pool.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "hilo/base/cpu_count.h"
#include "hilo/base/floating_point.h"
#include "hilo/base/log.h"
#include "hilo/base/signals_blocked.h"
#include "hilo/base/stop.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace hilo {
namespace {

constexpr auto kSpin = std::chrono::microseconds(30);  // longer than a sleep and wakeup of 5-50 us would cost
constexpr int64_t kChunksPerThread = 16;               // balances tasks of different duration

// The state word of a pool: the number of its loop, whether workers may join, and how many have joined.
constexpr uint32_t kWorkers = (1u << 15) - 1;  // number of workers inside the loop
constexpr uint32_t kOwnerSleeps = 1u << 15;    // the caller sleeps until the last worker leaves
constexpr uint32_t kOpen = 1u << 16;           // workers may join the loop
// increment of the loop's number; after an overflow a worker may miss a loop at worst
constexpr uint32_t kLoop = 1u << 17;

std::atomic<uint64_t> forks{0};  // number of fork() calls in this process and its ancestors since the first pool
thread_local bool inside_task = false;
thread_local Executor* executor_of_thread = nullptr;

void pause_briefly() {
#if defined(__SSE2__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void sleep_while(std::atomic<uint32_t>& word, uint32_t value) {
  ::syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void wake(std::atomic<uint32_t>& word, int count) {
  ::syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

// Spins until `done` returns true, or returns false after kSpin.
template <typename Done>
bool spin_until(Done done) {
  if (done()) return true;
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 32; ++i) {  // about a microsecond between readings of the clock
      if (done()) return true;
      pause_briefly();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

// Marks this thread as running a task, for the duration of the scope.
class InsideTask {
 public:
  InsideTask() { inside_task = true; }
  ~InsideTask() { inside_task = false; }
  InsideTask(const InsideTask&) = delete;
  InsideTask& operator=(const InsideTask&) = delete;
};

}  // namespace

// State that caller and workers share. Each group of members that is written together has its own cache line.
struct ThreadPool::Shared {
  alignas(64) std::atomic<uint32_t> state{0};
  std::atomic<int32_t> sleepers{0};
  std::atomic<bool> stop{false};

  alignas(64) std::atomic<int64_t> next{0};  // first task that isn't assigned yet

  // The loop; written only while no worker is inside.
  alignas(64) const FunctionRef<void(int64_t)>* task = nullptr;
  int64_t tasks = 0;
  int64_t chunk = 1;
  uint32_t control = 0;
  const StopWord* stop_word = nullptr;

  alignas(64) std::atomic<bool> busy{false};  // whether a thread is the caller
  uint64_t born_after_forks = 0;
  std::vector<std::thread> workers;

  void work();
  bool join(uint32_t& seen);
  void leave();
  void run_worker();
  void close_and_wait();
};

// Runs chunks until none is left or the work must stop.
void ThreadPool::Shared::work() {
  const FunctionRef<void(int64_t)> call = *task;
  const StopFlag stopped;
  while (!stopped.raised()) {
    const int64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
    if (begin >= tasks) return;
    const int64_t end = std::min(begin + chunk, tasks);
    for (int64_t i = begin; i < end && !stopped.raised(); ++i) call(i);
  }
}

// Joins the loop if it is open and differs from the last one this worker joined.
bool ThreadPool::Shared::join(uint32_t& seen) {
  uint32_t now = state.load(std::memory_order_acquire);
  while ((now & kOpen) != 0 && now / kLoop != seen / kLoop) {
    if (state.compare_exchange_weak(now, now + 1, std::memory_order_acquire, std::memory_order_acquire)) {
      seen = now;
      return true;
    }
  }
  return false;
}

void ThreadPool::Shared::leave() {
  const uint32_t before = state.fetch_sub(1, std::memory_order_acq_rel);
  if ((before & kWorkers) == 1 && (before & kOwnerSleeps) != 0) wake(state, INT_MAX);
}

void ThreadPool::Shared::run_worker() {
  uint32_t seen = 0;  // the first loop has number 1
  while (!stop.load(std::memory_order_relaxed)) {
    if (spin_until([&] { return stop.load(std::memory_order_relaxed) || join(seen); })) {
      if (stop.load(std::memory_order_relaxed)) return;
      floating_point_detail::set_modes(control);
      {
        InsideTask inside;
        const StopScope scope(stop_word);
        work();
      }
      leave();
      continue;
    }
    // The worker first announces its sleep, then checks for work. The caller first opens the loop, then checks for
    // sleepers. So at least one of them sees the other.
    sleepers.fetch_add(1, std::memory_order_seq_cst);
    const uint32_t now = state.load(std::memory_order_seq_cst);
    const bool work_waits = (now & kOpen) != 0 && now / kLoop != seen / kLoop;
    if (!work_waits && !stop.load(std::memory_order_seq_cst)) sleep_while(state, now);
    sleepers.fetch_sub(1, std::memory_order_relaxed);
  }
}

// Closes the loop for new workers and waits until all workers have left.
void ThreadPool::Shared::close_and_wait() {
  state.fetch_and(~kOpen, std::memory_order_acq_rel);
  const auto empty = [this] { return (state.load(std::memory_order_acquire) & kWorkers) == 0; };
  while (!spin_until(empty)) {
    // a task called fork(), and this is the child
    if (born_after_forks != forks.load(std::memory_order_relaxed)) return;
    const uint32_t now = state.fetch_or(kOwnerSleeps, std::memory_order_acq_rel) | kOwnerSleeps;
    if ((now & kWorkers) != 0) sleep_while(state, now);
  }
}

namespace {

// An executor that the program has installed. Its threads don't have the caller's stop word.
class Installed final : public Executor {
 public:
  Executor* executor = nullptr;
  int threads() const override { return executor->threads(); }
  void parallel_for(int64_t tasks, FunctionRef<void(int64_t)> task) override {
    const StopWord* const word = stop_word();
    executor->parallel_for(tasks, [&](int64_t i) {
      const StopScope scope(word);
      if (!stop_requested()) task(i);
    });
  }
};

// The pool of default_pool(), or the executor that the program has installed.
struct Default {
  std::mutex mutex;
  std::atomic<Executor*> current{nullptr};
  Installed wrapper;
  Executor* installed = nullptr;  // the wrapper, if an executor is installed
  ThreadPool* own = nullptr;
  int threads = 0;                       // 0 means default_thread_count()
  std::vector<ThreadPool*> left_behind;  // pools of parent processes, whose threads don't exist here
};

Default& defaults() {
  static Default* instance = new Default;
  return *instance;
}

void after_fork_in_child() {
  forks.fetch_add(1, std::memory_order_relaxed);
  inside_task = false;
  Default& d = defaults();
  if (d.own != nullptr) d.left_behind.push_back(d.own);
  d.own = nullptr;
  d.current.store(d.installed, std::memory_order_relaxed);
  d.mutex.unlock();
}

void watch_forks() {
  static const int registered =
      ::pthread_atfork([] { defaults().mutex.lock(); }, [] { defaults().mutex.unlock(); }, after_fork_in_child);
  static_cast<void>(registered);
}

}  // namespace

ThreadPool::ThreadPool(int threads) : shared_(std::make_unique<Shared>()) {
  watch_forks();
  Shared* shared = shared_.get();
  shared->born_after_forks = forks.load(std::memory_order_relaxed);
  const int wanted = std::min(threads - 1, static_cast<int>(kWorkers) - 1);
  const SignalsBlocked blocked;
  try {
    shared->workers.reserve(std::max(wanted, 0));
    for (int i = 0; i < wanted; ++i) {
      shared->workers.emplace_back([shared] { shared->run_worker(); });
      ::pthread_setname_np(shared->workers.back().native_handle(), "hilo-worker");
    }
  } catch (const std::system_error& error) {
    log_warning_once("thread_pool", "only {} of {} worker threads started: {}", shared->workers.size(), wanted,
                     error.what());
  } catch (const std::bad_alloc&) {  // some threads have started and refer to the pool
  }
}

ThreadPool::~ThreadPool() {
  if (shared_->born_after_forks != forks.load(std::memory_order_relaxed)) {
    // The threads exist only in the parent. They can't be joined, and their handles must not be used.
    static_cast<void>(shared_.release());
    return;
  }
  shared_->stop.store(true, std::memory_order_seq_cst);
  // A new loop number prevents workers from going to sleep.
  shared_->state.fetch_add(kLoop, std::memory_order_seq_cst);
  wake(shared_->state, INT_MAX);
  for (std::thread& worker : shared_->workers) worker.join();
}

int ThreadPool::threads() const {
  const bool here = shared_->born_after_forks == forks.load(std::memory_order_relaxed);
  return here ? static_cast<int>(shared_->workers.size()) + 1 : 1;
}

void ThreadPool::parallel_for(int64_t tasks, FunctionRef<void(int64_t)> task) {
  Shared& s = *shared_;
  const int all = threads();
  if (tasks <= 1 || all == 1 || inside_task || s.busy.exchange(true, std::memory_order_acquire)) {
    const StopFlag stopped;
    for (int64_t i = 0; i < tasks && !stopped.raised(); ++i) task(i);
    return;
  }
  s.task = &task;
  s.tasks = tasks;
  s.chunk = std::max<int64_t>(1, tasks / (all * kChunksPerThread));
  s.control = floating_point_detail::modes();
  s.stop_word = hilo::stop_word();
  s.next.store(0, std::memory_order_relaxed);
  const uint32_t last = s.state.load(std::memory_order_relaxed);
  s.state.store((last / kLoop + 1) * kLoop | kOpen, std::memory_order_seq_cst);
  if (s.sleepers.load(std::memory_order_seq_cst) > 0) {
    wake(s.state, static_cast<int>(std::min<int64_t>(tasks - 1, all - 1)));
  }
  {
    InsideTask inside;
    s.work();
  }
  s.close_and_wait();
  s.busy.store(false, std::memory_order_release);
}

Executor* ExecutorScope::exchange(Executor* executor) { return std::exchange(executor_of_thread, executor); }

Executor& default_pool() {
  if (executor_of_thread != nullptr) return *executor_of_thread;
  Default& d = defaults();
  if (Executor* executor = d.current.load(std::memory_order_acquire)) return *executor;
  watch_forks();
  std::lock_guard lock(d.mutex);
  if (d.current.load(std::memory_order_relaxed) == nullptr) {
    d.own = new ThreadPool(d.threads > 0 ? d.threads : default_thread_count());
    d.current.store(d.own, std::memory_order_release);
  }
  return *d.current.load(std::memory_order_relaxed);
}

void set_default_executor(Executor* executor) {
  Default& d = defaults();
  std::lock_guard lock(d.mutex);
  d.wrapper.executor = executor;
  d.installed = executor != nullptr ? &d.wrapper : nullptr;
  d.current.store(executor != nullptr ? d.installed : d.own, std::memory_order_release);
}

void set_default_thread_count(int threads) {
  Default& d = defaults();
  ThreadPool* old = nullptr;
  {
    std::lock_guard lock(d.mutex);
    d.threads = std::max(threads, 0);
    old = d.own;
    d.own = nullptr;
    d.current.store(d.installed, std::memory_order_release);
  }
  delete old;
}

bool inside_parallel_task() { return inside_task; }

}  // namespace hilo
