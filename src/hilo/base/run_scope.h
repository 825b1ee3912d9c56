// SPDX-License-Identifier: Apache-2.0
// base/run_scope.h -- which run of a program a thread works for: custom calls ask.
#pragma once

#include <utility>

namespace hilo {

struct RunContext;  // device/run_context.h

namespace run_detail {
extern constinit thread_local const RunContext* run_of_thread;
}  // namespace run_detail

/// The run that this thread works for; null: none.
inline const RunContext* current_run() { return run_detail::run_of_thread; }

/// While it lives, this thread works for `run`.
class RunScope {
 public:
  explicit RunScope(const RunContext* run) : place_(run_detail::run_of_thread), before_(std::exchange(place_, run)) {}
  ~RunScope() { place_ = before_; }
  RunScope(const RunScope&) = delete;
  RunScope& operator=(const RunScope&) = delete;

 private:
  const RunContext*& place_;  ///< found once: that is a call
  const RunContext* before_;
};

}  // namespace hilo
