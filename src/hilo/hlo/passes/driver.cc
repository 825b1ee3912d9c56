// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/driver.h"

#include <chrono>

#include <fmt/format.h>

#include "hilo/hlo/build/builder.h"

namespace hilo::hlo {
namespace {

/// Every instruction still has the shape that its operands and attributes give it.
Status check_shapes(const Module& module) {
  std::vector<Shape> operands;
  for (const ComputationPtr& c : computations_of(module)) {
    for (const Instruction& i : c->instructions()) {
      operands.clear();
      for (InstructionId operand : i.operands) operands.push_back(c->instruction(operand).shape);
      const StatusOr<Shape> shape = check_instruction(i.def(), operands, i.attributes.get(), i.shape);
      if (!shape.ok()) return shape.status().with_context(fmt::format("computation '{}': {}", c->name(), describe(i)));
    }
  }
  return ok_status();
}

}  // namespace

StatusOr<bool> run_passes(Module& module, std::span<const PassEntry> passes, const DriverOptions& options) {
  using Clock = std::chrono::steady_clock;
  bool any = false;
  for (const PassEntry& pass : passes) {
    if (options.observer != nullptr) options.observer->before(pass.name, module);
    const Clock::time_point begin = Clock::now();
    const StatusOr<bool> changed = pass.run(module);
    if (!changed.ok()) return changed.status().with_context(fmt::format("pass '{}'", pass.name));
    const double milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    any |= *changed;
    if (options.observer != nullptr) options.observer->after(pass.name, module, *changed, milliseconds);
    if (!options.verify || !*changed) continue;
    if (const Status valid = check_shapes(module); !valid.ok()) {
      return internal_error(fmt::format("pass '{}' left an invalid module: {}", pass.name, valid.message()));
    }
  }
  return any;
}

}  // namespace hilo::hlo
