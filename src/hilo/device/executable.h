// SPDX-License-Identifier: Apache-2.0
// device/executable.h -- a compiled program.
#pragma once

#include <vector>

#include "hilo/device/argument_holds.h"
#include "hilo/device/direct_run.h"
#include "hilo/device/execute_options.h"
#include "hilo/device/program_signature.h"

namespace hilo {

/// Statistics of an executable. The values are exact for engines that plan their memory and code.
struct ExecutableStatistics {
  int64_t kernel_count = 0;
  int64_t kernels_compiled = 0;  ///< number of kernels compiled; the other kernels came from the kernel cache
  /// number of functions that LLVM's quick pipeline generated: 0 under the default effort and after their replacement
  int64_t quick_count = 0;
  int64_t replacement_count = 0;  ///< 1 if another thread has replaced quick code by good code
  int64_t evaluated_count = 0;    ///< number of instructions that the reference evaluator runs op by op, which is slow
  int64_t temporary_bytes = 0;
  int64_t alias_bytes = 0;  ///< bytes of results that reuse the memory of donated arguments
  int64_t constant_bytes = 0;
  int64_t code_bytes = 0;
  int64_t program_bytes = 0;  ///< bytes of the stored optimized program
  double compile_milliseconds = 0;
};

/// The planned memory of one run of a program.
struct MemoryAnalysis {
  int64_t argument_bytes = 0;
  int64_t output_bytes = 0;
  int64_t alias_bytes = 0;  ///< bytes of outputs that reuse the memory of donated arguments
  int64_t temporary_bytes = 0;
  int64_t constant_bytes = 0;  ///< bytes of constants, shared by all runs
  int64_t code_bytes = 0;      ///< bytes of code, shared by all runs
  /// bytes of arguments, outputs and temporaries together; minus alias_bytes if all are donated
  int64_t peak_bytes = 0;
};

MemoryAnalysis memory_analysis(const ProgramSignature& signature, const ExecutableStatistics& statistics);

/// A program that is compiled for devices of one client. execute() and launch() are thread-safe.
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
  /// Returns the number of copies of the program that run together.
  int64_t replica_count() const { return signature_.replica_count; }
  /// Returns the devices of this process that run the program, in the order of launch()'s runs.
  std::span<const DevicePtr> devices() const { return devices_; }
  Client& client() const { return devices_[0]->client(); }

  /// Runs the program on live buffers of exactly the argument shapes and stores new buffers in `results`. Run k uses
  /// devices()[k]. If the program has no collectives, a single run is allowed, on any device of the client. A donated
  /// argument is consumed only if the program starts; an error before that leaves it alive.
  /// Returns   an event that finishes when all runs have. Errors before the start, and those of a synchronous run, are
  ///           returned as a status; then there are no results.
  /// Errors    INVALID_ARGUMENT for a wrong count or shape, a deleted buffer, a buffer that is donated twice, a buffer
  ///           of another device, or one whose donation conflicts with a use on another thread; RESOURCE_EXHAUSTED;
  ///           CANCELLED; DEADLINE_EXCEEDED; ABORTED if another replica fails
  StatusOr<Event> launch(std::span<const DeviceRun> runs, const ExecuteOptions& options = {});
  /// Executes one run and waits for its end.
  Status execute(std::span<const BufferPtr> arguments, std::span<BufferPtr> results,
                 const ExecuteOptions& options = {});

  /// Whether run_directly() can be called: a program of one device in host memory, whose runs have no deadline and end
  /// before the call returns.
  virtual bool runs_directly() const { return false; }
  /// Runs the program on devices()[0]. Returns nullopt, without an effect, if the device has other work to do first:
  /// the caller then uses launch().
  /// Errors    RESOURCE_EXHAUSTED, and those of the program
  /// Precondition: runs_directly()
  /// Cost      no allocation if memory of earlier results can be reused
  virtual std::optional<Status> run_directly(const DirectRun& run) {
    static_cast<void>(run);
    return std::nullopt;
  }

  virtual ExecutableStatistics statistics() const { return {}; }
  MemoryAnalysis memory_analysis() const { return hilo::memory_analysis(signature_, statistics()); }
  /// Returns the program after all passes, or null if the client doesn't provide it.
  virtual const hlo::Module* optimized_module() const { return nullptr; }
  /// Returns the planned units of execution: fused regions, library calls, loops. Empty if the program runs op by op.
  virtual std::span<const ExecutionUnit> units() const { return {}; }
  /// Returns the program as bytes for Client::load().
  /// Errors    UNIMPLEMENTED if the client can't save programs
  virtual StatusOr<std::string> serialize() const;

 protected:
  /// Precondition: `devices` isn't empty.
  Executable(ProgramSignature signature, std::vector<DevicePtr> devices)
      : signature_(std::move(signature)), devices_(std::move(devices)) {}
  /// Starts runs on `devices`, one per run. The arguments are checked and held by `holds`. An implementation that
  /// returns before the runs finish takes ownership of the holds.
  virtual StatusOr<Event> start(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
                                const ExecuteOptions& options, ArgumentHolds& holds) = 0;
  /// Starts the runs on `inner`, for an executable that wraps another one with the same signature. The arguments are
  /// already checked.
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

/// Returns the program after all passes.
/// Errors    UNIMPLEMENTED if the client doesn't provide it
StatusOr<const hlo::Module*> optimized_module_of(const Executable& executable);

/// Runs a program with one list of arguments per device and waits for its end. Returns one list of results per device.
/// Errors    those of Executable::launch; INVALID_ARGUMENT if the number of lists differs from that of
///           Executable::devices()
StatusOr<std::vector<std::vector<BufferPtr>>> execute_replicas(Executable& executable,
                                                               std::span<const std::vector<BufferPtr>> arguments,
                                                               const ExecuteOptions& options = {});

}  // namespace hilo
