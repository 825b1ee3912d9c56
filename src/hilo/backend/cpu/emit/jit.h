// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/jit.h -- compiles an LLVM module to machine code. Only jit.cc uses LLVM's code generator.
#pragma once

#include <memory>
#include <string>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/emit/effort.h"
#include "hilo/backend/cpu/load/compiled_code.h"
#include "hilo/base/function_ref.h"
#include "hilo/base/status.h"

namespace llvm {
class Module;
}

namespace hilo::cpu {

/// Writes a program into a module. The module has its target and data layout, so a builder knows sizes and alignments.
using EmitFunction = FunctionRef<Status(llvm::Module& module)>;

/// Compiles the module that `emit` writes and loads it, unless it is for another architecture. Level kGood is LLVM's
/// instruction selection on the DAG of each block and its greedy register allocation. LLVM's IR optimizer doesn't run:
/// the emitters write vector code already. Thread safe: each module has its own context. `emit` allocates through
/// SpareMemory, so objects that outlive it must not keep its allocations.
/// Errors    those of `emit`; INTERNAL for whatever the code generator rejects, including LLVM's fatal errors;
///           RESOURCE_EXHAUSTED if memory runs out; LLVM stays usable after that
/// Cost      0.3 ms + about 5 us per instruction; a quarter of that under kQuick
StatusOr<std::shared_ptr<CompiledCode>> compile_code(const char* name, Isa isa, CodeLevel level, EmitFunction emit);

/// Compiles as compile_code of level kGood, and returns the relocatable ELF object without loading it. It may refer to
/// any symbol.
StatusOr<std::string> object_code(const char* name, Isa isa, EmitFunction emit);

/// Returns the module that `emit` writes as LLVM IR text, after LLVM's verifier.
/// Errors    those of `emit`; INTERNAL for code that the verifier rejects
StatusOr<std::string> module_text(const char* name, Isa isa, EmitFunction emit);

}  // namespace hilo::cpu
