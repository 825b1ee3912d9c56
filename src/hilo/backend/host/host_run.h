// SPDX-License-Identifier: Apache-2.0
// backend/host/host_run.h -- one run of a program, by one device or by several that meet.
#pragma once

#include <exception>
#include <optional>

#include "hilo/backend/host/host_program.h"

namespace hilo {

/// One run by all its participants, each on a thread of its own. What it is given must outlive it.
class HostRun {
 public:
  /// `runs`, `devices`: one a participant.
  HostRun(HostProgram& program, std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
          const ExecuteOptions& options);

  /// Participant k's part, on this thread; each is called once. If one fails, all meetings fail.
  void take_part(size_t k);
  /// Participant k has no part: it failed before.
  void give_up(size_t k, const Status& reason);
  /// All parts, the first on this thread, the others on new ones.
  /// Errors    RESOURCE_EXHAUSTED if a thread can't be had
  Status run_here();
  /// How it went. Precondition: all parts have ended.
  /// Errors    of the program, if it runs alone; else ABORTED "replica 2 failed: ...", or why all had to stop. Throws what a
  ///           custom call threw.
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
  std::unique_ptr<CommunicatorGroup> communicators_;  // null: it runs alone
  std::vector<Status> statuses_;
  std::vector<std::exception_ptr> thrown_;
};

/// When a run that begins now must end.
Deadline deadline_of(const ProgramSignature& signature, const ExecuteOptions& options);

/// Participant's part of a run on this thread.
Status run_on_host(HostProgram& program, const DeviceRun& run, const DevicePtr& device, const ExecuteOptions& options,
                   const StopWord* word, Deadline deadline, Communicator* communicator);

}  // namespace hilo
