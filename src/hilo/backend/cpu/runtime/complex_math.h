// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/complex_math.h -- the reference's complex functions over short arrays, which vector code calls:
// hilo_rt_NAME_c64 and hilo_rt_NAME_c128 for each row of elementwise.inc. Those of rows that have no kernel from
// complex numbers to complex numbers do nothing; complex_kernel is null for them.
#pragma once

#include <complex>
#include <cstdint>

#include "hilo/hlo/ops/elementwise_rows.h"

namespace hilo::cpu::runtime {

/// Functions of one argument ignore y.
template <typename T>
using ComplexFunction = void (*)(const T* x, const T* y, T* result, int64_t count);

extern "C" {
#define HILO_ELEMENTWISE(enumerator, ...)                                                        \
  void hilo_rt_##enumerator##_c64(const std::complex<float>* x, const std::complex<float>* y,    \
                                  std::complex<float>* result, int64_t count);                   \
  void hilo_rt_##enumerator##_c128(const std::complex<double>* x, const std::complex<double>* y, \
                                   std::complex<double>* result, int64_t count);
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE
}

/// Whether a row has a kernel from complex numbers to complex numbers.
template <typename Row>
inline constexpr bool kIsComplexRow =
    !Row::kSpecial && hlo::contains(Row::kTypes, ElementType::kC64) && Row::kResult == hlo::ResultType::kSame;

}  // namespace hilo::cpu::runtime
