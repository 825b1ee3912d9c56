// SPDX-License-Identifier: Apache-2.0
// backend/host/host_run.h -- one run of a program by one device, or by several that communicate.
#pragma once

#include <exception>
#include <optional>

#include "hilo/backend/host/host_program.h"

namespace hilo {

/// One run by all its participants, each on its own thread. The arguments of the constructor must outlive it.
class HostRun {
 public:
  /// `runs`, `devices`: one per participant.
  HostRun(HostProgram& program, std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
          const ExecuteOptions& options);

  /// Runs participant k's part on this thread; once per participant. If one fails, all collectives fail.
  void take_part(size_t k);
  /// Reports that participant k failed before its part.
  void give_up(size_t k, const Status& reason);
  /// Runs all parts, the first on this thread, the others on new ones.
  /// Errors    RESOURCE_EXHAUSTED if a thread can't be started
  Status run_here();
  /// Returns the status of the run. Precondition: all parts have ended.
  /// Errors    those of the program, if it runs alone; otherwise ABORTED "replica 2 failed: ...", or the reason why all
  /// had to stop. Throws the
  ///           exception of a custom call.
  Status outcome();

 private:
  bool runs_alone() const { return runs_.size() == 1 && !program_.signature().meets_others; }
  Status run_part(size_t k);
  void end_part(size_t k);

  HostProgram& program_;
  std::span<const DeviceRun> runs_;
  std::span<const DevicePtr> devices_;
  const ExecuteOptions& options_;
  Deadline deadline_;
  DeadlineWatch watch_;
  std::unique_ptr<CommunicatorGroup> communicators_;  // null: a single participant
  std::vector<Status> statuses_;
  std::vector<std::exception_ptr> thrown_;
};

/// Returns the deadline of a run that begins now.
Deadline deadline_of(const ProgramSignature& signature, const ExecuteOptions& options);

/// Runs a participant's part on this thread.
Status run_on_host(HostProgram& program, const DeviceRun& run, const DevicePtr& device, const ExecuteOptions& options,
                   const StopWord* word, Deadline deadline, Communicator* communicator);

}  // namespace hilo
