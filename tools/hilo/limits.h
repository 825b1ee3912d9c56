// SPDX-License-Identifier: Apache-2.0
// tools/hilo/limits.h -- limits of a program: --timeout, --max-memory, --max-instructions.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>

#include "hilo/device/compile_options.h"
#include "hilo/device/executable.h"

namespace hilo::tool {

struct LimitOptions {
  double timeout = 0;  ///< seconds for compiling and running together; 0: no limit
  std::optional<int64_t> memory, instructions;
};

/// Declares the options, which must outlive the app's parsing.
void add_limit_options(CLI::App& app, LimitOptions& options);

/// The limits, beginning at this moment. An interrupt cancels compilations and runs under them.
class Limits {
 public:
  explicit Limits(const LimitOptions& options) : options_(options), deadline_(deadline_in(options.timeout)) {}
  /// The remaining time and the other limits, combined with those of the flags.
  void limit(CompileOptions& options) const;
  void limit(ExecuteOptions& options) const;

 private:
  LimitOptions options_;
  Deadline deadline_;
};

}  // namespace hilo::tool
