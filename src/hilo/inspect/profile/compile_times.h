// SPDX-License-Identifier: Apache-2.0
// inspect/profile/compile_times.h -- time and memory of a compilation's steps, for profiles.
#pragma once

#include "hilo/hlo/ir/pass_observer.h"
#include "hilo/inspect/profile/profile.h"

namespace hilo {

/// Measures passes and kernels, and forwards events to the next observer.
class CompileTimes final : public hlo::PassObserver {
 public:
  explicit CompileTimes(hlo::PassObserver& next) : next_(next) {}

  void before(std::string_view pass, const hlo::Module& module) override;
  void after(std::string_view pass, const hlo::Module& module, bool changed, double milliseconds) override;
  bool times_kernels() const override { return true; }
  void generated(std::string_view kernel, int64_t code_bytes, double milliseconds) override;

  /// Returns steps in the order of their end. A pass's bytes are the growth of the heap, a kernel's the size of its
  /// code.
  std::vector<CompileStep> steps() && { return std::move(steps_); }

 private:
  hlo::PassObserver& next_;
  int64_t heap_before_ = 0;
  std::vector<CompileStep> steps_;
};

}  // namespace hilo
