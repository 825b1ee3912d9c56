// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/settled.h -- ends chains of shuffles.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace hilo::cpu {

/// Returns the same vector, through which LLVM doesn't look. It would combine each shuffle with those before it, to a
/// depth of eight: for columns of a few dozen vectors that takes more time than everything else. Shuffles here are
/// already those of the processor.
/// Cost      no instruction
llvm::Value* settled(llvm::IRBuilder<>& ir, llvm::Value* vector);

}  // namespace hilo::cpu
