// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/register_loop.h"

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>

#include "hilo/backend/cpu/emit/code_cache.h"
#include "hilo/backend/cpu/emit/elementwise.h"
#include "hilo/backend/cpu/emit/jit.h"
#include "hilo/backend/cpu/emit/lane_memory.h"
#include "hilo/backend/cpu/emit/scalar_emitter.h"
#include "hilo/engine/register_loop.h"

namespace hilo::cpu {
namespace {

using engine::batch_dimension;
using llvm::Value;

struct LoopOfLanes {
  const hlo::Computation& condition;
  const hlo::Computation& body;
  const engine::RegisterLoopForm& form;
  int lanes;
};

/// Writes the function's code. Each turn of its outer loop handles as many indices of the batch as there are lanes,
/// through all turns of the inner loop.
class RegisterLoopEmitter {
 public:
  RegisterLoopEmitter(llvm::IRBuilder<>& ir, Isa isa, const LoopOfLanes& loop, llvm::Function* function)
      : ir_(ir), b_(ir, isa, loop.lanes), loop_(loop), function_(function) {}

  Status emit() {
    leaves_ = loop_.body.result_shape().leaves();
    for (size_t k = 0; k < leaves_.size(); ++k) {
      arguments_.push_back(pointer(0, k));
      results_.push_back(pointer(1, k));
    }
    cancelled_ = llvm::BasicBlock::Create(ir_.getContext(), "cancelled", function_);
    if (loop_.form.batch == 1) {
      emit_lanes(nullptr, nullptr);
    } else {
      Value* const end = function_->getArg(4);
      b_.for_each(function_->getArg(3), end, b_.index(b_.lanes()),
                  [&](Value* first) { emit_lanes(first, smaller(ir_.CreateSub(end, first), b_.index(b_.lanes()))); });
    }
    ir_.CreateRet(ir_.getInt32(0));
    ir_.SetInsertPoint(cancelled_);
    ir_.CreateRet(ir_.getInt32(1));
    return status_;
  }

 private:
  Value* pointer(unsigned argument, size_t k) {
    llvm::Type* const type = ir_.getPtrTy();
    return ir_.CreateLoad(type, ir_.CreateConstGEP1_64(type, function_->getArg(argument), k));
  }
  Value* smaller(Value* x, Value* y) { return ir_.CreateSelect(ir_.CreateICmpSLT(x, y), x, y); }
  bool is_in_memory(size_t k) const { return engine::is_in_memory(leaves_[k], loop_.form.batch); }

  /// Emits the loop for `count` indices of the batch from `first` on; both are null without a batch.
  void emit_lanes(Value* first, Value* count) {
    LaneMemory memory(b_, loop_.form.batch, first, count);
    Values initial;
    for (size_t k = 0; k < leaves_.size(); ++k) {
      const Values elements =
          is_in_memory(k) ? Values{results_[k]} : memory.load({leaves_[k], leaves_[k]}, arguments_[k]);
      initial.insert(initial.end(), elements.begin(), elements.end());
    }
    ScalarEmitter emitter(b_, function_->getArg(2), cancelled_);
    if (loop_.form.batch > 1)
      emitter.set_batch({loop_.form.batch, ir_.CreateAdd(b_.splat(first), b_.lane_numbers(ir_.getInt64Ty()))});
    emitter.set_memory(&memory);
    const Values last = emitter.emit_loop(loop_.condition, loop_.body, initial);
    if (status_.ok()) status_ = emitter.status();
    auto next = last.begin();
    for (size_t k = 0; k < leaves_.size(); ++k) {
      const auto end = next + engine::registers_of(leaves_[k], loop_.form.batch);
      if (!is_in_memory(k)) memory.store({leaves_[k], leaves_[k]}, results_[k], Values(next, end));
      next = end;
    }
  }

  llvm::IRBuilder<>& ir_;
  SimdBuilder b_;
  const LoopOfLanes& loop_;
  llvm::Function* function_;
  llvm::BasicBlock* cancelled_ = nullptr;
  std::vector<Shape> leaves_;
  Values arguments_, results_;
  Status status_;
};

Status emit_function(llvm::Module& module, Isa isa, const LoopOfLanes& loop) {
  llvm::IRBuilder<> ir(module.getContext());
  llvm::Type *pointer = ir.getPtrTy(), *index = ir.getInt64Ty();
  auto* function =
      begin_function(ir, module, RegisterLoop::kName, ir.getInt32Ty(), {pointer, pointer, pointer, index, index});
  return RegisterLoopEmitter(ir, isa, loop, function).emit();
}

/// Returns the lanes of one register. Returns those of several registers for a turn so short that it would wait for its
/// own results, if the carry stays in registers. Returns fewer if a turn's code would be long because it computes in a
/// wider type than the carry's.
int lanes_for(const LoopOfLanes& loop, Isa isa) {
  const engine::LoopWork& work = loop.form.work;
  const int64_t batch = loop.form.batch;
  if (batch == 1) return 1;
  constexpr int64_t kShortest = 12, kShorter = 32, kShort = 96, kMaxCarried = 32, kMaxRegisters = 4000;
  int lanes = vector_bytes(isa);
  int64_t carried = 0;
  for (const Shape& leaf : loop.body.result_shape().leaves()) {
    if (!batch_dimension(leaf, batch)) continue;
    lanes = std::min(lanes, natural_lanes(isa, leaf.element_type()));
    if (!engine::is_in_memory(leaf, batch)) carried += engine::elements_per_index(leaf, batch);
  }
  int64_t registers = work.operations <= kShortest  ? 8
                      : work.operations <= kShorter ? 4
                      : work.operations <= kShort   ? 2
                                                    : 1;
  while (registers > 1 && registers * carried > kMaxCarried) registers /= 2;
  lanes *= static_cast<int>(registers);
  while (lanes > 1 && work.bytes * lanes / vector_bytes(isa) > kMaxRegisters) lanes /= 2;
  return static_cast<int>(std::min<int64_t>(lanes, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(batch)))));
}

std::string key_of(const LoopOfLanes& loop, Isa isa) {
  const hlo::Fingerprint condition = loop.condition.fingerprint(), body = loop.body.fingerprint();
  return fmt::format("{} {} {} {:x} {:x} {:x} {:x}", isa_name(isa), loop.form.batch, loop.lanes, condition.high,
                     condition.low, body.high, body.low);
}

}  // namespace

StatusOr<RegisterLoop> compile_register_loop(const hlo::Computation& condition, const hlo::Computation& body,
                                             const engine::RegisterLoopForm& form, Isa isa) {
  LoopOfLanes loop{condition, body, form, 1};
  loop.lanes = lanes_for(loop, isa);
  const double seconds = kSecondsAnOperation * static_cast<double>(condition.size() + body.size());
  static auto* const cache = new CodeCache<RegisterLoop>;
  return find_or_compile(*cache, key_of(loop, isa), seconds, [&](CodeLevel level) -> StatusOr<RegisterLoop> {
    const auto write = [&](llvm::Module& module) { return emit_function(module, isa, loop); };
    RegisterLoop compiled;
    HILO_ASSIGN_OR_RETURN(compiled.code, compile_code(RegisterLoop::kName, isa, level, write));
    return compiled;
  });
}

}  // namespace hilo::cpu
