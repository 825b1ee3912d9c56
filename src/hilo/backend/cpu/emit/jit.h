// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/jit.h -- an LLVM module becomes machine code. jit.cc alone knows LLVM's code generator.
#pragma once

#include <memory>
#include <vector>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/load/compiled_code.h"
#include "hilo/base/function_ref.h"
#include "hilo/base/status.h"

namespace llvm {
class Module;
}

namespace hilo::cpu {

/// How hard the code generator tries.
enum class CodegenLevel : std::uint8_t {
  kFast,  ///< Instruction selection one by one, simple register allocation: for code that runs once.
  kFull,  ///< Selection on the DAG of a block, greedy register allocation. LLVM's IR optimiser runs in
          ///< neither: the emitters write vector code already.
};

/// Writes a program into a module that has its target and data layout, so that a builder knows sizes and alignments.
using EmitFunction = FunctionRef<Status(llvm::Module& module)>;

/// The relocatable ELF object of what `emit` writes. Any number of threads may call this at once: each module has a context
/// of its own. `emit` allocates through SpareMemory, so nothing that outlives it may keep what it allocates.
/// Errors    those of `emit`; INTERNAL for whatever the code generator refuses, LLVM's own fatal errors among it;
///           RESOURCE_EXHAUSTED where memory ran out, after which LLVM is as good as before
/// Cost      0.3 ms + about 5 us per instruction (kFull)
StatusOr<std::vector<char>> compile_object(const char* name, Isa isa, EmitFunction emit,
                                           CodegenLevel level = CodegenLevel::kFull);

/// compile_object, then load_object.
StatusOr<std::shared_ptr<CompiledCode>> compile_code(const char* name, Isa isa, EmitFunction emit,
                                                     CodegenLevel level = CodegenLevel::kFull);

}  // namespace hilo::cpu
