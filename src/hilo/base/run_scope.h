// SPDX-License-Identifier: Apache-2.0
// base/run_scope.h -- the run of a program that a thread works for, as custom calls query it.
#pragma once

#include <utility>

namespace hilo {

struct RunContext;  // device/run_context.h

namespace run_detail {
extern constinit thread_local const RunContext* run_of_thread;
}  // namespace run_detail

/// Returns the run that this thread works for, or null.
inline const RunContext* current_run() { return run_detail::run_of_thread; }

/// Sets the run that this thread works for, for the duration of the scope.
class RunScope {
 public:
  explicit RunScope(const RunContext* run) : place_(run_detail::run_of_thread), before_(std::exchange(place_, run)) {}
  ~RunScope() { place_ = before_; }
  RunScope(const RunScope&) = delete;
  RunScope& operator=(const RunScope&) = delete;

 private:
  const RunContext*& place_;  ///< cached because its lookup is a call
  const RunContext* before_;
};

}  // namespace hilo
