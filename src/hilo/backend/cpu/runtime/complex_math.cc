// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/complex_math.h"

namespace hilo::cpu::runtime {
namespace {

template <typename Row, typename T>
void map_row([[maybe_unused]] const T* x, [[maybe_unused]] const T* y, [[maybe_unused]] T* result,
             [[maybe_unused]] int64_t count) {
  if constexpr (kIsComplexRow<Row>) {
    for (int64_t i = 0; i < count; ++i) result[i] = hlo::rows::apply_row<Row, T>(x[i], y[i]);
  }
}

}  // namespace

#define HILO_ELEMENTWISE(enumerator, ...)                                                        \
  void hilo_rt_##enumerator##_c64(const std::complex<float>* x, const std::complex<float>* y,    \
                                  std::complex<float>* result, int64_t count) {                  \
    map_row<hlo::rows::enumerator##Row>(x, y, result, count);                                    \
  }                                                                                              \
  void hilo_rt_##enumerator##_c128(const std::complex<double>* x, const std::complex<double>* y, \
                                   std::complex<double>* result, int64_t count) {                \
    map_row<hlo::rows::enumerator##Row>(x, y, result, count);                                    \
  }
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE

}  // namespace hilo::cpu::runtime
