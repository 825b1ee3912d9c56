// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/jit.h -- an LLVM module becomes machine code. jit.cc alone knows LLVM's code generator.
#pragma once

#include <memory>
#include <string>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/load/compiled_code.h"
#include "hilo/base/function_ref.h"
#include "hilo/base/status.h"

namespace llvm {
class Module;
}

namespace hilo::cpu {

/// Writes a program into a module that has its target and data layout, so that a builder knows sizes and alignments.
using EmitFunction = FunctionRef<Status(llvm::Module& module)>;

/// The machine code of what `emit` writes: LLVM's selection on the DAG of a block and its greedy register allocation. Its IR optimiser
/// doesn't run: the emitters write vector code already. Any number of threads may call this at once: each module has a context of its
/// own. `emit` allocates through SpareMemory, so nothing that outlives it may keep what it allocates.
/// Errors    those of `emit`; INTERNAL for whatever the code generator refuses, LLVM's own fatal errors among it;
///           RESOURCE_EXHAUSTED where memory ran out, after which LLVM is as good as before
/// Cost      0.3 ms + about 5 us per instruction
StatusOr<std::shared_ptr<CompiledCode>> compile_code(const char* name, Isa isa, EmitFunction emit);

/// What `emit` writes, in LLVM's language. LLVM's verifier has passed it.
/// Errors    those of `emit`; INTERNAL for code that the verifier rejects
StatusOr<std::string> module_text(const char* name, Isa isa, EmitFunction emit);

}  // namespace hilo::cpu
