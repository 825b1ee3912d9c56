// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/machine_code.h -- LLVM's code generator. It is in libhilo_codegen.so for x86-64, and a second time
// in libhilo_aarch64.so, where no symbol of it is visible.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/emit/effort.h"
#include "hilo/base/status.h"

namespace hilo::cpu {

/// Thrown by LLVM's fatal error handlers. LLVM's frames in between have no clean-up: their memory leaks, and the thread
/// creates a new target machine.
struct CodegenFailure {
  Status status;
};

/// Target machines aren't thread safe and cost 0.35 ms to create. Each thread caches one per instruction set
/// and level.
using MachinePtr = std::unique_ptr<llvm::TargetMachine>;
MachinePtr& machine_slot(Isa isa, CodeLevel level = CodeLevel::kGood);

/// Returns the thread's target machine.
StatusOr<llvm::TargetMachine*> target_machine(Isa isa, CodeLevel level = CodeLevel::kGood);

/// Registers the back end of the library. jit.cc and aarch64/back_end.cc each define it.
void initialize_back_end();

/// Writes the module as a relocatable ELF object.
/// Errors    INTERNAL for what the code generator rejects; throws CodegenFailure for LLVM's fatal errors
Status generate(llvm::Module& module, llvm::TargetMachine& machine, llvm::SmallVectorImpl<char>& object);

}  // namespace hilo::cpu
