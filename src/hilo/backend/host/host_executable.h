// SPDX-License-Identifier: Apache-2.0
// backend/host/host_executable.h -- a program on host devices: runs at once on the caller's thread, or in the devices'
// queues.
#pragma once

#include "hilo/backend/host/host_program.h"

namespace hilo {

class HostExecutable final : public Executable {
 public:
  HostExecutable(std::unique_ptr<HostProgram> program, std::vector<DevicePtr> devices)
      : Executable(program->signature(), std::move(devices)), program_(std::move(program)) {}

  bool runs_directly() const override;
  std::optional<Status> run_directly(const DirectRun& run) override;
  ExecutableStatistics statistics() const override { return program_->statistics(); }
  const hlo::Module* optimized_module() const override { return program_->optimized_module(); }
  StatusOr<std::string> serialize() const override { return program_->serialize(); }
  std::span<const ExecutionUnit> units() const override { return program_->units(); }

 protected:
  StatusOr<Event> start(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
                        const ExecuteOptions& options, ArgumentHolds& holds) override;

 private:
  StatusOr<Event> enqueue(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
                          const ExecuteOptions& options, ArgumentHolds& holds);

  std::shared_ptr<HostProgram> program_;  // shared with queued runs
};

}  // namespace hilo
