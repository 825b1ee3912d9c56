// SPDX-License-Identifier: Apache-2.0
// backend/cpu/load/program_module.h -- the optimised program behind a plan: there from the beginning, or read when somebody
// asks.
#pragma once

#include <memory>
#include <mutex>

#include "hilo/device/execution_observer.h"
#include "hilo/engine/plan.h"

namespace hilo::cpu {

/// Safe to use from several threads at once.
class ProgramModule {
 public:
  explicit ProgramModule(std::unique_ptr<const hlo::Module> module) : module_(std::move(module)) {}
  /// `proto`: HloModuleProto, or empty if nothing is known.
  explicit ProgramModule(std::string proto) : proto_(std::move(proto)) {}

  /// Null if there is none.
  const hlo::Module* get() const;
  /// HloModuleProto of the module; empty if there is none, or it has no such form.
  std::string proto() const;
  /// What observers are told of a plan's work.
  std::span<const ExecutionUnit> units(const engine::Plan& plan) const;
  /// Bytes that it keeps.
  int64_t held_bytes() const;

 private:
  mutable std::once_flag read_, made_;
  mutable std::unique_ptr<const hlo::Module> module_;
  std::string proto_;
  mutable std::vector<ExecutionUnit> units_;
};

}  // namespace hilo::cpu
