// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/wide_constants.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>

namespace hilo::cpu {
namespace {

using llvm::Instruction;

/// A compare and the select after it form one instruction, a maximum, if they have the same operands.
bool is_half_of_pair(const Instruction& i) { return llvm::isa<llvm::FCmpInst>(i) || llvm::isa<llvm::SelectInst>(i); }

/// Other instructions, such as shifts, are faster if LLVM knows the constant.
bool accepts_loads(const Instruction& i) {
  switch (i.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
    case Instruction::Add:
    case Instruction::Sub: return true;
    default: break;
  }
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  return is_half_of_pair(i) || (intrinsic != nullptr && intrinsic->getIntrinsicID() == llvm::Intrinsic::fma);
}

/// Zero and all ones have instructions without a load.
llvm::Constant* as_wide_constant(llvm::Value* operand, unsigned register_bits) {
  auto* constant = llvm::dyn_cast<llvm::ConstantDataVector>(operand);
  if (constant == nullptr || !constant->isSplat()) return nullptr;
  const bool is_wide = constant->getType()->getPrimitiveSizeInBits().getFixedValue() % register_bits == 0;
  return is_wide && !constant->isNullValue() && !constant->isAllOnesValue() ? constant : nullptr;
}

class Loads {
 public:
  Loads(llvm::Module& module, Isa isa) : module_(module), register_bytes_(static_cast<unsigned>(vector_bytes(isa))) {}

  void rewrite(llvm::BasicBlock& block) {
    std::map<llvm::Constant*, llvm::Value*> of_pairs;
    for (Instruction& i : block) {
      if (!accepts_loads(i)) continue;
      for (llvm::Use& use : i.operands()) {
        llvm::Constant* constant = as_wide_constant(use.get(), 8 * register_bytes_);
        if (constant == nullptr) continue;
        if (!is_half_of_pair(i)) {
          use.set(load_before(i, constant));
          continue;
        }
        llvm::Value*& loaded = of_pairs[constant];
        if (loaded == nullptr) loaded = load_before(i, constant);
        use.set(loaded);
      }
    }
  }

 private:
  llvm::Value* load_before(Instruction& user, llvm::Constant* constant) {
    llvm::LoadInst* loaded = llvm::IRBuilder<>(&user).CreateAlignedLoad(constant->getType(), place_of(constant),
                                                                        llvm::Align(register_bytes_));
    loaded->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module_.getContext(), {}));
    return loaded;
  }

  llvm::GlobalVariable* place_of(llvm::Constant* constant) {
    llvm::GlobalVariable*& place = places_[constant];
    if (place != nullptr) return place;
    place = new llvm::GlobalVariable(module_, constant->getType(), true, llvm::GlobalValue::PrivateLinkage, constant);
    place->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    place->setAlignment(llvm::Align(register_bytes_));
    return place;
  }

  llvm::Module& module_;
  unsigned register_bytes_;
  std::map<llvm::Constant*, llvm::GlobalVariable*> places_;
};

}  // namespace

void load_wide_constants(llvm::Module& module, Isa isa) {
  if (isa != Isa::kAvx2) return;
  Loads loads(module, isa);
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) loads.rewrite(block);
  }
}

}  // namespace hilo::cpu
