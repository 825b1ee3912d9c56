// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/integers_in_doubles.h -- integers of 64 bits as f64 and back, for processors without instructions
// for vectors of them.
#pragma once

#include <bit>

#include "hilo/backend/cpu/emit/simd.h"

namespace hilo::cpu {

inline constexpr int kBitsInDoubles = 51;  ///< integers of IntegersInDoubles are less than 2^51 away from zero

/// Emits for each lane whether the integer is too large.
inline llvm::Value* exceed_doubles(SimdBuilder& b, bool is_signed, llvm::Value* x) {
  auto& ir = b.ir();
  constexpr std::uint64_t kLimit = std::uint64_t{1} << kBitsInDoubles;
  return is_signed ? ir.CreateICmpUGE(ir.CreateAdd(x, b.int_like(x, kLimit)), b.int_like(x, 2 * kLimit))
                   : ir.CreateICmpUGE(x, b.int_like(x, kLimit));
}

/// Converts such integers: added to 1.5 * 2^52, an integer is the last bits of the sum.
class IntegersInDoubles {
 public:
  explicit IntegersInDoubles(SimdBuilder& b)
      : b_(b), integers_(b.register_type(ElementType::kS64)), doubles_(b.register_type(ElementType::kF64)) {}

  llvm::Value* to(llvm::Value* x) const {
    return b_.ir().CreateFSub(b_.ir().CreateBitCast(b_.ir().CreateAdd(x, bits()), doubles_), middle());
  }
  llvm::Value* from(llvm::Value* x) const {
    return b_.ir().CreateSub(b_.ir().CreateBitCast(b_.ir().CreateFAdd(x, middle()), integers_), bits());
  }

 private:
  llvm::Value* middle() const { return llvm::ConstantFP::get(doubles_, 0x1.8p52); }
  llvm::Value* bits() const { return llvm::ConstantInt::get(integers_, std::bit_cast<std::uint64_t>(0x1.8p52)); }

  SimdBuilder& b_;
  llvm::Type *integers_, *doubles_;
};

}  // namespace hilo::cpu
