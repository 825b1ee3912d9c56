// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/object/step_emitter.h"

#include <fmt/format.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <array>
#include <map>

#include "hilo/backend/cpu/abi/functions.h"
#include "hilo/backend/cpu/object/routines.h"
#include "hilo/backend/cpu/object/services.h"
#include "hilo/engine/register_loop.h"

namespace hilo::cpu {

using engine::Branches, engine::LibraryCall, engine::Slot, engine::SlotId, engine::SlotSource;
using engine::Step, engine::StepKind, engine::StepList, engine::WhileLoop, engine::WholeLoop;

namespace {

using llvm::BasicBlock, llvm::Function, llvm::Value;

/// What a step uses of its call besides its arguments.
struct Surroundings {
  Value* services;  ///< may be null
  Value* arena;
  Value* stop;  ///< never null
};

/// Writes code that belongs to no particular call.
class ModuleCode {
 public:
  ModuleCode(llvm::Module& module, const DriverSource& source) : module_(module), source_(source) {}

  /// Declares a function of the plan.
  llvm::FunctionCallee planned(uint32_t function, llvm::FunctionType* type) {
    return module_.getOrInsertFunction(source_.functions[function], type);
  }
  llvm::FunctionType* kernel_type() {
    return llvm::FunctionType::get(llvm::Type::getVoidTy(context()), {pointer(), i64(), i64()}, false);
  }
  llvm::Value* kernel(uint32_t number) { return planned(source_.plan.kernels[number], kernel_type()).getCallee(); }

  llvm::GlobalVariable* constant(uint32_t number) {
    return bytes_global(fmt::format("{}.constant{}", source_.prefix, number), source_.plan.constants[number].bytes());
  }

  llvm::GlobalVariable* bytes_global(const std::string& name, std::span<const std::byte> bytes) {
    if (llvm::GlobalVariable* known = module_.getNamedGlobal(name)) return known;
    auto* data =
        llvm::ConstantDataArray::getRaw(llvm::StringRef(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                                        bytes.size(), llvm::Type::getInt8Ty(context()));
    auto* global =
        new llvm::GlobalVariable(module_, data->getType(), true, llvm::GlobalValue::InternalLinkage, data, name);
    global->setAlignment(llvm::Align(kArenaAlignment));
    return global;
  }

  /// Returns the table of the kernels that a whole loop calls.
  Value* kernels_of(const WholeLoop& loop, uint32_t number) {
    std::vector<llvm::Constant*> kernels;
    for (uint32_t k : loop.kernels) kernels.push_back(llvm::cast<llvm::Constant>(kernel(k)));
    return table(fmt::format("{}.kernels{}", source_.prefix, number), kernels);
  }

  /// Emits a step that is handed out, with its pointers in an array. `services` may be null.
  /// Returns   whether it was stopped, or null if it can't be
  Value* run(llvm::IRBuilder<>& ir, const Step& step, Value* arguments, const Surroundings& around) {
    const auto [services, arena, stop] = around;
    if (step.kind == StepKind::kLibrary) {
      if (source_.routines[step.index]) return run_routine(ir, step, arguments, around);
      if (source_.plan.library_calls[step.index].symbol == engine::kRegisterLoop)
        return run_register_loop(ir, step, arguments, stop);
      run_straight_line(ir, step, arguments);
      return nullptr;
    }
    if (step.chunk == 0) ir.CreateCall(kernel_type(), kernel(step.index), {arguments, ir.getInt64(0), units(ir, step)});
    else
      ir.CreateCall(run_kernel(), {services, kernel(step.index), arguments, units(ir, step),
                                   ir.getInt64(static_cast<uint64_t>(step.chunk))});
    return nullptr;
  }

  /// Returns the function that runs the steps that a whole loop hands out; null without such steps.
  Value* run_step(const WholeLoop& loop, uint32_t number) {
    if (loop.handed_out.empty()) return llvm::ConstantPointerNull::get(pointer());
    auto* type = llvm::FunctionType::get(i32(), {pointer(), i32(), pointer()}, false);
    Function* function = own_function(fmt::format("run_step{}", number), type);
    llvm::IRBuilder<> ir(BasicBlock::Create(context(), "", function));
    Value* host = load_field(ir, function->getArg(0), offsetof(LoopContext, host), pointer());
    const Surroundings around{load_field(ir, host, 0, pointer()), load_field(ir, host, sizeof(void*), pointer()),
                              load_field(ir, function->getArg(0), offsetof(LoopContext, cancel_word), pointer())};
    BasicBlock* none = BasicBlock::Create(context(), "", function);
    auto* choose = ir.CreateSwitch(function->getArg(1), none);
    for (size_t k = 0; k < loop.handed_out.size(); ++k) {
      BasicBlock* block = BasicBlock::Create(context(), "", function);
      choose->addCase(ir.getInt32(static_cast<uint32_t>(k)), block);
      ir.SetInsertPoint(block);
      Value* stopped = run(ir, loop.handed_out[k], function->getArg(2), around);
      ir.CreateRet(stopped == nullptr ? ir.getInt32(0) : ir.CreateZExt(stopped, ir.getInt32Ty()));
    }
    ir.SetInsertPoint(none);
    ir.CreateRet(ir.getInt32(0));
    return function;
  }

 private:
  llvm::LLVMContext& context() { return module_.getContext(); }
  llvm::PointerType* pointer() { return llvm::PointerType::getUnqual(context()); }
  llvm::Type* i32() { return llvm::Type::getInt32Ty(context()); }
  llvm::Type* i64() { return llvm::Type::getInt64Ty(context()); }
  static Value* units(llvm::IRBuilder<>& ir, const Step& step) {
    return ir.getInt64(static_cast<uint64_t>(step.units));
  }
  Function* own_function(const std::string& name, llvm::FunctionType* type) {
    return Function::Create(type, Function::InternalLinkage, source_.prefix + "." + name, module_);
  }

  llvm::GlobalVariable* table(const std::string& name, const std::vector<llvm::Constant*>& entries) {
    if (llvm::GlobalVariable* known = module_.getNamedGlobal(name)) return known;
    auto* type = llvm::ArrayType::get(pointer(), entries.size());
    return new llvm::GlobalVariable(module_, type, true, llvm::GlobalValue::InternalLinkage,
                                    llvm::ConstantArray::get(type, entries), name);
  }

  /// Calls a function of libhilo_rt.a for all of its units. A runtime::Call is as many pointers as it has fields.
  Value* run_routine(llvm::IRBuilder<>& ir, const Step& step, Value* arguments, const Surroundings& around) {
    const RoutineCall& routine = *source_.routines[step.index];
    const LibraryCall& call = source_.plan.library_calls[step.index];
    std::vector<llvm::Constant*> code;
    auto* unknown = llvm::FunctionType::get(llvm::Type::getVoidTy(context()), {}, false);
    for (uint32_t function : call.code)
      code.push_back(llvm::cast<llvm::Constant>(planned(function, unknown).getCallee()));
    const std::string number = std::to_string(step.index);
    Value* scratch =
        ir.CreateConstGEP1_64(ir.getInt8Ty(), around.arena, static_cast<uint64_t>(scratch_offset(source_.plan)));
    const auto set = [&](size_t offset, Value* value) {
      ir.CreateStore(value, ir.CreateConstGEP1_64(ir.getInt8Ty(), call_frame(ir), offset));
    };
    set(offsetof(runtime::Call, problem), bytes_global(source_.prefix + ".problem" + number, routine.problem));
    set(offsetof(runtime::Call, buffers), arguments);
    set(offsetof(runtime::Call, code), table(source_.prefix + ".code" + number, code));
    set(offsetof(runtime::Call, scratch), scratch);
    set(offsetof(runtime::Call, stop), around.stop);
    const std::string name(runtime::function_of(routine.routine).name);
    ir.CreateCall(module_.getOrInsertFunction(name, kernel_type()),
                  {call_frame(ir), ir.getInt64(0), ir.getInt64(static_cast<uint64_t>(routine.units))});
    auto* word = ir.CreateAlignedLoad(ir.getInt32Ty(), around.stop, llvm::Align(4), /*isVolatile=*/true);
    return ir.CreateICmpNE(word, ir.getInt32(0));
  }

  /// Returns the runtime::Call in the frame of the function at `ir`, which all of its calls share.
  Value* call_frame(llvm::IRBuilder<>& ir) {
    Value*& frame = call_frames_[ir.GetInsertBlock()->getParent()];
    if (frame == nullptr) {
      BasicBlock& entry = ir.GetInsertBlock()->getParent()->getEntryBlock();
      llvm::IRBuilder<> at_entry(&entry, entry.begin());
      frame = at_entry.CreateAlloca(llvm::ArrayType::get(pointer(), sizeof(runtime::Call) / sizeof(void*)));
    }
    return frame;
  }

  Value* run_register_loop(llvm::IRBuilder<>& ir, const Step& step, Value* arguments, Value* stop) {
    const LibraryCall& call = source_.plan.library_calls[step.index];
    auto* type = llvm::FunctionType::get(i32(), {pointer(), pointer(), pointer(), i64(), i64()}, false);
    Value* results = ir.CreateConstGEP1_64(pointer(), arguments, call.operands.size());
    const auto batch = static_cast<uint64_t>(call.batch);
    Value* code =
        ir.CreateCall(planned(call.code[0], type), {arguments, results, stop, ir.getInt64(0), ir.getInt64(batch)});
    return ir.CreateICmpNE(code, ir.getInt32(0));
  }

  /// As StraightLineHero runs it, on one thread.
  void run_straight_line(llvm::IRBuilder<>& ir, const Step& step, Value* arguments) {
    const LibraryCall& call = source_.plan.library_calls[step.index];
    if (call.has_guard) {
      const size_t guard = call.operands.size() + call.results.size() - 1;
      Value* place = ir.CreateLoad(pointer(), ir.CreateConstGEP1_64(pointer(), arguments, guard));
      ir.CreateStore(ir.getInt8(1), place);
    }
    auto* type = llvm::FunctionType::get(ir.getVoidTy(), {pointer(), i64(), i64()}, false);
    ir.CreateCall(planned(call.code[0], type),
                  {arguments, ir.getInt64(0), ir.getInt64(static_cast<uint64_t>(call.batch))});
  }

  /// A task of a kernel: [kernel, arguments, units, chunk, tasks] and the task's number. As in run_kernel of
  /// load/program.cc, the last task includes the remainder.
  Function* task() {
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context()), {pointer(), i64()}, false);
    Function* function = own_function("task", type);
    llvm::IRBuilder<> ir(BasicBlock::Create(context(), "", function));
    const auto field = [&](size_t k, llvm::Type* t) { return load_field(ir, function->getArg(0), k * 8, t); };
    Value* next = ir.CreateAdd(function->getArg(1), ir.getInt64(1));
    Value* begin = ir.CreateMul(function->getArg(1), field(3, i64()));
    Value* end =
        ir.CreateSelect(ir.CreateICmpEQ(next, field(4, i64())), field(2, i64()), ir.CreateMul(next, field(3, i64())));
    ir.CreateCall(kernel_type(), field(0, pointer()), {field(1, pointer()), begin, end});
    ir.CreateRetVoid();
    return function;
  }

  /// Returns the function that runs a kernel in parts, by ObjectServices::parallel if there is one.
  Function* run_kernel() {
    if (run_kernel_ != nullptr) return run_kernel_;
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context()),
                                         {pointer(), pointer(), pointer(), i64(), i64()}, false);
    run_kernel_ = own_function("run_kernel", type);
    Function* one_task = task();
    Value *services = run_kernel_->getArg(0), *kernel = run_kernel_->getArg(1), *arguments = run_kernel_->getArg(2);
    Value *all = run_kernel_->getArg(3), *chunk = run_kernel_->getArg(4);
    const auto block = [&] { return BasicBlock::Create(context(), "", run_kernel_); };
    BasicBlock *entry = block(), *look = block(), *fork = block(), *here = block();
    llvm::IRBuilder<> ir(entry);
    Value* task_data = ir.CreateAlloca(i64(), ir.getInt64(5));
    ir.CreateCondBr(ir.CreateIsNull(services), here, look);
    ir.SetInsertPoint(look);
    Value* parallel = load_field(ir, services, offsetof(ObjectServices, parallel), pointer());
    ir.CreateCondBr(ir.CreateIsNull(parallel), here, fork);
    ir.SetInsertPoint(fork);
    Value* whole = ir.CreateSDiv(all, chunk);
    Value* tasks = ir.CreateSelect(ir.CreateICmpSGT(whole, ir.getInt64(1)), whole, ir.getInt64(1));
    const std::array<Value*, 5> fields = {kernel, arguments, all, chunk, tasks};
    for (size_t k = 0; k < fields.size(); ++k) ir.CreateStore(fields[k], ir.CreateConstGEP1_64(i64(), task_data, k));
    auto* parallel_type =
        llvm::FunctionType::get(llvm::Type::getVoidTy(context()), {pointer(), pointer(), pointer(), i64()}, false);
    Value* self = load_field(ir, services, offsetof(ObjectServices, self), pointer());
    ir.CreateCall(parallel_type, parallel, {self, one_task, task_data, tasks});
    ir.CreateRetVoid();
    ir.SetInsertPoint(here);
    ir.CreateCall(kernel_type(), kernel, {arguments, ir.getInt64(0), all});
    ir.CreateRetVoid();
    return run_kernel_;
  }

  llvm::Module& module_;
  const DriverSource& source_;
  Function* run_kernel_ = nullptr;
  std::map<const Function*, Value*> call_frames_;
};

class StepEmitter {
 public:
  StepEmitter(llvm::IRBuilder<>& ir, Function* function, const DriverSource& source, const CallValues& call)
      : ir_(ir),
        function_(function),
        plan_(source.plan),
        call_(call),
        module_(*function->getParent(), source),
        moved_(source.plan.slots.size()) {}

  void emit(const StepList& steps) {
    for (const Step& step : steps) {
      switch (step.kind) {
        case StepKind::kKernel:
        case StepKind::kLibrary: emit_function(step); break;
        case StepKind::kCopy: emit_copy(step); break;
        case StepKind::kAlias: moved_[step.b] = pointer(step.a); break;
        case StepKind::kWhile: emit_while(plan_.loops[step.index]); break;
        case StepKind::kConditional: emit_branches(plan_.branches[step.index]); break;
        case StepKind::kWholeLoop: emit_whole_loop(step.index); break;
      }
    }
  }

 private:
  BasicBlock* block() { return BasicBlock::Create(ir_.getContext(), "", function_); }

  /// Returns the address of a slot. Those that don't move are computed where they are used.
  Value* pointer(SlotId number) {
    if (moved_[number] != nullptr) return moved_[number];
    const Slot& slot = plan_.slots[number];
    const auto at = [&](Value* array) {
      return ir_.CreateLoad(ir_.getPtrTy(),
                            ir_.CreateConstGEP1_64(ir_.getPtrTy(), array, static_cast<uint64_t>(slot.index)));
    };
    switch (slot.source) {
      case SlotSource::kArgument: return at(call_.arguments);
      case SlotSource::kResult: return at(call_.results);
      case SlotSource::kConstant: return module_.constant(static_cast<uint32_t>(slot.index));
      case SlotSource::kArena:
        return ir_.CreateConstGEP1_64(ir_.getInt8Ty(), call_.arena, static_cast<uint64_t>(slot.index));
      case SlotSource::kMoving: break;  // nothing has set it, and nothing reads it
    }
    return llvm::ConstantPointerNull::get(ir_.getPtrTy());
  }

  /// Returns an array in the frame. All calls share it: none is nested in another.
  Value* array(llvm::AllocaInst*& known, size_t size) {
    if (known == nullptr) {
      BasicBlock& entry = function_->getEntryBlock();
      llvm::IRBuilder<> at_entry(&entry, entry.begin());
      known = at_entry.CreateAlloca(llvm::ArrayType::get(ir_.getPtrTy(), std::max<size_t>(size, 1)));
    }
    return known;
  }

  void store_pointer(Value* to, size_t k, Value* address) {
    ir_.CreateStore(address, ir_.CreateConstGEP1_64(ir_.getPtrTy(), to, k));
  }

  void leave_if(Value* condition) {
    BasicBlock* go_on = block();
    ir_.CreateCondBr(condition, call_.stopped, go_on);
    ir_.SetInsertPoint(go_on);
  }
  void leave_if_stopped() {
    auto* word = ir_.CreateAlignedLoad(ir_.getInt32Ty(), call_.stop, llvm::Align(4), /*isVolatile=*/true);
    leave_if(ir_.CreateICmpNE(word, ir_.getInt32(0)));
  }

  void emit_function(const Step& step) {
    if (step.kind == StepKind::kKernel && step.stretch != 0) leave_if_stopped();  // a long kernel
    Value* arguments = array(arguments_, plan_.max_arguments);
    for (size_t k = 0; k < step.argument_count; ++k) {
      Value* const beginning = pointer(plan_.argument_slots[step.arguments + k]);
      const int64_t offset = plan_.argument_offset(step.arguments + k);
      store_pointer(arguments, k, offset == 0 ? beginning : ir_.CreateConstGEP1_64(ir_.getInt8Ty(), beginning, offset));
    }
    if (Value* stopped = module_.run(ir_, step, arguments, {call_.services, call_.arena, call_.stop}))
      leave_if(stopped);
  }

  void emit_copy(const Step& step) {
    Value *from = pointer(step.a), *to = pointer(step.b);
    if (from == to) return;
    // The two may be the same memory, which memcpy doesn't allow.
    ir_.CreateMemMove(to, llvm::MaybeAlign(1), from, llvm::MaybeAlign(1), static_cast<uint64_t>(step.bytes));
  }

  void emit_while(const WhileLoop& loop) {
    std::vector<llvm::PHINode*> moving;
    std::vector<Value*> initial;
    for (const auto& [now, next] : loop.swaps) {
      initial.push_back(pointer(now));
      initial.push_back(pointer(next));
    }
    BasicBlock* before = ir_.GetInsertBlock();
    BasicBlock *test = block(), *turn = block(), *after = block();
    ir_.CreateBr(test);
    ir_.SetInsertPoint(test);
    for (size_t k = 0; k < loop.swaps.size(); ++k) {
      for (size_t side = 0; side < 2; ++side) {
        moving.push_back(ir_.CreatePHI(ir_.getPtrTy(), 2));
        moving.back()->addIncoming(initial[2 * k + side], before);
        moved_[side == 0 ? loop.swaps[k].now : loop.swaps[k].next] = moving.back();
      }
    }
    const std::vector<Value*> tested = moved_;
    emit(loop.condition);
    Value* predicate = ir_.CreateLoad(ir_.getInt8Ty(), pointer(loop.predicate));
    ir_.CreateCondBr(ir_.CreateICmpNE(predicate, ir_.getInt8(0)), turn, after);
    moved_ = tested;
    ir_.SetInsertPoint(turn);
    emit(loop.body);
    leave_if_stopped();
    for (size_t k = 0; k < loop.swaps.size(); ++k) {
      moving[2 * k]->addIncoming(pointer(loop.swaps[k].next), ir_.GetInsertBlock());
      moving[2 * k + 1]->addIncoming(pointer(loop.swaps[k].now), ir_.GetInsertBlock());
    }
    ir_.CreateBr(test);
    ir_.SetInsertPoint(after);
    moved_ = tested;
  }

  /// As in run_branch of load/program.cc: an index out of range selects the last branch.
  void emit_branches(const Branches& branches) {
    Value* selector = pointer(branches.selector);
    const std::vector<Value*> before = moved_;
    std::vector<BasicBlock*> begins;
    for (size_t k = 0; k < branches.lists.size(); ++k) begins.push_back(block());
    BasicBlock* after = block();
    if (branches.predicated) {
      Value* predicate = ir_.CreateLoad(ir_.getInt8Ty(), selector);
      ir_.CreateCondBr(ir_.CreateICmpNE(predicate, ir_.getInt8(0)), begins[0], begins[1]);
    } else {
      auto* choose = ir_.CreateSwitch(ir_.CreateLoad(ir_.getInt32Ty(), selector), begins.back());
      for (size_t k = 0; k + 1 < begins.size(); ++k) choose->addCase(ir_.getInt32(static_cast<uint32_t>(k)), begins[k]);
    }
    for (size_t k = 0; k < begins.size(); ++k) {
      ir_.SetInsertPoint(begins[k]);
      moved_ = before;
      emit(branches.lists[k]);
      ir_.CreateBr(after);
    }
    ir_.SetInsertPoint(after);
    moved_ = before;  // pointers that exist only within a branch aren't used after it
  }

  void emit_whole_loop(uint32_t number) {
    const WholeLoop& loop = plan_.whole_loops[number];
    size_t most = 0;
    for (const WholeLoop& other : plan_.whole_loops) most = std::max(most, other.slots.size());
    Value* pointers = array(pointers_, most);
    for (size_t k = 0; k < loop.slots.size(); ++k) store_pointer(pointers, k, pointer(loop.slots[k]));
    Value* context = array(context_, sizeof(LoopContext) / sizeof(void*));
    const auto set = [&](size_t offset, Value* value) {
      ir_.CreateStore(value, ir_.CreateConstGEP1_64(ir_.getInt8Ty(), context, offset));
    };
    set(offsetof(LoopContext, run_step), module_.run_step(loop, number));
    set(offsetof(LoopContext, cancel_word), call_.stop);
    set(offsetof(LoopContext, kernels), module_.kernels_of(loop, number));
    Value* host = array(host_, 2);
    ir_.CreateStore(call_.services, host);
    ir_.CreateStore(call_.arena, ir_.CreateConstGEP1_64(ir_.getPtrTy(), host, 1));
    set(offsetof(LoopContext, host), host);
    auto* type = llvm::FunctionType::get(ir_.getInt32Ty(), {ir_.getPtrTy(), ir_.getPtrTy()}, false);
    Value* end = ir_.CreateCall(module_.planned(loop.function, type), {context, pointers});
    leave_if(ir_.CreateICmpNE(end, ir_.getInt32(kLoopDone)));
    for (size_t k = 0; k < loop.slots.size(); ++k) {
      if (plan_.slots[loop.slots[k]].source != SlotSource::kMoving) continue;
      moved_[loop.slots[k]] = ir_.CreateLoad(ir_.getPtrTy(), ir_.CreateConstGEP1_64(ir_.getPtrTy(), pointers, k));
    }
  }

  llvm::IRBuilder<>& ir_;
  Function* function_;
  const engine::Plan& plan_;
  const CallValues& call_;
  ModuleCode module_;
  std::vector<Value*> moved_;  ///< per slot: its address, if a step has set it
  llvm::AllocaInst *arguments_ = nullptr, *pointers_ = nullptr, *context_ = nullptr, *host_ = nullptr;
};

}  // namespace

Value* load_field(llvm::IRBuilder<>& ir, Value* record, size_t offset, llvm::Type* type) {
  return ir.CreateLoad(type, ir.CreateConstGEP1_64(ir.getInt8Ty(), record, offset));
}

void emit_steps(llvm::IRBuilder<>& ir, Function* function, const DriverSource& source, const CallValues& call) {
  StepEmitter(ir, function, source, call).emit(source.plan.steps);
}

}  // namespace hilo::cpu
