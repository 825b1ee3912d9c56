// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/math/complex_math.h -- the names of the complex functions of backend/cpu/runtime.
#pragma once

#include <string>
#include <vector>

namespace hilo::cpu {

struct ComplexFunction {
  std::string name;    ///< in compiled code
  std::string symbol;  ///< in libhilo_rt.a: its name begins with "hilo_rt_"
  void* address;
};

/// Returns "hilo_<opcode>_c64" and "..._c128" for every elementwise op from complex numbers to complex numbers:
/// void(const T* x, const T* y, T* result, int64 count). Functions of one argument ignore y.
std::vector<ComplexFunction> complex_math_functions();

}  // namespace hilo::cpu
