// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/narrow_float.h -- the 8- and 4-bit floats in vector code: bytes to f32 lanes and back.
#pragma once

#include "hilo/backend/cpu/emit/simd.h"

namespace hilo::cpu {

/// Codes in i8 lanes to their values in f32 lanes; exact. Every NaN becomes the usual one.
llvm::Value* widen_narrow_float(SimdBuilder& b, const NarrowFormat& format, llvm::Value* codes);

/// f32 lanes to the nearest codes in i8 lanes, with the rules of narrow_code().
llvm::Value* round_to_narrow_float(SimdBuilder& b, const NarrowFormat& format, llvm::Value* value);

}  // namespace hilo::cpu
