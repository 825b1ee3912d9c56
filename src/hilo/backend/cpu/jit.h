// SPDX-License-Identifier: Apache-2.0
// backend/cpu/jit.h -- an LLVM module becomes machine code. jit.cc alone knows LLVM's code generator.
#pragma once

#include <memory>
#include <vector>

#include "hilo/backend/cpu/compiled_code.h"
#include "hilo/backend/cpu/isa.h"
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

/// Sets the module's target and data layout and gives its functions the attributes that compile_module relies
/// on. Call it before emitting, so that the builder knows sizes and alignments. Errors: INTERNAL if LLVM
/// lacks the x86-64 target.
Status prepare_module(llvm::Module& module, Isa isa);

/// The relocatable ELF object of a module that prepare_module has seen. Any number of threads may call this
/// at once, each with a module in a context of its own. Consumes the module: only its destruction is allowed
/// afterwards. Errors: INTERNAL for whatever the code generator refuses; LLVM's own fatal errors end up here
/// as well. Cost: 0.3 ms + about 5 us per instruction (kFull).
StatusOr<std::vector<char>> emit_object(llvm::Module& module, Isa isa, CodegenLevel level = CodegenLevel::kFull);

/// emit_object, then load_object.
StatusOr<std::shared_ptr<CompiledCode>> compile_module(llvm::Module& module, Isa isa,
                                                       CodegenLevel level = CodegenLevel::kFull);

}  // namespace hilo::cpu
