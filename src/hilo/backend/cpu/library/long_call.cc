// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/long_call.h"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "hilo/base/buffer_pool.h"
#include "hilo/base/process_end.h"
#include "hilo/base/signals_blocked.h"

namespace hilo::cpu {
namespace {

constexpr double kLong = double{1 << 26};                  // multiplications: about 10 ms and more
constexpr std::chrono::milliseconds kStopPollInterval{5};  // between checks of the stop word

/// Calls whose caller has stopped. The process waits for them before it unloads its libraries.
struct Abandoned {
  std::mutex mutex;
  std::condition_variable changed;
  int64_t count = 0;
};

Abandoned& abandoned() {
  static auto* const instance = [] {
    auto* const calls = new Abandoned;  // never destroyed: threads end after everything else
    at_process_end([] {
      Abandoned& all = abandoned();
      std::unique_lock lock(all.mutex);
      all.changed.wait(lock, [&] { return all.count == 0; });
    });
    return calls;
  }();
  return *instance;
}

/// The state that caller and thread share.
struct Job {
  LongCall call;
  std::vector<AlignedBuffer> memory;
  std::vector<void*> buffers;
  StopWord stop{kRunning};
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false, left = false;
  Status status;
  std::exception_ptr thrown;
};

void copy_bytes(void* to, const void* from, size_t bytes) {
  constexpr int64_t kAtOnce = 1 << 24;
  in_stretches(bytes, kAtOnce, [&](int64_t begin, int64_t end) {
    std::memcpy(static_cast<std::byte*>(to) + begin, static_cast<const std::byte*>(from) + begin,
                static_cast<size_t>(end - begin));
  });
}

/// Buffers that are the same for the caller are the same in the call.
Status copy_buffers(Job& job, void* const* buffers) {
  std::vector<size_t> bytes = job.call.operand_bytes;
  bytes.insert(bytes.end(), job.call.result_bytes.begin(), job.call.result_bytes.end());
  for (size_t k = 0; k < bytes.size(); ++k) {
    size_t same = 0;
    while (buffers[same] != buffers[k] || bytes[same] != bytes[k]) ++same;
    if (same < k) {
      job.buffers.push_back(job.buffers[same]);
      continue;
    }
    HILO_ASSIGN_OR_RETURN(AlignedBuffer memory, allocate_buffer(bytes[k]));
    if (k < job.call.operand_bytes.size()) copy_bytes(memory.data(), buffers[k], bytes[k]);
    job.buffers.push_back(memory.data());
    job.memory.push_back(std::move(memory));
  }
  return ok_status();
}

void run_job(const std::shared_ptr<Job>& job) {
  const StopScope scope(&job->stop);
  Status status;
  std::exception_ptr thrown;
  try {
    status = job->call.run(job->buffers.data());
  } catch (...) {  // NOLINT: rethrown by the caller, unless it has stopped
    thrown = std::current_exception();
  }
  std::unique_lock lock(job->mutex);
  job->status = status;
  job->thrown = thrown;
  job->done = true;
  job->changed.notify_all();
  if (!job->left) return;
  Abandoned& all = abandoned();
  const std::lock_guard count_lock(all.mutex);
  --all.count;
  all.changed.notify_all();
}

/// Returns false if no thread could be started.
bool start(const std::shared_ptr<Job>& job) {
  const SignalsBlocked blocked;
  try {
    std::thread([job] { run_job(job); }).detach();
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

/// Returns true when the call has ended, false if the caller must stop first.
bool wait_for(Job& job, const StopWord& word) {
  std::unique_lock lock(job.mutex);
  while (!job.done) {
    if (word.load(std::memory_order_relaxed) != kRunning) {
      job.stop.store(kCancelRequested, std::memory_order_relaxed);
      job.left = true;
      Abandoned& all = abandoned();
      const std::lock_guard count_lock(all.mutex);
      ++all.count;
      return false;
    }
    job.changed.wait_for(lock, kStopPollInterval);
  }
  return true;
}

}  // namespace

int64_t abandoned_calls() {
  Abandoned& all = abandoned();
  const std::lock_guard lock(all.mutex);
  return all.count;
}

bool runs_apart(double work, const CallContext& context) { return context.stop_word != nullptr && work >= kLong; }

Status run_long_call(const LongCall& call, void* const* buffers, const CallContext& context) {
  if (!runs_apart(call.work, context)) return call.run(buffers);
  const auto job = std::make_shared<Job>();
  job->call = call;
  HILO_RETURN_IF_ERROR(copy_buffers(*job, buffers));
  if (!start(job)) return call.run(buffers);
  if (!wait_for(*job, *context.stop_word)) return stop_status(context.stop_word);
  if (job->thrown != nullptr) std::rethrow_exception(job->thrown);
  for (size_t k = 0; k < call.result_bytes.size(); ++k) {
    const size_t at = call.operand_bytes.size() + k;
    copy_bytes(buffers[at], job->buffers[at], call.result_bytes[k]);
  }
  return job->status;
}

}  // namespace hilo::cpu
