// SPDX-License-Identifier: Apache-2.0
// inspect/profile/compile_times.h -- what a compilation spends its time and memory on, for profiles.
#pragma once

#include "hilo/hlo/ir/pass_observer.h"
#include "hilo/inspect/profile/profile.h"

namespace hilo {

/// Measures passes and kernels, and hands on what it is told.
class CompileTimes final : public hlo::PassObserver {
 public:
  explicit CompileTimes(hlo::PassObserver& next) : next_(next) {}

  void before(std::string_view pass, const hlo::Module& module) override;
  void after(std::string_view pass, const hlo::Module& module, bool changed, double milliseconds) override;
  bool times_kernels() const override { return true; }
  void generated(std::string_view kernel, int64_t code_bytes, double milliseconds) override;

  /// In the order of their end. A pass's bytes are by how much the heap grew, a kernel's are those of its code.
  std::vector<CompileStep> steps() && { return std::move(steps_); }

 private:
  hlo::PassObserver& next_;
  int64_t heap_before_ = 0;
  std::vector<CompileStep> steps_;
};

}  // namespace hilo
