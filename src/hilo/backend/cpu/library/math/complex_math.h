// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/math/complex_math.h -- the reference's complex functions over short arrays, which vector code
// calls.
#pragma once

#include <vector>

#include "hilo/backend/cpu/library/math/scalar_math.h"

namespace hilo::cpu {

/// Returns "hilo_<opcode>_c64" and "..._c128" for every elementwise op from complex numbers to complex numbers:
/// void(const T* x, const T* y, T* result, int64 count). Functions of one argument ignore y.
std::vector<RuntimeFunction> complex_math_functions();

}  // namespace hilo::cpu
