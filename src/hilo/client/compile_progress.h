// SPDX-License-Identifier: Apache-2.0
// client/compile_progress.h -- one line on a terminal that says what a slow compilation is busy with.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace hilo {

/// Shows "compiling MODULE: STAGE" on stderr from one second after the start until the end, then wipes the line.
/// Silent, and without a thread, where stderr is no terminal.
class CompileProgress {
 public:
  explicit CompileProgress(std::string module_name);
  ~CompileProgress();
  CompileProgress(const CompileProgress&) = delete;
  CompileProgress& operator=(const CompileProgress&) = delete;

  /// What is being done now: a pass's name, or "code generation".
  void set_stage(std::string_view stage);

  /// True if a line would be shown at all.
  static bool wanted();

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;  ///< null if silent
};

/// The line itself: at most `columns` wide, control bytes of the names replaced.
std::string progress_line(std::string_view module, std::string_view stage, size_t columns);

}  // namespace hilo
