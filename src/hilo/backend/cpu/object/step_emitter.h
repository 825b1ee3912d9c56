// SPDX-License-Identifier: Apache-2.0
// backend/cpu/object/step_emitter.h -- the steps of a plan in LLVM IR.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "hilo/backend/cpu/object/driver.h"

namespace hilo::cpu {

/// What the steps of a call use.
struct CallValues {
  llvm::Value* arguments;  ///< array of pointers
  llvm::Value* results;    ///< array of pointers
  llvm::Value* arena;
  llvm::Value* services;      ///< ObjectServices; may be null
  llvm::Value* stop;          ///< the stop word; never null
  llvm::BasicBlock* stopped;  ///< where a stopped call goes
};

/// Emits the steps at the position of `ir`, which is in `function`.
void emit_steps(llvm::IRBuilder<>& ir, llvm::Function* function, const DriverSource& source, const CallValues& call);

/// Loads the field at `offset` bytes of a struct.
llvm::Value* load_field(llvm::IRBuilder<>& ir, llvm::Value* record, size_t offset, llvm::Type* type);

}  // namespace hilo::cpu
