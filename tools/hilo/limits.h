// SPDX-License-Identifier: Apache-2.0
// tools/hilo/limits.h -- what a program may cost: --timeout, --max-memory, --max-instructions.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>

#include "hilo/device/compile_options.h"
#include "hilo/device/executable.h"

namespace hilo::tool {

struct LimitOptions {
  double timeout = 0;  ///< seconds for compiling and running together; 0: none
  std::optional<int64_t> memory, instructions;
};

/// Declares the options, which must outlive the app's parsing.
void add_limit_options(CLI::App& app, LimitOptions& options);

/// The limits as they count from now on. An interrupt ends what is compiled and run under them.
class Limits {
 public:
  explicit Limits(const LimitOptions& options) : options_(options), deadline_(deadline_in(options.timeout)) {}
  /// What is left of the time, and the rest, over what the flags ask.
  void limit(CompileOptions& options) const;
  void limit(ExecuteOptions& options) const;

 private:
  LimitOptions options_;
  Deadline deadline_;
};

}  // namespace hilo::tool
