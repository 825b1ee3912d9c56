// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/integer.h -- integer operations with XLA's edge cases, which differ from the processor's.
#pragma once

#include "hilo/backend/cpu/emit/simd.h"

namespace hilo::cpu {

/// Emits x / y. x/0 is -1 (all ones if unsigned), MIN/-1 is MIN.
llvm::Value* emit_integer_divide(SimdBuilder& b, ElementType type, llvm::Value* x, llvm::Value* y);
/// Emits x % y. x%0 is x, MIN%-1 is 0; the sign is that of x.
llvm::Value* emit_integer_remainder(SimdBuilder& b, ElementType type, llvm::Value* x, llvm::Value* y);
/// Emits x to the power of y, which wraps on overflow. A negative exponent gives 0, except for the bases 1 and -1.
llvm::Value* emit_integer_power(SimdBuilder& b, ElementType type, llvm::Value* x, llvm::Value* y);
/// Emits the upper half of the double-width product.
llvm::Value* emit_multiply_high(SimdBuilder& b, ElementType type, llvm::Value* x, llvm::Value* y);

enum class Shift : std::uint8_t { kLeft, kRightArithmetic, kRightLogical };
/// Emits a shift. Amounts are unsigned; those past the width give 0, or copies of the sign bit.
llvm::Value* emit_shift(SimdBuilder& b, Shift shift, llvm::Value* x, llvm::Value* amount);

}  // namespace hilo::cpu
