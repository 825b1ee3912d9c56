// SPDX-License-Identifier: Apache-2.0
// client/compile_progress.h -- shows the current stage of a slow compilation as one line on the terminal.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hilo/hlo/ir/pass_observer.h"

namespace hilo {

/// Shows "compiling MODULE: STAGE" on stderr while a compilation takes longer than one second, then erases the line. If
/// stderr is no terminal, it shows nothing and starts no thread.
class CompileProgress final : public hlo::PassObserver {
 public:
  /// Forwards notifications to `next`, which may be null.
  CompileProgress(const std::string& module_name, hlo::PassObserver* next);
  ~CompileProgress() override;
  CompileProgress(const CompileProgress&) = delete;
  CompileProgress& operator=(const CompileProgress&) = delete;

  void before(std::string_view pass, const hlo::Module& module) override;
  void after(std::string_view pass, const hlo::Module& module, bool changed, double milliseconds) override;
  bool times_kernels() const override { return next_ != nullptr && next_->times_kernels(); }
  void generated(std::string_view kernel, int64_t code_bytes, double milliseconds) override;

  /// Returns whether a line would be shown.
  static bool is_shown();

 private:
  struct Shared;
  /// Sets the stage: the name of a pass, or "code generation".
  void set_stage(std::string_view stage);

  hlo::PassObserver* const next_;
  std::unique_ptr<Shared> shared_;  ///< null if silent
};

/// Returns the line of progress, at most `columns` wide. Control characters in names are replaced.
std::string progress_line(std::string_view module, std::string_view stage, size_t columns);

}  // namespace hilo
