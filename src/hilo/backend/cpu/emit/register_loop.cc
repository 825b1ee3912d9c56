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
using engine::elements_per_index;
using engine::extents_per_index;
using llvm::Value;

struct LoopOfLanes {
  const hlo::Computation& condition;
  const hlo::Computation& body;
  int64_t batch;
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
    if (loop_.batch == 1) {
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

  /// Emits the loop for `count` indices of the batch from `first` on; both are null without a batch.
  void emit_lanes(Value* first, Value* count) {
    Values initial;
    Value* const is_whole = count == nullptr ? nullptr : ir_.CreateICmpEQ(count, b_.index(b_.lanes()));
    for (size_t k = 0; k < leaves_.size(); ++k) {
      each_element(k, first, [&](Value* at, int64_t stride) {
        const Column column{leaves_[k].element_type(), arguments_[k], at, stride, count, is_whole};
        initial.push_back(stride == 0 ? b_.load_scalar(column.type, column.pointer, at) : load(column));
      });
    }
    ScalarEmitter emitter(b_, function_->getArg(2), cancelled_);
    if (loop_.batch > 1)
      emitter.set_batch({loop_.batch, ir_.CreateAdd(b_.splat(first), b_.lane_numbers(ir_.getInt64Ty()))});
    const Values last = emitter.emit_loop(loop_.condition, loop_.body, initial);
    if (status_.ok()) status_ = emitter.status();
    size_t next = 0;
    for (size_t k = 0; k < leaves_.size(); ++k) {
      each_element(k, first, [&](Value* at, int64_t stride) {
        const Column column{leaves_[k].element_type(), results_[k], at, stride, count, is_whole};
        Value* const value = last[next++];
        if (stride == 0) b_.store_scalar(column.type, value, column.pointer, at);
        else store(column, value);
      });
    }
  }

  /// One element of each index of the batch, in memory.
  struct Column {
    ElementType type;
    Value *pointer, *at;
    int64_t stride;
    Value *count, *is_whole;  ///< number of lanes that have an index; whether all lanes have one
  };

  // Lanes without an index load valid memory instead of using a mask: if no instruction takes a mask, LLVM writes a
  // branch for each lane.
  Value* load(const Column& c) {
    const auto whole = [&] { return Values{b_.load(c.type, c.pointer, c.at)}; };
    const auto tail = [&] { return Values{b_.load_tail(c.type, c.pointer, c.at, c.count)}; };
    if (c.stride == 1) return b_.if_else(c.is_whole, whole, tail)[0];
    Value* const row = this->row();
    ir_.CreateMemSet(row, ir_.getInt8(0), static_cast<uint64_t>(element_size_bytes(c.type) * b_.lanes()), {});
    each_index(c, [&](Value* lane, Value* in_column) { copy(c.type, c.pointer, in_column, row, lane); });
    return b_.load(c.type, row, b_.index(0));
  }

  void store(const Column& c, Value* value) {
    const auto whole = [&] { b_.store(c.type, value, c.pointer, c.at); };
    const auto tail = [&] { b_.store_tail(c.type, value, c.pointer, c.at, c.count); };
    if (c.stride == 1) return b_.branch(c.is_whole, whole, tail);
    Value* const row = this->row();
    b_.store(c.type, value, row, b_.index(0));
    each_index(c, [&](Value* lane, Value* in_column) { copy(c.type, row, lane, c.pointer, in_column); });
  }

  /// Returns stack memory for the lanes of any column.
  Value* row() {
    constexpr int64_t kWidest = 16;
    if (row_ == nullptr) row_ = b_.stack(kWidest * b_.lanes());
    return row_;
  }

  void each_index(const Column& c, const std::function<void(Value* lane, Value* in_column)>& visit) {
    b_.for_each(b_.index(0), c.count, b_.index(1),
                [&](Value* lane) { visit(lane, ir_.CreateAdd(c.at, ir_.CreateMul(lane, b_.index(c.stride)))); });
  }

  void copy(ElementType type, Value* from, Value* from_at, Value* to, Value* to_at) {
    llvm::Type* const element = b_.memory_scalar(type);
    const llvm::Align align(1);
    Value* const bits = ir_.CreateAlignedLoad(element, ir_.CreateGEP(element, from, from_at), align);
    ir_.CreateAlignedStore(bits, ir_.CreateGEP(element, to, to_at), align);
  }

  /// Calls visit(the element's address, the stride between lanes, 0 if all have the same) for each element of leaf k.
  void each_element(size_t k, Value* first, const std::function<void(Value* at, int64_t stride)>& visit) {
    const Shape& leaf = leaves_[k];
    const auto lane_dimension = batch_dimension(leaf, loop_.batch);
    const std::vector<int64_t> extents = extents_per_index(leaf, loop_.batch);
    int64_t stride = 1;  // stride of the batch dimension
    for (size_t d = leaf.dimensions().size(); lane_dimension && --d > *lane_dimension;) stride *= extents[d];
    for (int64_t e = 0; e < elements_per_index(leaf, loop_.batch); ++e) {
      if (!lane_dimension) {
        visit(b_.index(e), 0);
        continue;
      }
      // Element e of one index: elements before the batch dimension are whole batches apart.
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
  Value* row_ = nullptr;
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
int lanes_for(const LoopOfLanes& loop, const engine::LoopWork& work, Isa isa) {
  if (loop.batch == 1) return 1;
  constexpr int64_t kShortest = 12, kShorter = 32, kShort = 96, kMaxCarried = 32, kMaxRegisters = 4000;
  int lanes = vector_bytes(isa);
  int64_t carried = 0;
  for (const Shape& leaf : loop.body.result_shape().leaves()) {
    if (!batch_dimension(leaf, loop.batch)) continue;
    lanes = std::min(lanes, natural_lanes(isa, leaf.element_type()));
    carried += elements_per_index(leaf, loop.batch);
  }
  int64_t registers = work.operations <= kShortest  ? 8
                      : work.operations <= kShorter ? 4
                      : work.operations <= kShort   ? 2
                                                    : 1;
  while (registers > 1 && registers * carried > kMaxCarried) registers /= 2;
  lanes *= static_cast<int>(registers);
  while (lanes > 1 && work.bytes * lanes / vector_bytes(isa) > kMaxRegisters) lanes /= 2;
  return static_cast<int>(
      std::min<int64_t>(lanes, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(loop.batch)))));
}

std::string key_of(const LoopOfLanes& loop, Isa isa) {
  const hlo::Fingerprint condition = loop.condition.fingerprint(), body = loop.body.fingerprint();
  return fmt::format("{} {} {} {:x} {:x} {:x} {:x}", isa_name(isa), loop.batch, loop.lanes, condition.high,
                     condition.low, body.high, body.low);
}

}  // namespace

StatusOr<RegisterLoop> compile_register_loop(const hlo::Computation& condition, const hlo::Computation& body,
                                             int64_t batch, const engine::LoopWork& work, Isa isa) {
  LoopOfLanes loop{condition, body, batch, 1};
  loop.lanes = lanes_for(loop, work, isa);
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
