// SPDX-License-Identifier: Apache-2.0
// base/run_scope.h -- which run of a program a thread works for: custom calls ask.
#pragma once

namespace hilo {

struct RunContext;  // device/run_context.h

/// The run that this thread works for; null: none.
const RunContext* current_run();

/// While it lives, this thread works for `run`.
class RunScope {
 public:
  explicit RunScope(const RunContext* run);
  ~RunScope();
  RunScope(const RunScope&) = delete;
  RunScope& operator=(const RunScope&) = delete;

 private:
  const RunContext* before_;
};

}  // namespace hilo
