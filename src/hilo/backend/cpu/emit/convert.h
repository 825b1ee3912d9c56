// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/convert.h -- HLO convert: between any two element types that have registers.
#pragma once

#include "hilo/backend/cpu/emit/simd.h"

namespace hilo::cpu {

/// `value`, a register of type `from`, as a register of type `to`, with XLA's rules: float to integer truncates,
/// saturates, and makes NaN zero; integers wrap; anything to pred is "not zero" (NaN is true); to a float rounds to
/// nearest even, f64 and integers reaching f16 and bf16 by way of f32.
llvm::Value* emit_convert(SimdBuilder& b, ElementType from, ElementType to, llvm::Value* value);

/// HLO bitcast-convert between types of one width: the bits of `value`, a register of type `from`, as one of type `to`.
llvm::Value* cast_bits(SimdBuilder& b, ElementType from, ElementType to, llvm::Value* value);

}  // namespace hilo::cpu
