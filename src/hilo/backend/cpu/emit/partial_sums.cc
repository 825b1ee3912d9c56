// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/partial_sums.h"

#include <llvm/IR/Module.h>

#include <bit>

namespace hilo::cpu {

using llvm::Value;

namespace {
constexpr int64_t kAlignment = 16;  // as in SimdBuilder::stack
}

PartialSums::PartialSums(SimdBuilder& scalar, std::vector<llvm::Type*> types, int64_t chunks, Join join)
    : b_(scalar), ir_(scalar.ir()), types_(std::move(types)), chunks_(chunks), join_(std::move(join)) {
  const llvm::DataLayout& layout = ir_.GetInsertBlock()->getModule()->getDataLayout();
  for (llvm::Type* type : types_) {
    offsets_.push_back(level_bytes_);
    const int64_t bytes = layout.getTypeAllocSize(type).getFixedValue();
    level_bytes_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  memory_ = b_.stack(level_bytes_ * std::bit_width(static_cast<uint64_t>(chunks)));
  count_ = b_.stack(sizeof(int64_t));
  ir_.CreateStore(b_.index(0), count_);
}

void PartialSums::push(const Values& sums) {
  const size_t n = sums.size();
  const auto sums_of = [&](const Values& values) { return Values(values.begin(), values.begin() + n); };
  Value* before = ir_.CreateLoad(ir_.getInt64Ty(), count_);
  ir_.CreateStore(ir_.CreateAdd(before, b_.index(1)), count_);
  Values initial = sums;
  initial.push_back(before);
  initial.push_back(memory_);
  const auto carries = [&](const Values& now) { return ir_.CreateTrunc(now[n], ir_.getInt1Ty()); };
  const auto join = [&](const Values& now) {
    Values next = join_(load(now[n + 1]), sums_of(now));
    next.push_back(ir_.CreateLShr(now[n], 1));
    next.push_back(above(now[n + 1]));
    return next;
  };
  const Values last = b_.while_loop(initial, carries, join);
  store(last[n + 1], sums_of(last));
}

Values PartialSums::total() {
  Values sums;
  for (int64_t level = 0; chunks_ >> level != 0; ++level) {
    if ((chunks_ >> level & 1) == 0) continue;
    const Values earlier = load(above(memory_, level));
    sums = sums.empty() ? earlier : join_(earlier, sums);
  }
  return sums;
}

Values PartialSums::load(Value* level) {
  Values sums;
  for (size_t k = 0; k < types_.size(); ++k) {
    Value* at = ir_.CreateGEP(ir_.getInt8Ty(), level, b_.index(offsets_[k]));
    sums.push_back(ir_.CreateAlignedLoad(types_[k], at, llvm::Align(kAlignment)));
  }
  return sums;
}

void PartialSums::store(Value* level, const Values& sums) {
  for (size_t k = 0; k < types_.size(); ++k) {
    Value* at = ir_.CreateGEP(ir_.getInt8Ty(), level, b_.index(offsets_[k]));
    ir_.CreateAlignedStore(sums[k], at, llvm::Align(kAlignment));
  }
}

Value* PartialSums::above(Value* level, int64_t levels) {
  return ir_.CreateGEP(ir_.getInt8Ty(), level, b_.index(levels * level_bytes_));
}

}  // namespace hilo::cpu
