// SPDX-License-Identifier: Apache-2.0
// backend/cpu/load/codegen_table.h -- the functions of libhilo_codegen.so, which contains LLVM. Programs from a cache
// or a file run without it.
#pragma once

#include <memory>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/base/companion.h"
#include "hilo/engine/planner.h"
#include "hilo/engine/target.h"
#include "hilo/hlo/ir/pass_observer.h"

namespace hilo::cpu {

/// A plan with its code, and the number of its kernels and loops that weren't in a cache.
struct EmittedPlan {
  engine::Plan plan;
  int64_t compiled = 0;
};

struct CodegenTable : CompanionTable {
  static constexpr CompanionNames kNames{"libhilo_codegen.so", "hilo_codegen", "compiling for the CPU",
                                         "build and install the target hilo_codegen"};
  std::unique_ptr<engine::Target> (*target)(Isa isa);
  /// As compile_plan in codegen/compile.h.
  StatusOr<EmittedPlan> (*compile_plan)(const hlo::Module& optimized, Isa isa, engine::LoopForm loops,
                                        hlo::PassObserver* observer);
};

}  // namespace hilo::cpu
