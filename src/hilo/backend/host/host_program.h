// SPDX-License-Identifier: Apache-2.0
// backend/host/host_program.h -- the interface of compilers and programs on host memory, which the engines cpu/ and
// reference/ implement. A host client creates devices and executables from them.
#pragma once

#include "hilo/backend/host/host_buffer.h"
#include "hilo/device/client.h"
#include "hilo/device/run_context.h"

namespace hilo {

/// A compiled program that runs on host memory. Safe to run from several threads at once.
class HostProgram {
 public:
  virtual ~HostProgram() = default;

  /// Runs on arguments of exactly the signature's shapes, which are not donated meanwhile, and writes new buffers of
  /// `context.device` to `results`. `donated`: a flag per argument, or empty; the program may use the memory of donated
  /// arguments. The thread's stop word is the context's, and the processor rounds to nearest.
  /// Blocking   returns when the results are complete
  virtual Status run(std::span<const BufferPtr> arguments, std::span<BufferPtr> results, std::span<const bool> donated,
                     const RunContext& context) = 0;
  /// Whether run_at() can be called.
  virtual bool runs_at_addresses() const { return false; }
  /// Runs on memory as in DirectRun, all of which exists. The thread's stop word and executor remain those of the
  /// caller.
  virtual Status run_at(std::span<const std::byte* const> arguments, std::span<std::byte* const> results,
                        const DevicePtr& device) {
    static_cast<void>(arguments), static_cast<void>(results), static_cast<void>(device);
    return internal_error("the program doesn't run at addresses");
  }
  virtual const ProgramSignature& signature() const = 0;
  virtual ExecutableStatistics statistics() const { return {}; }
  /// As Executable::optimized_module and serialize.
  virtual const hlo::Module* optimized_module() const = 0;
  virtual StatusOr<std::string> serialize() const;
  virtual std::span<const ExecutionUnit> units() const { return {}; }
  /// Whether a run is so short that another thread would cost more.
  virtual bool is_small() const { return false; }
};

/// Returns the signature of a host program compiled with these options.
ProgramSignature host_signature(const hlo::Module& module, const CompileOptions& options);

/// Compiles for the host. Lives as long as the process.
class HostEngine {
 public:
  virtual ~HostEngine() = default;
  /// "Host", "Reference"
  virtual std::string_view platform_name() const = 0;
  /// Returns the instruction set that it compiles for: "x86-64, AVX-512".
  virtual std::string device_kind() const = 0;
  /// As Client::compile. The module has an entry. `options.replica_count` is that of its header, if it has one.
  virtual StatusOr<std::unique_ptr<HostProgram>> compile(const hlo::Module& module, const CompileOptions& options,
                                                         hlo::PassObserver* observer) = 0;
  /// As Client::load.
  virtual StatusOr<std::unique_ptr<HostProgram>> load(std::string_view bytes);
  /// As Client::compile_object. `options.replica_count` as for compile.
  virtual StatusOr<ObjectFiles> compile_object(const hlo::Module& module, const CompileOptions& options,
                                               const ObjectOptions& object);
};

}  // namespace hilo
