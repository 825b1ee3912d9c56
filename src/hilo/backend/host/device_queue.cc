// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/host/device_queue.h"

#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "hilo/base/signals_blocked.h"

namespace hilo {

namespace {

thread_local const void* queue_of_thread = nullptr;  // the queue whose task this thread runs

}  // namespace

struct DeviceQueue::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> tasks;
  std::atomic<int64_t> pending{0};  // including the running one
  bool closed = false;
  std::thread thread;
  ::pid_t process = ::getpid();  // owner of the thread: a child of fork() has none

  /// Runs tasks until the queue is closed and empty.
  void work() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return closed || !tasks.empty(); });
      if (tasks.empty()) return;
      run_first(lock);
    }
  }
  void run_first(std::unique_lock<std::mutex>& lock) {
    std::function<void()> task = std::move(tasks.front());
    tasks.pop_front();
    lock.unlock();
    const void* const outer = std::exchange(queue_of_thread, this);
    task();
    task = nullptr;  // frees its captures, possibly including the queue
    queue_of_thread = outer;
    pending.fetch_sub(1, std::memory_order_release);
    lock.lock();
  }
};

DeviceQueue::DeviceQueue() : state_(std::make_shared<State>()) {}

DeviceQueue::~DeviceQueue() {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->closed = true;
  }
  state_->changed.notify_all();
  if (!state_->thread.joinable()) return;
  const bool ours = state_->process == ::getpid();
  if (ours && state_->thread.get_id() != std::this_thread::get_id()) state_->thread.join();
  else state_->thread.detach();
}

bool DeviceQueue::is_idle() const {
  return state_->pending.load(std::memory_order_acquire) == 0 || queue_of_thread == state_.get();
}

Status DeviceQueue::start() {
  // in a child of fork(), the parent's state isn't usable
  if (state_->process != ::getpid()) state_ = std::make_shared<State>();
  const std::scoped_lock lock(state_->mutex);
  if (state_->thread.joinable()) return ok_status();
  const SignalsBlocked blocked;
  try {
    state_->thread = std::thread([state = state_] { state->work(); });
  } catch (const std::system_error& error) {
    return resource_exhausted(std::string("no thread for the device's queue: ") + error.what());
  }
  return ok_status();
}

void DeviceQueue::enqueue(std::function<void()> task) {
  const Status started = start();
  std::unique_lock lock(state_->mutex);
  state_->tasks.push_back(std::move(task));
  state_->pending.fetch_add(1, std::memory_order_relaxed);
  while (!started.ok() && !state_->tasks.empty()) state_->run_first(lock);
  lock.unlock();
  state_->changed.notify_all();
}

void DeviceQueue::run_or_enqueue(std::function<void()> task) {
  if (is_idle()) task();
  else enqueue(std::move(task));
}

}  // namespace hilo
