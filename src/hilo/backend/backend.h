// SPDX-License-Identifier: Apache-2.0
// backend/backend.h -- the interface of an engine: modules in, executables out. Interfaces only live here; the engines
// are cpu/ and reference/, and client/platforms.cc names them.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hilo/backend/buffer.h"
#include "hilo/backend/cancellation.h"
#include "hilo/backend/collectives.h"
#include "hilo/backend/compile_options.h"
#include "hilo/backend/execution_observer.h"
#include "hilo/hlo/cost/cost.h"
#include "hilo/hlo/ir/pass_observer.h"

namespace hilo {

struct ExecuteOptions {
  /// One flag per argument leaf: its buffer may be reused for a result. Empty: none.
  std::span<const bool> donated = {};
  const CancellationToken* cancellation = nullptr;
  /// When the program ends with DEADLINE_EXCEEDED; nullopt: as long as CompileLimits::run_seconds says.
  std::optional<Deadline> deadline = {};
  ExecutionObserver* observer = nullptr;
  int replica = 0;
  Communicator* communicator = nullptr;  ///< how the program meets its other replicas; null: it runs alone
};

/// What an executable is made of; exact for what the engine plans itself.
struct ExecutableStatistics {
  int64_t kernel_count = 0;
  int64_t kernels_compiled = 0;  ///< the others came from the kernel cache
  int64_t temporary_bytes = 0;
  int64_t alias_bytes = 0;  ///< of results that take the memory of arguments, if these are donated
  int64_t constant_bytes = 0;
  int64_t code_bytes = 0;
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

/// A compiled program. execute() is safe to call from several threads at once.
class Executable {
 public:
  virtual ~Executable() = default;

  /// Leaves of the parameters, and of the result, in order; tuples are flattened.
  std::span<const Shape> argument_shapes() const { return argument_shapes_; }
  std::span<const Shape> result_shapes() const { return result_shapes_; }
  /// The result as the program has it, tuples and all.
  const Shape& result_shape() const { return result_shape_; }
  const std::string& name() const { return name_; }
  /// Replicas that run the program together.
  int64_t replica_count() const { return replica_count_; }
  /// What a run may take if it isn't told otherwise; 0: forever.
  double run_seconds() const { return run_seconds_; }
  /// When a run that begins now must end.
  Deadline deadline_of(const ExecuteOptions& options) const {
    return options.deadline ? *options.deadline : deadline_in(run_seconds_);
  }

  /// Runs the program on live buffers of exactly the argument shapes and puts new buffers into `results`.
  /// A donated argument's buffer is taken only if the program starts; an error before that leaves it live.
  /// Blocking   returns when the results are there
  /// Errors     INVALID_ARGUMENT wrong count or shape, deleted or doubly donated buffer, one of another replica, one that
  ///            a run on another thread uses or donates at this time while this one donates or uses it;
  ///            RESOURCE_EXHAUSTED; CANCELLED; DEADLINE_EXCEEDED; ABORTED if another replica fails
  Status execute(std::span<const BufferPtr> arguments, std::span<BufferPtr> results,
                 const ExecuteOptions& options = {});

  virtual ExecutableStatistics statistics() const { return {}; }
  /// Operations and bytes of one run of optimized_module(), counted from its instructions.
  hlo::Cost cost_analysis() const;
  MemoryAnalysis memory_analysis() const;
  /// The program after all passes.
  virtual const hlo::Module& optimized_module() const = 0;
  /// What the engine runs in one go, as planned: fused regions, library calls, loops. Empty if it runs op by op.
  virtual std::span<const ExecutionUnit> units() const { return {}; }

 protected:
  /// Arguments have been checked against argument_shapes() and are held: donated ones alone.
  virtual Status run(std::span<const BufferPtr> arguments, std::span<BufferPtr> results,
                     const ExecuteOptions& options) = 0;
  /// For an executable that stands before another of its signature: its arguments are checked and held already, and its
  /// time is watched.
  static Status run_inner(Executable& inner, std::span<const BufferPtr> arguments, std::span<BufferPtr> results,
                          const ExecuteOptions& options) {
    return inner.run(arguments, results, options);
  }
  /// Derived constructors call this with the module they were asked to compile, and what each run may take; 0: forever.
  void set_signature(const hlo::Module& module, int64_t replica_count, double run_seconds);

 private:
  std::string name_;
  std::vector<std::string> argument_names_;
  std::vector<Shape> argument_shapes_;
  std::vector<Shape> result_shapes_;
  Shape result_shape_;
  int64_t replica_count_ = 1;
  double run_seconds_ = 0;
  bool needs_others_ = false;
};

/// An engine for one kind of device.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view platform_name() const = 0;
  virtual int device_count() const = 0;

  /// Verifies, optimises and compiles. `observer` (may be null) sees every pass.
  /// Errors    INVALID_ARGUMENT from the verifier, UNIMPLEMENTED "shuffle 's' is not implemented ...",
  /// RESOURCE_EXHAUSTED
  virtual StatusOr<std::unique_ptr<Executable>> compile(const hlo::Module& module, const CompileOptions& options,
                                                        hlo::PassObserver* observer) = 0;
};

}  // namespace hilo
