// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/narrow_float.h -- converts between f32 lanes and bytes with 8- and 4-bit floats, in vector code.
#pragma once

#include "hilo/backend/cpu/emit/simd.h"

namespace hilo::cpu {

/// Emits the exact conversion of codes in i8 lanes to f32 lanes. Every NaN becomes the default one.
llvm::Value* widen_narrow_float(SimdBuilder& b, const NarrowFormat& format, llvm::Value* codes);

/// Emits the conversion of f32 lanes to the nearest codes in i8 lanes, with the rules of narrow_code().
llvm::Value* round_to_narrow_float(SimdBuilder& b, const NarrowFormat& format, llvm::Value* value);

}  // namespace hilo::cpu
