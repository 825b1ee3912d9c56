// SPDX-License-Identifier: Apache-2.0
// backend/cpu/load/codegen_table.h -- the functions of libhilo_codegen.so, which contains LLVM. Programs from a cache
// or a file run without it.
#pragma once

#include <memory>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/base/companion.h"
#include "hilo/device/compile_options.h"
#include "hilo/device/object_files.h"
#include "hilo/device/program_signature.h"
#include "hilo/engine/planner.h"
#include "hilo/engine/target.h"
#include "hilo/hlo/ir/pass_observer.h"

namespace hilo::cpu {

/// A plan with its code.
struct EmittedPlan {
  engine::Plan plan;
  int64_t compiled = 0;  ///< number of its kernels and loops that weren't in a cache
  int64_t quick = 0;     ///< number of its functions that LLVM's quick pipeline generated
};

/// A program for one instruction set.
struct LevelPlan {
  Isa isa{};
  const engine::Plan* plan = nullptr;
};

struct CodegenTable : CompanionTable {
  static constexpr CompanionNames kNames{"libhilo_codegen.so", "hilo_codegen", "compiling for the CPU",
                                         "build and install the target hilo_codegen"};
  std::unique_ptr<engine::Target> (*target)(Isa isa);
  /// As compile_plan in codegen/compile.h.
  StatusOr<EmittedPlan> (*compile_plan)(const hlo::Module& optimized, Isa isa, engine::LoopForm loops,
                                        hlo::PassObserver* observer, const CompileEffort& effort);
  /// As write_object in object/write_object.h.
  StatusOr<ObjectFiles> (*write_object)(std::span<const LevelPlan> levels, const ProgramSignature& signature,
                                        const hlo::Module& optimized, const ObjectOptions& options);
  /// As isas_of_target and test_program in object/.
  StatusOr<std::vector<Isa>> (*isas_of_target)(std::string_view target);
  StatusOr<std::string> (*test_program)(const ProgramSignature& signature, const ObjectOptions& options,
                                        std::span<const Literal> results);
};

}  // namespace hilo::cpu
