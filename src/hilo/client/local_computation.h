// SPDX-License-Identifier: Apache-2.0
// client/local_computation.h -- a computation of the client: first not compiled, then compiled, then run.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "hilo/client/xla_bridge.h"

namespace hilo {

/// How an array leaf shall be laid out: the same shape with another layout; nothing leaves it as it is.
using LayoutFunction = std::function<std::optional<Shape>(const Shape& leaf)>;

/// A computation that is not compiled yet, or is. A value: copies share the compiled program.
class LocalComputation {
 public:
  /// The state in which builders hand computations over.
  /// Errors    INVALID_ARGUMENT for a module without entry; those of get_backend
  static StatusOr<LocalComputation> uncompiled(hlo::Module module);

  bool is_compiled() const { return executable_ != nullptr; }
  const hlo::Module& module() const { return module_; }
  const BackendTarget& backend() const { return backend_; }
  /// The result; with the layouts it was compiled for, once it is.
  Shape return_value_shape() const;
  /// One shape a parameter, with the layouts that the program states.
  std::vector<Shape> parameter_shapes() const;

  /// Compiles for arguments of these shapes and returns a new, compiled computation; this one stays as it is.
  /// `layout_fn` lays out every array leaf of the arguments and of the result; without it each keeps the layout that
  /// its shape states, row-major unless said otherwise. The result's shape is set on a copy of the options.
  /// Errors    FAILED_PRECONDITION if this one is compiled; INVALID_ARGUMENT for argument shapes that don't fit the
  ///           parameters, or a layout that isn't one; those of get_xla_client and compile_module
  StatusOr<LocalComputation> compile(std::span<const Shape> argument_shapes = {},
                                     const std::optional<CompileOptions>& compile_options = std::nullopt,
                                     const LayoutFunction& layout_fn = {}) const;

  /// Runs a compiled computation; arguments and results are the leaves of the parameters and of the result.
  /// Errors    FAILED_PRECONDITION if it isn't compiled; those of Executable::execute
  StatusOr<std::vector<BufferPtr>> execute(std::span<const BufferPtr> arguments,
                                           const ExecuteOptions& options = {}) const;

  /// Null if not compiled.
  const std::shared_ptr<Executable>& executable() const { return executable_; }

 private:
  LocalComputation(hlo::Module module, BackendTarget backend)
      : module_(std::move(module)), backend_(std::move(backend)) {}

  hlo::Module module_;
  BackendTarget backend_;
  std::shared_ptr<Executable> executable_;
};

/// Compiles `module` for the shapes and layouts that it states, as the flags ask. `change` (may be empty) may change
/// the options before.
/// Errors    those of LocalComputation::uncompiled and compile, and of get_compile_options
StatusOr<LocalComputation> compile_under_flags(hlo::Module module,
                                               const std::function<void(CompileOptions&)>& change = {});

}  // namespace hilo
