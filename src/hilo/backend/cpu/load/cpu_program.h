// SPDX-License-Identifier: Apache-2.0
// backend/cpu/load/cpu_program.h -- a compiled program behind the interface of host programs.
#pragma once

#include <atomic>

#include "hilo/backend/cpu/load/program.h"
#include "hilo/backend/cpu/load/program_module.h"
#include "hilo/backend/host/host_program.h"

namespace hilo::cpu {

class CpuProgram final : public HostProgram {
 public:
  /// `compiled`: kernels that weren't in a cache; `milliseconds`: time of the whole compilation.
  CpuProgram(ProgramSignature signature, std::unique_ptr<const ProgramModule> module, Program program, int64_t compiled,
             double milliseconds);
  ~CpuProgram() override;

  Status run(std::span<const BufferPtr> arguments, std::span<BufferPtr> results, std::span<const bool> donated,
             const RunContext& context) override;
  const ProgramSignature& signature() const override { return signature_; }
  ExecutableStatistics statistics() const override;
  const hlo::Module* optimized_module() const override { return module_->get(); }
  std::span<const ExecutionUnit> units() const override { return module_->units(program_.plan); }
  StatusOr<std::string> serialize() const override;
  bool is_small() const override { return small_; }

 private:
  /// Returns an arena. One is cached for the next call; concurrent calls allocate others from the pool.
  StatusOr<AlignedBuffer> borrow_arena();
  void return_arena(AlignedBuffer arena);
  Status run_in(AlignedBuffer& arena, std::span<const BufferPtr> arguments, std::span<BufferPtr> results,
                std::span<const bool> donated, const RunContext& context);

  const ProgramSignature signature_;
  std::unique_ptr<const ProgramModule> module_;
  Program program_;
  std::vector<size_t> result_bytes_;
  int64_t compiled_;
  double milliseconds_;
  bool small_;
  std::atomic<AlignedBuffer*> spare_arena_{nullptr};
};

}  // namespace hilo::cpu
