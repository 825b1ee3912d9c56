// SPDX-License-Identifier: Apache-2.0
// backend/host/host_program.h -- what compiles and runs on host memory: the engines cpu/ and reference/. A host client makes
// devices and executables of them.
#pragma once

#include "hilo/backend/host/host_buffer.h"
#include "hilo/device/client.h"
#include "hilo/device/run_context.h"

namespace hilo {

/// A compiled program that runs on host memory. Safe to run from several threads at once.
class HostProgram {
 public:
  virtual ~HostProgram() = default;

  /// Runs on arguments of exactly the signature's shapes, which nobody takes meanwhile, and puts new buffers of
  /// `context.device` into `results`. `donated`: a flag per argument, or empty; the program takes the memory of such a one,
  /// or leaves it. The thread's stop word is the context's, and the processor rounds to nearest.
  /// Blocking   returns when the results are there
  virtual Status run(std::span<const BufferPtr> arguments, std::span<BufferPtr> results, std::span<const bool> donated,
                     const RunContext& context) = 0;
  virtual const ProgramSignature& signature() const = 0;
  virtual ExecutableStatistics statistics() const { return {}; }
  /// As Executable::optimized_module and serialize.
  virtual const hlo::Module* optimized_module() const = 0;
  virtual StatusOr<std::string> serialize() const;
  virtual std::span<const ExecutionUnit> units() const { return {}; }
  /// Whether a run takes so little that handing it to another thread would cost more.
  virtual bool is_small() const { return false; }
};

/// What a host program that is compiled so states.
ProgramSignature host_signature(const hlo::Module& module, const CompileOptions& options);

/// Compiles for the host. Lives as long as the process.
class HostEngine {
 public:
  virtual ~HostEngine() = default;
  /// "Host", "Reference"
  virtual std::string_view platform_name() const = 0;
  /// What it compiles for: "x86-64, AVX-512".
  virtual std::string device_kind() const = 0;
  /// As Client::compile. The module has an entry, and `options.replica_count` is what its header states, if it does.
  virtual StatusOr<std::unique_ptr<HostProgram>> compile(const hlo::Module& module, const CompileOptions& options,
                                                         hlo::PassObserver* observer) = 0;
  /// As Client::load.
  virtual StatusOr<std::unique_ptr<HostProgram>> load(std::string_view bytes);
};

}  // namespace hilo
