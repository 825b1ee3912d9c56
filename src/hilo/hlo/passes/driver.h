// SPDX-License-Identifier: Apache-2.0
// hlo/passes/driver.h -- runs passes over a module, times them, verifies between them, and tells an observer.
#pragma once

#include <functional>

#include "hilo/hlo/ir/pass_observer.h"
#include "hilo/hlo/passes/pass_list.h"

namespace hilo::hlo {

struct DriverOptions {
  PassObserver* observer = nullptr;
  std::span<const Opcode> whole = {};  ///< ops that the engine runs itself: no pass takes them apart
  /// Looks at the module after every pass that changed it; an error ends the passes. Empty: nobody looks.
  std::function<Status(const Module&)> check = {};
  /// Verifies the module after every pass that changed it; the error then names the pass.
#ifdef NDEBUG
  bool verify = false;
#else
  bool verify = true;
#endif
};

/// Runs `passes` in order. Returns whether any changed the module.
/// Errors    what a pass or the check returns; CANCELLED or DEADLINE_EXCEEDED of this thread's stop word; or INTERNAL if a pass left an invalid module; "pass 'cse': " goes before the message
StatusOr<bool> run_passes(Module& module, std::span<const PassEntry> passes, const DriverOptions& options = {});

}  // namespace hilo::hlo
