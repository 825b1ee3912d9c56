// SPDX-License-Identifier: Apache-2.0
#include "hilo/replica/execute_replicas.h"

#include <exception>
#include <system_error>
#include <thread>

#include "hilo/base/out_of_memory.h"
#include "hilo/replica/thread_communicator.h"

namespace hilo {
namespace {

/// One call of a program by all its replicas.
class ReplicatedCall {
 public:
  ReplicatedCall(Executable& executable, std::span<const std::vector<BufferPtr>> arguments,
                 const ExecuteOptions& options)
      : executable_(executable),
        arguments_(arguments),
        options_(options),
        watch_(options.cancellation, executable.deadline_of(options)),
        communicators_(static_cast<int64_t>(arguments.size()), watch_.token()),
        results_(arguments.size(), std::vector<BufferPtr>(executable.result_shapes().size())),
        thrown_(arguments.size()) {}

  StatusOr<std::vector<std::vector<BufferPtr>>> run() {
    const Status started = start_others();
    if (started.ok()) run_replica(0);
    for (std::thread& thread : threads_) thread.join();
    HILO_RETURN_IF_ERROR(started);
    for (const std::exception_ptr& exception : thrown_) {
      if (exception != nullptr) std::rethrow_exception(exception);
    }
    HILO_RETURN_IF_ERROR(communicators_.failure());
    return std::move(results_);
  }

 private:
  Status start_others() {
    try {
      threads_.reserve(arguments_.size());
      for (size_t r = 1; r < arguments_.size(); ++r) threads_.emplace_back([this, r] { run_replica(r); });
    } catch (const std::system_error& error) {
      const Status status = resource_exhausted("Execute '" + executable_.name() + "': no thread for replica " +
                                               std::to_string(threads_.size() + 1) + " of " +
                                               std::to_string(arguments_.size()) + ": " + error.what());
      communicators_.of(0).abort(status);
      return status;
    } catch (const std::bad_alloc&) {
      communicators_.of(0).abort(out_of_memory());
      return out_of_memory();
    }
    return ok_status();
  }

  /// A thread must not end by an exception: it goes to the caller once all have ended.
  void run_replica(size_t r) {
    const auto replica = static_cast<int64_t>(r);
    ExecuteOptions options = options_;
    options.replica = static_cast<int>(replica);
    options.cancellation = watch_.token();  // one deadline for all
    options.deadline = kNoDeadline;
    options.communicator = &communicators_.of(replica);
    if (r != 0) options.observer = nullptr;
    Status status;
    try {
      status = executable_.execute(arguments_[r], results_[r], options);
    } catch (...) {  // NOLINT: thrown again by run()
      thrown_[r] = std::current_exception();
      status = or_out_of_memory([] { return Status(StatusCode::kUnknown, "an exception was thrown"); });
    }
    if (!status.ok()) options.communicator->abort(status);
    communicators_.end(replica);
  }

  Executable& executable_;
  std::span<const std::vector<BufferPtr>> arguments_;
  const ExecuteOptions& options_;
  DeadlineWatch watch_;
  ThreadCommunicators communicators_;
  std::vector<std::vector<BufferPtr>> results_;
  std::vector<std::exception_ptr> thrown_;
  std::vector<std::thread> threads_;
};

}  // namespace

StatusOr<std::vector<std::vector<BufferPtr>>> execute_replicas(Executable& executable,
                                                               std::span<const std::vector<BufferPtr>> arguments,
                                                               const ExecuteOptions& options) try {
  if (static_cast<int64_t>(arguments.size()) != executable.replica_count()) {
    return invalid_argument("Execute '" + executable.name() + "': arguments of " + std::to_string(arguments.size()) +
                            " replicas, compiled for " + std::to_string(executable.replica_count()));
  }
  return ReplicatedCall(executable, arguments, options).run();
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo
