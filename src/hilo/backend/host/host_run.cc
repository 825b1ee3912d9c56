// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/host/host_run.h"

#include <system_error>
#include <thread>

#include "hilo/base/out_of_memory.h"
#include "hilo/base/run_scope.h"

namespace hilo {

Deadline deadline_of(const ProgramSignature& signature, const ExecuteOptions& options) {
  return options.deadline ? *options.deadline : deadline_in(signature.run_seconds);
}

Status run_on_host(HostProgram& program, const DeviceRun& run, const DevicePtr& device, const ExecuteOptions& options,
                   const StopWord* word, Deadline deadline, Communicator* communicator) {
  const StopScope stops(word);
  const ExecutorScope tasks(options.executor);
  const bool watched = communicator == nullptr || communicator->rank() == 0;
  const RunContext context{device,      options.executor, stop_word(), deadline, watched ? options.observer : nullptr,
                           communicator};
  const RunScope here(&context);
  const Status status = program.run(run.arguments, run.results, options.donated, context);
  // After a stop, results may be incomplete: a stop word, once set, stays set.
  if (!status.ok() || !stop_requested()) return status;
  return stop_status().with_context("Execute '" + program.signature().name + "'");
}

HostRun::HostRun(HostProgram& program, std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
                 const ExecuteOptions& options)
    : program_(program),
      runs_(runs),
      devices_(devices),
      options_(options),
      deadline_(deadline_of(program.signature(), options)),
      watch_(options.cancellation, deadline_),
      statuses_(runs.size()),
      thrown_(runs.size()) {
  const CommunicatorFactory make = devices[0]->client().options().communicators;
  if (!runs_alone() && make != nullptr) {
    communicators_ = make({.here = std::ssize(runs),
                           .all = program.signature().replica_count,
                           .meet = program.signature().meets_others,
                           .program = program.signature().fingerprint,
                           .cancellation = watch_.token()});
  }
}

Status HostRun::run_part(size_t k) {
  if (!runs_alone() && communicators_ == nullptr)
    return failed_precondition("Execute '" + program_.signature().name +
                               "': the client's replicas can't communicate: ClientOptions::communicators isn't set");
  Communicator* const communicator = communicators_ == nullptr ? nullptr : &communicators_->of(k);
  return run_on_host(program_, runs_[k], devices_[k], options_, watch_.word(), deadline_, communicator);
}

// A thread must not end by an exception: the caller receives it once all have ended.
void HostRun::take_part(size_t k) {
  try {
    statuses_[k] = run_part(k);
  } catch (...) {  // NOLINT: rethrown by outcome()
    thrown_[k] = std::current_exception();
    statuses_[k] = or_out_of_memory([] { return Status(StatusCode::kUnknown, "an exception was thrown"); });
  }
  end_part(k);
}

void HostRun::give_up(size_t k, const Status& reason) {
  statuses_[k] = reason;
  end_part(k);
}

void HostRun::end_part(size_t k) {
  if (communicators_ == nullptr) return;
  if (!statuses_[k].ok()) communicators_->of(k).abort(statuses_[k]);
  communicators_->end(k);
}

Status HostRun::run_here() {
  std::vector<std::thread> threads;
  Status started;
  try {
    threads.reserve(runs_.size());
    for (size_t k = 1; k < runs_.size(); ++k) threads.emplace_back([this, k] { take_part(k); });
  } catch (const std::system_error& error) {
    started = resource_exhausted("Execute '" + program_.signature().name + "': no thread for replica " +
                                 std::to_string(threads.size() + 1) + " of " + std::to_string(runs_.size()) + ": " +
                                 error.what());
  } catch (const std::bad_alloc&) {
    started = out_of_memory();
  }
  if (started.ok()) take_part(0);
  else if (communicators_ != nullptr) communicators_->of(0).abort(started);
  for (std::thread& thread : threads) thread.join();
  return started.ok() ? outcome() : started;
}

Status HostRun::outcome() {
  for (const std::exception_ptr& exception : thrown_) {
    if (exception != nullptr) std::rethrow_exception(exception);
  }
  return communicators_ != nullptr ? communicators_->failure() : statuses_[0];
}

}  // namespace hilo
