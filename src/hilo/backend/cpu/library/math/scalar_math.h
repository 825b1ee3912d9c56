// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/math/scalar_math.h -- the C library's functions over short arrays, which vector code calls for
// rare arguments (huge angles) and rare functions.
#pragma once

#include <span>
#include <string_view>

namespace hilo::cpu {

struct RuntimeFunction {
  std::string_view name;
  void* address;
};

/// Returns "hilo_<function>_f32" and "..._f64": void(const T* x, const T* y, T* result, int64 count). Functions of one
/// argument ignore y. The f32 forms compute in f64 and round once.
std::span<const RuntimeFunction> scalar_math_functions();

}  // namespace hilo::cpu
