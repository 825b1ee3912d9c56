// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/wide_constants.h -- vector constants as operands in memory, where a broadcast is an instruction of its own.
#pragma once

#include <llvm/IR/Module.h>

#include "hilo/backend/cpu/abi/isa.h"

namespace hilo::cpu {

/// Makes loads of the vector constants of arithmetic, on the instruction set where that is faster. AVX2 has no operand that is
/// broadcast, so LLVM writes `vbroadcastss ymm1, [c]` before each use of a constant; what is loaded whole becomes the operand
/// of the instruction that needs it.
void load_wide_constants(llvm::Module& module, Isa isa);

}  // namespace hilo::cpu
