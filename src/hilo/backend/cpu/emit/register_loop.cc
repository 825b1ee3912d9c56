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
#include "hilo/backend/cpu/emit/scalar_emitter.h"
#include "hilo/engine/register_loop.h"

namespace hilo::cpu {
namespace {

using engine::batch_dimension;
using engine::elements_beside;
using engine::extents_beside;
using llvm::Value;

struct LoopOfLanes {
  const hlo::Computation& condition;
  const hlo::Computation& body;
  int64_t batch;
  int lanes;
};

/// The function's code. Each turn of its outer loop takes as many indices of the batch as there are lanes through all turns of
/// the loop that it is.
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
    if (loop_.batch == 1) {
      emit_lanes(nullptr, nullptr);
    } else {
      Value* const end = function_->getArg(4);
      b_.counted_loop(function_->getArg(3), end, b_.index(b_.lanes()), {}, [&](Value* first, const Values&) {
        emit_lanes(first, b_.first_lanes(smaller(ir_.CreateSub(end, first), b_.index(b_.lanes()))));
        return Values{};
      });
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

  /// The loop for the indices of the batch from `first` on, as `mask` says.
  void emit_lanes(Value* first, Value* mask) {
    Values initial;
    for (size_t k = 0; k < leaves_.size(); ++k) {
      each_element(k, first, [&](Value* at, int64_t stride) {
        const ElementType type = leaves_[k].element_type();
        if (stride == 0) initial.push_back(b_.load_scalar(type, arguments_[k], at));
        else if (stride == 1) initial.push_back(b_.load_masked(type, arguments_[k], at, mask));
        else initial.push_back(b_.load_strided(type, arguments_[k], at, b_.index(stride), mask));
      });
    }
    ScalarEmitter emitter(b_, function_->getArg(2), cancelled_);
    if (loop_.batch > 1) emitter.set_batch({loop_.batch, ir_.CreateAdd(b_.splat(first), b_.iota(ElementType::kS64))});
    const Values last = emitter.emit_loop(loop_.condition, loop_.body, initial);
    if (status_.ok()) status_ = emitter.status();
    size_t next = 0;
    for (size_t k = 0; k < leaves_.size(); ++k) {
      each_element(k, first, [&](Value* at, int64_t stride) {
        const ElementType type = leaves_[k].element_type();
        Value* const value = last[next++];
        if (stride == 0) b_.store_scalar(type, value, results_[k], at);
        else if (stride == 1) b_.store_masked(type, value, results_[k], at, mask);
        else b_.store_strided(type, value, results_[k], at, b_.index(stride), mask);
      });
    }
  }

  /// visit(the place of the element in memory, the stride between lanes, 0 if all have the same) for each of leaf k's.
  void each_element(size_t k, Value* first, const std::function<void(Value* at, int64_t stride)>& visit) {
    const Shape& leaf = leaves_[k];
    const auto lane_dimension = batch_dimension(leaf, loop_.batch);
    const std::vector<int64_t> extents = extents_beside(leaf, loop_.batch);
    int64_t stride = 1;  // of the batch
    for (size_t d = leaf.dimensions().size(); lane_dimension && --d > *lane_dimension;) stride *= extents[d];
    for (int64_t e = 0; e < elements_beside(leaf, loop_.batch); ++e) {
      if (!lane_dimension) {
        visit(b_.index(e), 0);
        continue;
      }
      // Element e beside the batch: those before the batch's dimension count whole batches.
      Value* const offset = b_.index(e / stride * stride * loop_.batch + e % stride);
      visit(ir_.CreateAdd(offset, ir_.CreateMul(first, b_.index(stride))), stride);
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
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> ir(context);
  llvm::Type *pointer = ir.getPtrTy(), *index = ir.getInt64Ty();
  auto* type = llvm::FunctionType::get(ir.getInt32Ty(), {pointer, pointer, pointer, index, index}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, RegisterLoop::kName, module);
  ir.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  return RegisterLoopEmitter(ir, isa, loop, function).emit();
}

/// Those of one register, or of several in a turn so short that it would wait for its own results.
int lanes_for(const LoopOfLanes& loop, int64_t work, Isa isa) {
  if (loop.batch == 1) return 1;
  constexpr int64_t kShortest = 12, kShorter = 32, kShort = 96;
  int lanes = vector_bytes(isa);
  for (const Shape& leaf : loop.body.result_shape().leaves()) {
    if (batch_dimension(leaf, loop.batch)) lanes = std::min(lanes, natural_lanes(isa, leaf.element_type()));
  }
  lanes *= work <= kShortest ? 8 : work <= kShorter ? 4 : work <= kShort ? 2 : 1;
  return static_cast<int>(
      std::min<int64_t>(lanes, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(loop.batch)))));
}

CodeCache<RegisterLoop>& cache() {
  static auto* const instance = new CodeCache<RegisterLoop>;
  return *instance;
}

std::string key_of(const LoopOfLanes& loop, Isa isa) {
  const hlo::Fingerprint condition = loop.condition.fingerprint(), body = loop.body.fingerprint();
  return fmt::format("{} {} {} {:x} {:x} {:x} {:x}", isa_name(isa), loop.batch, loop.lanes, condition.high,
                     condition.low, body.high, body.low);
}

}  // namespace

StatusOr<RegisterLoop> compile_register_loop(const hlo::Computation& condition, const hlo::Computation& body,
                                             int64_t batch, int64_t work, Isa isa) {
  LoopOfLanes loop{condition, body, batch, 1};
  loop.lanes = lanes_for(loop, work, isa);
  return find_or_compile(cache(), key_of(loop, isa), [&]() -> StatusOr<RegisterLoop> {
    const auto write = [&](llvm::Module& module) { return emit_function(module, isa, loop); };
    RegisterLoop compiled;
    HILO_ASSIGN_OR_RETURN(compiled.code, compile_code(RegisterLoop::kName, isa, write));
    return compiled;
  });
}

}  // namespace hilo::cpu
