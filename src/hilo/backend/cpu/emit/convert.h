// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/convert.h -- HLO convert between any two element types that have registers.
#pragma once

#include "hilo/backend/cpu/emit/simd.h"

namespace hilo::cpu {

/// Emits the conversion of `value`, a register of type `from`, to type `to`, with XLA's rules. Float to integer
/// truncates, saturates, and maps NaN to zero. Integers wrap. Conversion to pred tests for "not zero" (NaN is true).
/// Conversion to a float rounds to nearest even; f64 and integers become f16 and bf16 by way of f32.
llvm::Value* emit_convert(SimdBuilder& b, ElementType from, ElementType to, llvm::Value* value);

/// Emits HLO bitcast-convert between types of equal width: the bits of `value`, a register of type `from`, as type
/// `to`.
llvm::Value* cast_bits(SimdBuilder& b, ElementType from, ElementType to, llvm::Value* value);

}  // namespace hilo::cpu
