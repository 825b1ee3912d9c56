// SPDX-License-Identifier: Apache-2.0
// client/compile_progress.h -- one line on a terminal that says what a slow compilation is busy with.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hilo/hlo/ir/pass_observer.h"

namespace hilo {

/// Shows "compiling MODULE: STAGE" on stderr from one second after the start until the end, then wipes the line.
/// Silent, and without a thread, where stderr is no terminal.
class CompileProgress final : public hlo::PassObserver {
 public:
  /// Passes what it observes to `next`, which may be null.
  CompileProgress(const std::string& module_name, hlo::PassObserver* next);
  ~CompileProgress() override;
  CompileProgress(const CompileProgress&) = delete;
  CompileProgress& operator=(const CompileProgress&) = delete;

  void before(std::string_view pass, const hlo::Module& module) override;
  void after(std::string_view pass, const hlo::Module& module, bool changed, double milliseconds) override;
  bool times_kernels() const override { return next_ != nullptr && next_->times_kernels(); }
  void generated(std::string_view kernel, int64_t code_bytes, double milliseconds) override;

  /// True if a line would be shown at all.
  static bool wanted();

 private:
  struct Shared;
  /// What is being done now: a pass's name, or "code generation".
  void set_stage(std::string_view stage);

  hlo::PassObserver* const next_;
  std::unique_ptr<Shared> shared_;  ///< null if silent
};

/// The line itself: at most `columns` wide, control bytes of the names replaced.
std::string progress_line(std::string_view module, std::string_view stage, size_t columns);

}  // namespace hilo
