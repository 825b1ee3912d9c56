// SPDX-License-Identifier: Apache-2.0
// client/local_computation.h -- a computation of the client, which can be compiled and run.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "hilo/client/xla_bridge.h"

namespace hilo {

/// Returns an array leaf's shape with the requested layout, or nothing to keep its layout.
using LayoutFunction = std::function<std::optional<Shape>(const Shape& leaf)>;

/// A computation, compiled or not. Copies share the compiled program.
class LocalComputation {
 public:
  /// Creates a computation that isn't compiled, from a builder's module.
  /// Errors    INVALID_ARGUMENT for a module without an entry computation; those of get_backend
  static StatusOr<LocalComputation> uncompiled(hlo::Module module);

  bool is_compiled() const { return executable_ != nullptr; }
  const hlo::Module& module() const { return module_; }
  const BackendTarget& backend() const { return backend_; }
  /// Returns the shape of the result. After compilation it has the compiled layouts.
  Shape return_value_shape() const;
  /// Returns one shape per parameter, with the program's layouts.
  std::vector<Shape> parameter_shapes() const;

  /// Compiles for arguments of these shapes and returns a new, compiled computation; this one doesn't change.
  /// `layout_fn` sets the layout of each array leaf of the arguments and the result. Without it, each leaf keeps the
  /// layout of its shape; the default is row-major. The result's shape is set in a copy of the options.
  /// Errors    FAILED_PRECONDITION if this one is compiled; INVALID_ARGUMENT for argument shapes that don't match the
  ///           parameters, or for an invalid layout; those of get_xla_client and compile_module
  StatusOr<LocalComputation> compile(std::span<const Shape> argument_shapes = {},
                                     const std::optional<CompileOptions>& compile_options = std::nullopt,
                                     const LayoutFunction& layout_fn = {}) const;

  /// Runs a compiled computation. Arguments and results are the leaves of the parameters and of the result.
  /// Errors    FAILED_PRECONDITION if it isn't compiled; those of Executable::execute
  StatusOr<std::vector<BufferPtr>> execute(std::span<const BufferPtr> arguments,
                                           const ExecuteOptions& options = {}) const;

  /// Returns the executable, or null if it isn't compiled.
  const std::shared_ptr<Executable>& executable() const { return executable_; }

 private:
  LocalComputation(hlo::Module module, BackendTarget backend)
      : module_(std::move(module)), backend_(std::move(backend)) {}

  hlo::Module module_;
  BackendTarget backend_;
  std::shared_ptr<Executable> executable_;
};

/// Compiles `module` for its own shapes and layouts, with the options of the flags. `change` (may be empty) can modify
/// the options first.
/// Errors    those of LocalComputation::uncompiled and compile, and of get_compile_options
StatusOr<LocalComputation> compile_under_flags(hlo::Module module,
                                               const std::function<void(CompileOptions&)>& change = {});

}  // namespace hilo
