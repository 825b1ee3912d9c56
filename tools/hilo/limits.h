// SPDX-License-Identifier: Apache-2.0
// tools/hilo/limits.h -- options that limit time and memory of a program: --timeout, --max-memory, --max-instructions.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>

#include "hilo/device/compile_options.h"
#include "hilo/device/executable.h"

namespace hilo::tool {

struct LimitOptions {
  double timeout = 0;  ///< seconds for compilation and run together; 0 means no limit
  std::optional<int64_t> memory, instructions;
};

/// Declares the options. `options` must outlive the app's parsing.
void add_limit_options(CLI::App& app, LimitOptions& options);

/// Limits that start with the construction. An interrupt cancels compilations and runs under them.
class Limits {
 public:
  explicit Limits(const LimitOptions& options) : options_(options), deadline_(deadline_in(options.timeout)) {}
  /// Sets the remaining time and the other limits in `options`, in place of the flags' values.
  void limit(CompileOptions& options) const;
  void limit(ExecuteOptions& options) const;

 private:
  LimitOptions options_;
  Deadline deadline_;
};

}  // namespace hilo::tool
