// SPDX-License-Identifier: Apache-2.0
// backend/cpu/load/program_module.h -- the optimized program behind a plan: present from the beginning, or parsed when
// it is first needed.
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
  /// `proto`: HloModuleProto, or empty if the program is unknown.
  explicit ProgramModule(std::string proto) : proto_(std::move(proto)) {}

  /// Returns the program; null if it is unknown.
  const hlo::Module* get() const;
  /// Returns the HloModuleProto of the module; empty if it is unknown or can't be expressed.
  std::string proto() const;
  /// Returns the descriptions of a plan's work for observers.
  std::span<const ExecutionUnit> units(const engine::Plan& plan) const;
  /// Returns the bytes of memory that it uses.
  int64_t held_bytes() const;

 private:
  mutable std::once_flag read_, units_once_;
  mutable std::unique_ptr<const hlo::Module> module_;
  std::string proto_;
  mutable std::vector<ExecutionUnit> units_;
};

}  // namespace hilo::cpu
