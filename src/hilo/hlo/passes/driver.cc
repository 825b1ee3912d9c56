// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/driver.h"

#include <chrono>

#include <fmt/format.h>

#include "hilo/base/floating_point.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/base/stop.h"
#include "hilo/hlo/verify/verifier.h"

namespace hilo::hlo {

StatusOr<bool> run_passes(Module& module, std::span<const PassEntry> passes, const DriverOptions& options) try {
  using Clock = std::chrono::steady_clock;
  const FloatingPointScope nearest;
  bool any = false;
  for (const PassEntry& pass : passes) {
    if (options.observer != nullptr) options.observer->before(pass.name, module);
    const Clock::time_point begin = Clock::now();
    const StatusOr<bool> changed = pass.run_for == nullptr ? pass.run(module) : pass.run_for(module, options.engine);
    if (!changed.ok()) return changed.status().with_context(fmt::format("pass '{}'", pass.name));
    const double milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    any |= *changed;
    if (options.observer != nullptr) options.observer->after(pass.name, module, *changed, milliseconds);
    HILO_RETURN_IF_ERROR(stop_status());
    if (*changed && options.check) HILO_RETURN_IF_ERROR(options.check(module));
    if (!options.verify || !*changed) continue;
    if (const Status valid = verify(module); !valid.ok()) {
      return internal_error(fmt::format("pass '{}' left an invalid module: {}", pass.name, valid.message()));
    }
  }
  return any;
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo::hlo
