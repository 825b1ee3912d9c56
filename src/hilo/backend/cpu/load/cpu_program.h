// SPDX-License-Identifier: Apache-2.0
// backend/cpu/load/cpu_program.h -- a compiled program behind the interface of host programs.
#pragma once

#include "hilo/backend/cpu/load/program.h"
#include "hilo/backend/cpu/load/program_module.h"
#include "hilo/backend/cpu/load/run_frames.h"
#include "hilo/backend/cpu/load/tier.h"
#include "hilo/backend/host/host_program.h"

namespace hilo::cpu {

class CpuProgram final : public HostProgram {
 public:
  /// `compiled`: kernels that weren't in a cache; `milliseconds`: time of the whole compilation.
  CpuProgram(ProgramSignature signature, std::unique_ptr<const ProgramModule> module, Program program, int64_t compiled,
             double milliseconds);

  /// Adds the number of functions that LLVM's quick pipeline generated, to the statistics.
  void set_quick(int64_t count) { quick_ = count; }
  /// Makes runs replace the code, as Tier describes. Must be called before the first run.
  void replace_later(Tier::Generate generate, double seconds);

  Status run(std::span<const BufferPtr> arguments, std::span<BufferPtr> results, std::span<const bool> donated,
             const RunContext& context) override;
  bool runs_at_addresses() const override { return true; }
  Status run_at(std::span<const std::byte* const> arguments, std::span<std::byte* const> results,
                const DevicePtr& device) override;
  const ProgramSignature& signature() const override { return signature_; }
  ExecutableStatistics statistics() const override;
  const hlo::Module* optimized_module() const override { return module_->get(); }
  std::span<const ExecutionUnit> units() const override { return module_->units(program_.plan); }
  StatusOr<std::string> serialize() const override;
  bool is_small() const override { return small_; }

 private:
  /// Creates the results; those that will use the memory of a donated argument have none. `used_arguments`: per result,
  /// that argument; empty if there are no donations.
  Status create_results(std::span<BufferPtr> results, std::span<const uint32_t> used_arguments,
                        const DevicePtr& device) const;
  /// Runs the steps in a frame, with any context.
  Status run_in(const Program& code, RunFrame& frame, const std::byte* const* arguments, std::byte* const* results,
                const RunContext& context);
  /// The same without an observer, a stop word and other replicas. Precondition: frames_.is_straight(), and the
  /// frame's addresses are set
  Status run_straight(const Program& code, const RunFrame& frame, const RunContext& context) const;

  /// Returns the code for a run.
  const Program& code() const { return tier_ == nullptr ? program_ : tier_->code(); }

  const ProgramSignature signature_;
  std::unique_ptr<const ProgramModule> module_;
  Program program_;
  std::vector<size_t> result_bytes_;
  int64_t compiled_;
  double milliseconds_;
  int64_t quick_ = 0;
  bool small_;
  RunFrames frames_;
  std::unique_ptr<Tier> tier_;  // null: the code is never replaced
};

}  // namespace hilo::cpu
