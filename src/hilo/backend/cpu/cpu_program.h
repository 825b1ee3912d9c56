// SPDX-License-Identifier: Apache-2.0
// backend/cpu/cpu_program.h -- a compiled program behind the interface of host programs.
#pragma once

#include <atomic>

#include "hilo/backend/cpu/program.h"
#include "hilo/backend/host/host_program.h"

namespace hilo::cpu {

class CpuProgram final : public HostProgram {
 public:
  CpuProgram(ProgramSignature signature, std::unique_ptr<const hlo::Module> optimized, Program program,
             double milliseconds);
  ~CpuProgram() override;

  Status run(std::span<const BufferPtr> arguments, std::span<BufferPtr> results, std::span<const bool> donated,
             const RunContext& context) override;
  const ProgramSignature& signature() const override { return signature_; }
  ExecutableStatistics statistics() const override;
  const hlo::Module& optimized_module() const override { return *module_; }
  std::span<const ExecutionUnit> units() const override { return program_.work; }
  bool is_small() const override { return small_; }

 private:
  /// One arena is kept for the next call; calls at the same time get others from the pool.
  StatusOr<AlignedBuffer> take_arena();
  void give_arena(AlignedBuffer arena);
  Status run_in(AlignedBuffer& arena, std::span<const BufferPtr> arguments, std::span<BufferPtr> results,
                std::span<const bool> donated, const RunContext& context);

  const ProgramSignature signature_;
  std::unique_ptr<const hlo::Module> module_;
  Program program_;
  std::vector<size_t> result_bytes_;
  double milliseconds_;
  bool small_;
  std::atomic<AlignedBuffer*> spare_arena_{nullptr};
};

}  // namespace hilo::cpu
