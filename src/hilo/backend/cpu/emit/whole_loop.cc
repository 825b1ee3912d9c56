// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/whole_loop.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "hilo/backend/cpu/abi/functions.h"
#include "hilo/backend/cpu/emit/region/loop_forms.h"

namespace hilo::cpu {

using engine::Branches, engine::ScalarCarry, engine::SlotId, engine::Step, engine::StepKind, engine::StepList;

namespace {

using llvm::Value;

/// The register value of a one-element buffer. Memory always contains it, too.
struct Known {
  ElementType type{};
  Value* value = nullptr;
};
using KnownScalars = llvm::MapVector<Value*, Known>;  // by pointer, in order of insertion, so that code is reproducible

/// The values of pointers and scalars at a point of the function.
struct State {
  Values pointers;  ///< per slot; null for slots that the loop doesn't use
  KnownScalars known;
};

class LoopEmitter {
 public:
  LoopEmitter(llvm::IRBuilder<>& ir, Isa isa, const LoopSource& source, llvm::Function* function)
      : ir_(ir), isa_(isa), source_(source), function_(function), b_(ir, isa, 1), context_(function->getArg(0)) {}

  Status emit() {
    llvm::Type* pointer = ir_.getPtrTy();
    cancelled_ = block("cancelled");
    failed_ = block("failed");
    run_step_ = field(offsetof(LoopContext, run_step), pointer);
    cancel_word_ = field(offsetof(LoopContext, cancel_word), pointer);
    kernels_ = field(offsetof(LoopContext, kernels), pointer);
    state_.pointers.resize(source_.plan.slots.size());
    const auto place = [&](size_t k) { return ir_.CreateConstGEP1_64(pointer, function_->getArg(1), k); };
    const std::vector<SlotId>& slots = source_.layout.slots;
    for (size_t k = 0; k < slots.size(); ++k) state_.pointers[slots[k]] = ir_.CreateLoad(pointer, place(k));
    emit_while(source_.loop);
    // The pointers keep the exchanges of the turns.
    for (const auto& [now, next] : source_.loop.swaps) {
      for (SlotId slot : {now, next}) {
        const size_t k = std::ranges::find(slots, slot) - slots.begin();
        ir_.CreateStore(state_.pointers[slot], place(k));
      }
    }
    ir_.CreateRet(ir_.getInt32(kLoopDone));
    ir_.SetInsertPoint(cancelled_);
    ir_.CreateRet(ir_.getInt32(kLoopCancelled));
    ir_.SetInsertPoint(failed_);
    ir_.CreateRet(ir_.getInt32(kLoopFailed));
    return status_;
  }

 private:
  void forget(Value* pointer) { state_.known.erase(pointer); }
  llvm::BasicBlock* block(const char* name) { return llvm::BasicBlock::Create(ir_.getContext(), name, function_); }
  Value* field(size_t offset, llvm::Type* type) {
    return ir_.CreateLoad(type, ir_.CreateConstGEP1_64(ir_.getInt8Ty(), context_, offset));
  }

  void emit_steps(const StepList& steps) {
    for (const Step& step : steps) {
      switch (step.kind) {
        case StepKind::kKernel: emit_kernel(step); break;
        case StepKind::kCopy: emit_copy(step); break;
        case StepKind::kAlias: state_.pointers[step.b] = state_.pointers[step.a]; break;
        case StepKind::kLibrary: emit_handed_out(step); break;
        case StepKind::kWhile: emit_while(source_.plan.loops[step.index]); break;
        case StepKind::kConditional: emit_branches(source_.plan.branches[step.index]); break;
        case StepKind::kWholeLoop: break;  // outer loops become functions first, so none is nested here
      }
    }
  }

  void emit_kernel(const Step& step) {
    if (source_.layout.handed_out.contains(&step)) return emit_handed_out(step);
    const auto called = source_.layout.called.find(&step);
    if (called == source_.layout.called.end()) return emit_inline(step);
    const Values pointers = arguments_of(step);
    Value* kernel = ir_.CreateLoad(ir_.getPtrTy(), ir_.CreateConstGEP1_64(ir_.getPtrTy(), kernels_, called->second));
    auto* type = llvm::FunctionType::get(ir_.getVoidTy(), {ir_.getPtrTy(), ir_.getInt64Ty(), ir_.getInt64Ty()}, false);
    ir_.CreateCall(type, kernel, {in_memory(pointers), b_.index(0), b_.index(step.units)});
    const size_t inputs = source_.kernels[step.index].region.inputs.size();
    for (size_t k = inputs; k < pointers.size(); ++k) forget(pointers[k]);
  }

  void emit_inline(const Step& step) {
    const PlannedKernel& kernel = source_.kernels[step.index];
    const Region& region = kernel.region;
    const Values pointers = arguments_of(step);
    Values known(region.inputs.size());
    for (size_t k = 0; k < known.size(); ++k) {
      const auto it = state_.known.find(pointers[k]);
      if (kernel.single[k] && it != state_.known.end() && it->second.type == region.inputs[k].type)
        known[k] = it->second.value;
    }
    StatusOr<Values> stored =
        emit_loops(ir_, isa_, region, {pointers, b_.index(0), b_.index(step.units), std::move(known)});
    if (!stored.ok() && status_.ok()) status_ = stored.status();
    for (size_t k = 0; k < region.outputs.size(); ++k) {
      const size_t argument = region.inputs.size() + k;
      forget(pointers[argument]);
      if (stored.ok() && kernel.single[argument] && (*stored)[k] != nullptr)
        state_.known[pointers[argument]] = {region.outputs[k].type, (*stored)[k]};
    }
  }

  /// Emits a call to the host for a step that may fork, call libraries or fail.
  void emit_handed_out(const Step& step) {
    const Values pointers = arguments_of(step);
    auto* type = llvm::FunctionType::get(ir_.getInt32Ty(), {ir_.getPtrTy(), ir_.getInt32Ty(), ir_.getPtrTy()}, false);
    Value* number = ir_.getInt32(source_.layout.handed_out.at(&step));
    Value* result = ir_.CreateCall(type, run_step_, {context_, number, in_memory(pointers)});
    llvm::BasicBlock* go_on = block("");
    ir_.CreateCondBr(ir_.CreateICmpEQ(result, ir_.getInt32(0)), go_on, failed_);
    ir_.SetInsertPoint(go_on);
    for (Value* pointer : pointers) forget(pointer);
  }

  void emit_copy(const Step& step) {
    Value* from = state_.pointers[step.a];
    Value* to = state_.pointers[step.b];
    if (from == to) return;
    forget(to);
    if (const auto it = state_.known.find(from);
        it != state_.known.end() && step.bytes == element_size_bytes(it->second.type)) {
      const Known known = it->second;
      b_.store_scalar(known.type, known.value, to, b_.index(0));
      state_.known[to] = known;
      return;
    }
    // The two may be the same memory, which memcpy doesn't allow.
    ir_.CreateMemMove(to, llvm::MaybeAlign(1), from, llvm::MaybeAlign(1), static_cast<uint64_t>(step.bytes));
  }

  void emit_while(const WhileLoop& loop) {
    Values scalars;
    for (const ScalarCarry& carry : loop.scalars) scalars.push_back(scalar_at(state_.pointers[carry.now], carry.type));
    llvm::BasicBlock* before = ir_.GetInsertBlock();
    llvm::BasicBlock* test = block("test");
    llvm::BasicBlock* turn = block("turn");
    llvm::BasicBlock* after = block("after");
    ir_.CreateBr(test);
    ir_.SetInsertPoint(test);
    forget_written(loop);
    std::vector<llvm::PHINode*> moving, changing;
    const auto phi = [&](Value* initial) {
      llvm::PHINode* p = ir_.CreatePHI(initial->getType(), 2);
      p->addIncoming(initial, before);
      return p;
    };
    for (const auto& [now, next] : loop.swaps) {
      for (SlotId slot : {now, next}) {
        moving.push_back(phi(state_.pointers[slot]));
        state_.pointers[slot] = moving.back();
      }
    }
    for (size_t k = 0; k < scalars.size(); ++k) {
      const ScalarCarry& carry = loop.scalars[k];
      Value* value = scalars[k];
      if (!carry.fixed) {
        changing.push_back(phi(value));
        value = changing.back();
      }
      state_.known[state_.pointers[carry.now]] = {carry.type, value};
    }
    const Values pointers = state_.pointers;
    emit_steps(loop.condition);
    Value* predicate = scalar_at(state_.pointers[loop.predicate], ElementType::kPred);
    ir_.CreateCondBr(predicate, turn, after);
    state_.pointers = pointers;
    const State tested = state_;
    ir_.SetInsertPoint(turn);
    emit_steps(loop.body);
    Values next_scalars;
    for (const ScalarCarry& carry : loop.scalars) {
      if (!carry.fixed) next_scalars.push_back(scalar_at(state_.pointers[carry.next], carry.type));
    }
    b_.leave_if_cancelled(cancel_word_, cancelled_);
    llvm::BasicBlock* latch = ir_.GetInsertBlock();
    for (size_t k = 0; k < loop.swaps.size(); ++k) {
      moving[2 * k]->addIncoming(state_.pointers[loop.swaps[k].next], latch);
      moving[2 * k + 1]->addIncoming(state_.pointers[loop.swaps[k].now], latch);
    }
    for (size_t k = 0; k < changing.size(); ++k) changing[k]->addIncoming(next_scalars[k], latch);
    ir_.CreateBr(test);
    ir_.SetInsertPoint(after);
    state_ = tested;
  }

  /// As in run_branch: an index out of range selects the last branch.
  void emit_branches(const Branches& branches) {
    Value* pointer = state_.pointers[branches.selector];
    llvm::BasicBlock* after = block("after");
    const State before = state_;
    std::vector<std::pair<llvm::BasicBlock*, State>> ends;
    std::vector<llvm::BasicBlock*> begins;
    for (size_t k = 0; k < branches.lists.size(); ++k) begins.push_back(block("branch"));
    if (branches.predicated) {
      ir_.CreateCondBr(scalar_at(pointer, ElementType::kPred), begins[0], begins[1]);
    } else {
      auto* choose = ir_.CreateSwitch(scalar_at(pointer, ElementType::kS32), begins.back());
      for (size_t k = 0; k + 1 < begins.size(); ++k) choose->addCase(ir_.getInt32(static_cast<uint32_t>(k)), begins[k]);
    }
    for (size_t k = 0; k < begins.size(); ++k) {
      ir_.SetInsertPoint(begins[k]);
      state_ = before;
      emit_steps(branches.lists[k]);
      ends.emplace_back(ir_.GetInsertBlock(), std::move(state_));
      ir_.CreateBr(after);
    }
    ir_.SetInsertPoint(after);
    join(before, ends);
  }

  /// Joins the states after branches: a scalar is known if it is known at the end of each.
  void join(const State& before, const std::vector<std::pair<llvm::BasicBlock*, State>>& ends) {
    state_ = {before.pointers, {}};
    for (const auto& [pointer, first] : ends[0].second.known) {
      bool everywhere = true, same = true;
      for (const auto& [end, state] : ends) {
        const auto it = state.known.find(pointer);
        everywhere &= it != state.known.end() && it->second.type == first.type;
        same &= everywhere && it->second.value == first.value;
      }
      // Pointers that exist only within a branch aren't used after it.
      if (!everywhere || std::ranges::find(before.pointers, pointer) == before.pointers.end()) continue;
      Value* value = first.value;
      if (!same) {
        llvm::PHINode* phi = ir_.CreatePHI(value->getType(), static_cast<unsigned>(ends.size()));
        for (const auto& [end, state] : ends) phi->addIncoming(state.known.find(pointer)->second.value, end);
        value = phi;
      }
      state_.known[pointer] = {first.type, value};
    }
  }

  Value* scalar_at(Value* pointer, ElementType type) {
    const auto it = state_.known.find(pointer);
    if (it != state_.known.end() && it->second.type == type) return it->second.value;
    return b_.load_scalar(type, pointer, b_.index(0));
  }

  /// Drops the values that a turn of the loop may change.
  void forget_written(const WhileLoop& loop) {
    std::vector<SlotId> written;
    std::vector<std::pair<SlotId, SlotId>> aliases;
    const Plan& plan = source_.plan;
    std::vector<const StepList*> lists = {&loop.condition, &loop.body};
    for (const auto& [now, next] : loop.swaps) written.insert(written.end(), {now, next});
    while (!lists.empty()) {
      const StepList& steps = *lists.back();
      lists.pop_back();
      for (const Step& step : steps) {
        switch (step.kind) {
          case StepKind::kKernel:
          case StepKind::kLibrary: {  // all arguments: those that aren't written are only loaded again
            const size_t inputs = step.kind == StepKind::kKernel ? source_.kernels[step.index].region.inputs.size() : 0;
            const SlotId* slots = plan.argument_slots.data() + step.arguments;
            written.insert(written.end(), slots + inputs, slots + step.argument_count);
            break;
          }
          case StepKind::kCopy: written.push_back(step.b); break;
          case StepKind::kAlias: aliases.emplace_back(step.a, step.b); break;
          case StepKind::kWhile:
            for (const auto& [now, next] : plan.loops[step.index].swaps) written.insert(written.end(), {now, next});
            lists.push_back(&plan.loops[step.index].condition);
            lists.push_back(&plan.loops[step.index].body);
            break;
          case StepKind::kConditional:
            for (const StepList& list : plan.branches[step.index].lists) lists.push_back(&list);
            break;
          case StepKind::kWholeLoop: break;
        }
      }
    }
    const auto is_written = [&](SlotId slot) { return std::ranges::find(written, slot) != written.end(); };
    for (bool again = true; again;) {
      again = false;
      for (const auto& [from, to] : aliases) {
        if (!is_written(to) || is_written(from)) continue;
        written.push_back(from);
        again = true;
      }
    }
    for (SlotId slot : written) {
      if (state_.pointers[slot] != nullptr) forget(state_.pointers[slot]);
    }
  }

  Values arguments_of(const Step& step) const {
    const SlotId* slots = source_.plan.argument_slots.data() + step.arguments;
    Values pointers;
    for (uint32_t k = 0; k < step.argument_count; ++k) pointers.push_back(state_.pointers[slots[k]]);
    return pointers;
  }

  /// Stores the pointers in an array on the stack.
  Value* in_memory(const Values& pointers) {
    if (arguments_ == nullptr) {
      llvm::BasicBlock& entry = function_->getEntryBlock();
      llvm::IRBuilder<> at_entry(&entry, entry.begin());
      arguments_ = at_entry.CreateAlloca(
          llvm::ArrayType::get(ir_.getPtrTy(), std::max<uint32_t>(source_.plan.max_arguments, 1)));
    }
    for (size_t k = 0; k < pointers.size(); ++k)
      ir_.CreateStore(pointers[k], ir_.CreateConstGEP1_64(ir_.getPtrTy(), arguments_, k));
    return arguments_;
  }

  llvm::IRBuilder<>& ir_;
  Isa isa_;
  const LoopSource& source_;
  llvm::Function* function_;
  SimdBuilder b_;
  Value* context_;
  Value* run_step_ = nullptr;
  Value* cancel_word_ = nullptr;
  Value* kernels_ = nullptr;
  llvm::AllocaInst* arguments_ = nullptr;  ///< arguments of calls; allocated at the first call
  llvm::BasicBlock* cancelled_ = nullptr;
  llvm::BasicBlock* failed_ = nullptr;
  State state_;
  Status status_;
};

}  // namespace

Status emit_whole_loop(llvm::Module& module, Isa isa, const LoopSource& source, const std::string& name) {
  llvm::IRBuilder<> ir(module.getContext());
  llvm::Type* pointer = ir.getPtrTy();
  auto* function = begin_function(ir, module, name, ir.getInt32Ty(), {pointer, pointer});
  return LoopEmitter(ir, isa, source, function).emit();
}

}  // namespace hilo::cpu
