// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/loop.h"

#include <llvm/IR/Module.h>

#include "hilo/backend/cpu/emit/region/index.h"

namespace hilo::cpu {

using llvm::Value;

void plain_loop(RegionState& s, size_t k, Value* from, Value* to, int64_t step, const Inside& inside) {
  const auto body = [&](Value* i) { at_index(s, k, bounded(s, k, i, to, step), inside); };
  const auto* begin = llvm::dyn_cast<llvm::ConstantInt>(from);
  const auto* end = llvm::dyn_cast<llvm::ConstantInt>(to);
  if (begin != nullptr && end != nullptr && end->getSExtValue() - begin->getSExtValue() == step) return body(from);
  counted_loop(s, k, from, to, step, {}, [&](Value* i, const Values&) {
    body(i);
    return Values{};
  });
}

void at_index(RegionState& s, size_t k, Value* index, const Inside& inside) {
  const Position before = s.position;
  enter(s, k, index);
  inside();
  s.position = before;
}

Values counted_loop(RegionState& s, size_t k, Value* from, Value* to, int64_t step, const Values& carried,
                    const LoopBody& body) {
  const auto loop = [&](Value* begin, Value* end, const Values& now) {
    return s.scalar.counted_loop(begin, end, s.scalar.index(step), now, body);
  };
  if (!s.polled || s.polled->dimension != k) return loop(from, to, carried);
  const int64_t part = (s.polled->turns + step - 1) / step * step;
  return loop_in_parts(s, from, to, part, carried, [&](Value* begin, Value* end, const Values& now) {
    return loop(begin, end_unless_stopped(s, begin, end), now);
  });
}

Values loop_in_parts(RegionState& s, Value* from, Value* to, int64_t size, const Values& carried,
                     const std::function<Values(Value* begin, Value* end, const Values& carried)>& body) {
  return s.scalar.counted_loop(from, to, s.scalar.index(size), carried, [&](Value* begin, const Values& now) {
    return body(begin, end_of_part(s, begin, to, size), now);
  });
}

Value* end_of_part(RegionState& s, Value* begin, Value* to, int64_t size) {
  Value* const next = s.ir.CreateAdd(begin, s.scalar.index(size));
  return s.ir.CreateSelect(s.ir.CreateICmpSLT(next, to), next, to);
}

Value* bounded(RegionState& s, size_t k, Value* i, Value* end, int64_t step) {
  if (s.region.extents[k] % step == 0) return i;
  Value* last = s.ir.CreateSub(end, s.scalar.index(step));
  return s.ir.CreateSelect(s.ir.CreateICmpSLT(i, last), i, last);
}

Value* end_unless_stopped(RegionState& s, Value* begin, Value* end) {
  llvm::Module* const module = s.ir.GetInsertBlock()->getModule();
  auto* const signature = llvm::FunctionType::get(s.ir.getInt64Ty(), {}, false);
  Value* const stopped = s.ir.CreateCall(module->getOrInsertFunction("hilo_stop_requested", signature), {});
  return s.ir.CreateSelect(s.ir.CreateICmpNE(stopped, s.ir.getInt64(0)), begin, end);
}

}  // namespace hilo::cpu
