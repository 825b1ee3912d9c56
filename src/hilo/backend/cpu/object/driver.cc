// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/object/driver.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <array>

#include "hilo/backend/cpu/object/processor_level.h"
#include "hilo/backend/cpu/object/services.h"
#include "hilo/backend/cpu/object/step_emitter.h"

namespace hilo::cpu {
namespace {

using llvm::BasicBlock, llvm::Function, llvm::Value;

/// The type of a function that takes pointers and returns a code.
llvm::FunctionType* function_type(llvm::Module& module, size_t pointers) {
  const std::vector<llvm::Type*> parameters(pointers, llvm::PointerType::getUnqual(module.getContext()));
  return llvm::FunctionType::get(llvm::Type::getInt32Ty(module.getContext()), parameters, false);
}
llvm::FunctionType* call_type(llvm::Module& module) { return function_type(module, 4); }

Function* new_function(llvm::Module& module, const std::string& name, llvm::FunctionType* type) {
  Function* function = Function::Create(type, Function::ExternalLinkage, name, module);
  BasicBlock::Create(module.getContext(), "", function);
  return function;
}

/// NAME_call(arguments, results, arena, services).
class CallEmitter {
 public:
  CallEmitter(llvm::Module& module, const DriverSource& source)
      : source_(source),
        function_(new_function(module, source.prefix + "_call", call_type(module))),
        ir_(&function_->getEntryBlock()),
        arguments_(function_->getArg(0)),
        results_(function_->getArg(1)),
        arena_(function_->getArg(2)),
        services_(function_->getArg(3)),
        never_(new llvm::GlobalVariable(module, ir_.getInt32Ty(), true, llvm::GlobalValue::InternalLinkage,
                                        ir_.getInt32(0), source.prefix + ".never")) {}

  void emit() {
    BasicBlock* checks = block();
    BasicBlock* with_services = block();
    BasicBlock* from = ir_.GetInsertBlock();
    ir_.CreateCondBr(ir_.CreateIsNull(services_), checks, with_services);
    ir_.SetInsertPoint(with_services);
    Value* given = check_services();
    BasicBlock* checked = ir_.GetInsertBlock();
    ir_.CreateBr(checks);
    ir_.SetInsertPoint(checks);
    llvm::PHINode* stop = ir_.CreatePHI(ir_.getPtrTy(), 2);
    stop->addIncoming(never_, from);
    stop->addIncoming(given, checked);
    check_pointers(arguments_, source_.interface.arguments);
    check_pointers(results_, source_.interface.results);
    check_arena();
    BasicBlock* stopped = block();
    emit_steps(ir_, function_, source_, {arguments_, results_, arena_, services_, stop, stopped});
    ir_.CreateRet(ir_.getInt32(kObjectOk));
    ir_.SetInsertPoint(stopped);
    ir_.CreateRet(ir_.getInt32(kObjectStopped));
  }

 private:
  BasicBlock* block() { return BasicBlock::Create(ir_.getContext(), "", function_); }

  /// Emits a return of `code` under a condition.
  void leave_if(Value* condition, ObjectCode code) {
    BasicBlock *leave = block(), *go_on = block();
    ir_.CreateCondBr(condition, leave, go_on);
    ir_.SetInsertPoint(leave);
    ir_.CreateRet(ir_.getInt32(code));
    ir_.SetInsertPoint(go_on);
  }

  Value* service(size_t offset, llvm::Type* type) { return load_field(ir_, services_, offset, type); }
  Value* number(int64_t value) { return ir_.getInt64(static_cast<uint64_t>(value)); }

  /// Returns the stop word.
  Value* check_services() {
    leave_if(ir_.CreateICmpULT(service(offsetof(ObjectServices, size), ir_.getInt32Ty()),
                               ir_.getInt32(sizeof(ObjectServices))),
             kObjectOldServices);
    check_count(offsetof(ObjectServices, argument_count), source_.interface.arguments.size());
    check_count(offsetof(ObjectServices, result_count), source_.interface.results.size());
    Value* bytes = service(offsetof(ObjectServices, arena_bytes), ir_.getInt64Ty());
    Value* small = ir_.CreateICmpULT(bytes, number(source_.arena_bytes));
    leave_if(ir_.CreateAnd(ir_.CreateICmpNE(bytes, number(0)), small), kObjectSmallArena);
    Value* stop = service(offsetof(ObjectServices, stop), ir_.getPtrTy());
    return ir_.CreateSelect(ir_.CreateIsNull(stop), never_, stop);
  }

  /// A count of 0 isn't checked.
  void check_count(size_t offset, size_t wanted) {
    Value* count = service(offset, ir_.getInt32Ty());
    Value* other = ir_.CreateICmpNE(count, ir_.getInt32(static_cast<uint32_t>(wanted)));
    leave_if(ir_.CreateAnd(ir_.CreateICmpNE(count, ir_.getInt32(0)), other), kObjectWrongCount);
  }

  void check_pointers(Value* pointers, const std::vector<CArray>& arrays) {
    if (arrays.empty()) return;
    leave_if(ir_.CreateIsNull(pointers), kObjectNullPointer);
    Value* missing = ir_.getFalse();
    for (size_t k = 0; k < arrays.size(); ++k) {
      if (arrays[k].extent.empty()) continue;  // an array without elements is never read
      Value* pointer = ir_.CreateLoad(ir_.getPtrTy(), ir_.CreateConstGEP1_64(ir_.getPtrTy(), pointers, k));
      missing = ir_.CreateOr(missing, ir_.CreateIsNull(pointer));
    }
    leave_if(missing, kObjectNullPointer);
  }

  void check_arena() {
    if (source_.arena_bytes == 0) return;
    leave_if(ir_.CreateIsNull(arena_), kObjectNullPointer);
    Value* low = ir_.CreateAnd(ir_.CreatePtrToInt(arena_, ir_.getInt64Ty()), number(kArenaAlignment - 1));
    leave_if(ir_.CreateICmpNE(low, number(0)), kObjectMisalignedArena);
  }

  const DriverSource& source_;
  Function* function_;
  llvm::IRBuilder<> ir_;
  Value *arguments_, *results_, *arena_, *services_;
  llvm::GlobalVariable* never_;  ///< the stop word of calls that have none
};

}  // namespace

void emit_call(llvm::Module& module, const DriverSource& source) { CallEmitter(module, source).emit(); }

void emit_typed(llvm::Module& module, const CInterface& interface) {
  const size_t arguments = interface.arguments.size(), results = interface.results.size();
  llvm::Type* pointer = llvm::PointerType::getUnqual(module.getContext());
  Function* function = new_function(module, interface.name, function_type(module, arguments + results + 1));
  llvm::IRBuilder<> ir(&function->getEntryBlock());
  Value* pointers = ir.CreateAlloca(llvm::ArrayType::get(pointer, arguments + results + 1));
  for (uint32_t k = 0; k < arguments + results; ++k)
    ir.CreateStore(function->getArg(k), ir.CreateConstGEP1_64(pointer, pointers, k));
  Value* none = llvm::ConstantPointerNull::get(ir.getPtrTy());
  Value* result_pointers = ir.CreateConstGEP1_64(pointer, pointers, arguments);
  Value* arena = function->getArg(static_cast<uint32_t>(arguments + results));
  const llvm::FunctionCallee call = module.getOrInsertFunction(interface.name + "_call", call_type(module));
  ir.CreateRet(ir.CreateCall(call, {pointers, result_pointers, arena, none}));
}

void emit_dispatch(llvm::Module& module, const CInterface& interface, std::span<const Isa> levels) {
  Function* function = new_function(module, interface.name + "_call", call_type(module));
  llvm::IRBuilder<> ir(&function->getEntryBlock());
  const auto block = [&] { return BasicBlock::Create(module.getContext(), "", function); };
  // The level of the processor; -1 until the first call has found it.
  auto* known = new llvm::GlobalVariable(module, ir.getInt32Ty(), false, llvm::GlobalValue::InternalLinkage,
                                         ir.getInt32(static_cast<uint32_t>(-1)), interface.name + ".level");
  BasicBlock *entry = ir.GetInsertBlock(), *look = block(), *choose = block();
  llvm::LoadInst* before = ir.CreateAlignedLoad(ir.getInt32Ty(), known, llvm::Align(4));
  before->setAtomic(llvm::AtomicOrdering::Monotonic);
  ir.CreateCondBr(ir.CreateICmpSLT(before, ir.getInt32(0)), look, choose);
  ir.SetInsertPoint(look);
  auto* type = llvm::FunctionType::get(ir.getInt32Ty(), {}, false);
  Value* found = ir.CreateCall(module.getOrInsertFunction(processor_level().name, type), {});
  ir.CreateAlignedStore(found, known, llvm::Align(4))->setAtomic(llvm::AtomicOrdering::Monotonic);
  ir.CreateBr(choose);
  ir.SetInsertPoint(choose);
  llvm::PHINode* level = ir.CreatePHI(ir.getInt32Ty(), 2);
  level->addIncoming(before, entry);
  level->addIncoming(found, look);
  for (size_t k = levels.size(); k-- > 0;) {
    BasicBlock *call = block(), *lower = block();
    ir.CreateCondBr(ir.CreateICmpSGE(level, ir.getInt32(level_number(levels[k]))), call, lower);
    ir.SetInsertPoint(call);
    const std::string name = level_prefix(interface, levels[k]) + "_call";
    const std::array<Value*, 4> arguments = {function->getArg(0), function->getArg(1), function->getArg(2),
                                             function->getArg(3)};
    ir.CreateRet(ir.CreateCall(module.getOrInsertFunction(name, call_type(module)), arguments));
    ir.SetInsertPoint(lower);
  }
  ir.CreateRet(ir.getInt32(kObjectOldProcessor));
}

std::string level_prefix(const CInterface& interface, Isa isa) {
  return interface.name + ".v" + std::to_string(level_number(isa));
}

}  // namespace hilo::cpu
