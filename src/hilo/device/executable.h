// SPDX-License-Identifier: Apache-2.0
// device/executable.h -- a compiled program.
#pragma once

#include <vector>

#include "hilo/device/argument_holds.h"
#include "hilo/device/execute_options.h"
#include "hilo/device/program_signature.h"

namespace hilo {

/// What an executable is made of; exact for what an engine of hilo plans itself.
struct ExecutableStatistics {
  int64_t kernel_count = 0;
  int64_t kernels_compiled = 0;  ///< the others came from the kernel cache
  int64_t evaluated_count = 0;   ///< instructions that run op by op, by the reference evaluator: they are slow
  int64_t temporary_bytes = 0;
  int64_t alias_bytes = 0;  ///< of results that take the memory of arguments, if these are donated
  int64_t constant_bytes = 0;
  int64_t code_bytes = 0;
  int64_t program_bytes = 0;  ///< of what it keeps to describe itself: the optimised program
  double compile_milliseconds = 0;
};

/// The memory that one run of a program takes, as planned.
struct MemoryAnalysis {
  int64_t argument_bytes = 0;
  int64_t output_bytes = 0;
  int64_t alias_bytes = 0;  ///< of outputs, in the memory of donated arguments
  int64_t temporary_bytes = 0;
  int64_t constant_bytes = 0;  ///< shared by all runs
  int64_t code_bytes = 0;      ///< shared by all runs
  int64_t peak_bytes = 0;      ///< arguments, outputs and temporaries at once; less alias_bytes if all are donated
};

MemoryAnalysis memory_analysis(const ProgramSignature& signature, const ExecutableStatistics& statistics);

/// A program, compiled for devices of one client. execute() and launch() are safe to call from several threads at once.
class Executable {
 public:
  virtual ~Executable() = default;
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  const ProgramSignature& signature() const { return signature_; }
  std::span<const Shape> argument_shapes() const { return signature_.argument_shapes; }
  std::span<const Shape> result_shapes() const { return signature_.result_shapes; }
  const Shape& result_shape() const { return signature_.result_shape; }
  const std::string& name() const { return signature_.name; }
  /// Copies of the program that run together.
  int64_t replica_count() const { return signature_.replica_count; }
  /// The devices of this process that run it, in the order of launch()'s runs.
  std::span<const DevicePtr> devices() const { return devices_; }
  Client& client() const { return devices_[0]->client(); }

  /// Runs the program on live buffers of exactly the argument shapes and puts new buffers into `results`: run k on
  /// devices()[k]. One run alone is enough for a program whose replicas don't meet; it goes to any device of the client.
  /// A donated argument's buffer is taken only if the program starts; an error before that leaves it live.
  /// Returns   an event, finished when all runs are. If not all is well before the program starts, or if it ran at once, the
  ///           error comes as the result, and there are no buffers.
  /// Errors    INVALID_ARGUMENT wrong count or shape, deleted or doubly donated buffer, one of another device, one that
  ///           a run on another thread uses or donates at this time while this one donates or uses it;
  ///           RESOURCE_EXHAUSTED; CANCELLED; DEADLINE_EXCEEDED; ABORTED if another replica fails
  StatusOr<Event> launch(std::span<const DeviceRun> runs, const ExecuteOptions& options = {});
  /// The same for one run, waiting for its end.
  Status execute(std::span<const BufferPtr> arguments, std::span<BufferPtr> results,
                 const ExecuteOptions& options = {});

  virtual ExecutableStatistics statistics() const { return {}; }
  MemoryAnalysis memory_analysis() const { return hilo::memory_analysis(signature_, statistics()); }
  /// The program after all passes; null if the client has none to show.
  virtual const hlo::Module* optimized_module() const { return nullptr; }
  /// What a device runs in one go, as planned: fused regions, library calls, loops. Empty if it runs op by op.
  virtual std::span<const ExecutionUnit> units() const { return {}; }
  /// The program as bytes that Client::load() reads.
  /// Errors    UNIMPLEMENTED where the client can't
  virtual StatusOr<std::string> serialize() const;

 protected:
  /// Precondition: there is a device.
  Executable(ProgramSignature signature, std::vector<DevicePtr> devices)
      : signature_(std::move(signature)), devices_(std::move(devices)) {}
  /// Arguments have been checked, and `holds` holds them; `devices` has one a run. Who returns before the runs have finished
  /// takes the holds over.
  virtual StatusOr<Event> start(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
                                const ExecuteOptions& options, ArgumentHolds& holds) = 0;
  /// For an executable that stands before another of its signature: all has been checked.
  static StatusOr<Event> start_inner(Executable& inner, std::span<const DeviceRun> runs,
                                     std::span<const DevicePtr> devices, const ExecuteOptions& options,
                                     ArgumentHolds& holds) {
    return inner.start(runs, devices, options, holds);
  }

 private:
  Status check(const DeviceRun& run, const DevicePtr& device) const;
  const DevicePtr& device_of(const DeviceRun& run, const ExecuteOptions& options) const;

  const ProgramSignature signature_;
  const std::vector<DevicePtr> devices_;
};

/// The program after all passes.
/// Errors    UNIMPLEMENTED if the client shows none
StatusOr<const hlo::Module*> optimized_module_of(const Executable& executable);

/// Runs a program on one list of arguments a device, waiting for its end; one list of results each.
/// Errors    as Executable::launch; INVALID_ARGUMENT for another number of lists than Executable::devices()
StatusOr<std::vector<std::vector<BufferPtr>>> execute_replicas(Executable& executable,
                                                               std::span<const std::vector<BufferPtr>> arguments,
                                                               const ExecuteOptions& options = {});

}  // namespace hilo
