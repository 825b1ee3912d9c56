// SPDX-License-Identifier: Apache-2.0
// hlo/passes/driver.h -- runs passes over a module, times them, verifies between them, and notifies an observer.
#pragma once

#include <functional>

#include "hilo/hlo/ir/pass_observer.h"
#include "hilo/hlo/passes/pass_list.h"

namespace hilo::hlo {

struct DriverOptions {
  PassObserver* observer = nullptr;
  EngineFacts engine = {};
  /// Called with the module after every pass that changed it; an error ends the passes. May be empty.
  std::function<Status(const Module&)> check = {};
  /// Whether to verify the module after every pass that changed it. The error then names the pass.
#ifdef NDEBUG
  bool verify = false;
#else
  bool verify = true;
#endif
};

/// Runs `passes` in order. Returns whether any changed the module.
/// Errors    those of passes and the check; CANCELLED or DEADLINE_EXCEEDED of this thread's stop word; INTERNAL if a
/// pass left an invalid module. The message begins with "pass 'cse': "
StatusOr<bool> run_passes(Module& module, std::span<const PassEntry> passes, const DriverOptions& options = {});

}  // namespace hilo::hlo
