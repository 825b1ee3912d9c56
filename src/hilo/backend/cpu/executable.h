// SPDX-License-Identifier: Apache-2.0
// backend/cpu/executable.h -- a compiled program behind the engine's interface.
#pragma once

#include <mutex>

#include "hilo/backend/backend.h"
#include "hilo/backend/cpu/program.h"

namespace hilo::cpu {

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(const hlo::Module& asked, int64_t replica_count, std::unique_ptr<const hlo::Module> optimized,
                Program program, double milliseconds, double run_seconds = 0);
  ~CpuExecutable() override;

  ExecutableStatistics statistics() const override;
  const hlo::Module& optimized_module() const override { return *module_; }
  std::span<const ExecutionUnit> units() const override { return program_.work; }

 protected:
  Status run(std::span<const BufferPtr> arguments, std::span<BufferPtr> results,
             const ExecuteOptions& options) override;

 private:
  /// One arena is kept for the next call; calls at the same time get others from the pool.
  StatusOr<AlignedBuffer> take_arena();
  void give_arena(AlignedBuffer arena);
  Status run_in(AlignedBuffer& arena, std::span<const BufferPtr> arguments, std::span<BufferPtr> results,
                const ExecuteOptions& options);

  std::unique_ptr<const hlo::Module> module_;
  Program program_;
  std::vector<size_t> result_bytes_;
  double milliseconds_;
  std::atomic<AlignedBuffer*> spare_arena_{nullptr};
};

}  // namespace hilo::cpu
