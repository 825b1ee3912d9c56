// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/settled.h"

#include <llvm/IR/Intrinsics.h>

namespace hilo::cpu {

llvm::Value* settled(llvm::IRBuilder<>& ir, llvm::Value* vector) {
  llvm::Type* const type = vector->getType();
  const unsigned floats = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue()) / 32;
  if (floats < 4) return vector;  // narrower than a register
  // The intrinsic is one of floats.
  auto* const fenced = llvm::FixedVectorType::get(ir.getFloatTy(), floats);
  llvm::Value* const value = ir.CreateBitCast(vector, fenced);
  return ir.CreateBitCast(ir.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {fenced}, {value}), type);
}

}  // namespace hilo::cpu
