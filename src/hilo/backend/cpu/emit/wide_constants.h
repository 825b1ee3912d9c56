// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/wide_constants.h -- loads vector constants from memory if broadcasting them needs separate
// instructions.
#pragma once

#include <llvm/IR/Module.h>

#include "hilo/backend/cpu/abi/isa.h"

namespace hilo::cpu {

/// Replaces vector constants of arithmetic by loads, on the instruction set where that is faster. AVX2 has no broadcast
/// operands, so LLVM writes `vbroadcastss ymm1, [c]` before each use of a constant. A constant that is loaded whole
/// becomes the memory operand of the instruction.
void load_wide_constants(llvm::Module& module, Isa isa);

}  // namespace hilo::cpu
