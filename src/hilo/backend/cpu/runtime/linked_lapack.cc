// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/linked_lapack.h"

namespace hilo::cpu::runtime {

#ifdef HILO_RUNTIME_ARCHIVE

namespace {

using F32 = float;
using F64 = double;
using C64 = Complex<float>;
using C128 = Complex<double>;

}  // namespace

// A weak name is null unless the program links a library that defines it.
#define HILO_LINKED(letter, T, field, name) \
  extern "C" std::remove_pointer_t<decltype(LinkedLapack<T>::field)> letter##name##_ __attribute__((weak));
#define HILO_LINKED_TYPE(letter, T, eigen, q)                                 \
  HILO_LINKED(letter, T, gemm, gemm)                                          \
  HILO_LINKED(letter, T, trsm, trsm)                                          \
  HILO_LINKED(letter, T, potrf, potrf)                                        \
  HILO_LINKED(letter, T, getrf, getrf)                                        \
  HILO_LINKED(letter, T, geqrf, geqrf)                                        \
  HILO_LINKED(letter, T, orgqr, q)                                            \
  HILO_LINKED(letter, T, syevd, eigen)                                        \
  HILO_LINKED(letter, T, gesdd, gesdd)                                        \
  template <>                                                                 \
  LinkedLapack<T> linked_lapack<T>() {                                        \
    return {letter##gemm_,  letter##trsm_, letter##potrf_,   letter##getrf_,  \
            letter##geqrf_, letter##q##_,  letter##eigen##_, letter##gesdd_}; \
  }
HILO_LINKED_TYPE(s, F32, syevd, orgqr)
HILO_LINKED_TYPE(d, F64, syevd, orgqr)
HILO_LINKED_TYPE(c, C64, heevd, ungqr)
HILO_LINKED_TYPE(z, C128, heevd, ungqr)
#undef HILO_LINKED_TYPE
#undef HILO_LINKED

#else

template <typename T>
LinkedLapack<T> linked_lapack() {
  return {};
}
template LinkedLapack<float> linked_lapack<float>();
template LinkedLapack<double> linked_lapack<double>();
template LinkedLapack<Complex<float>> linked_lapack<Complex<float>>();
template LinkedLapack<Complex<double>> linked_lapack<Complex<double>>();

#endif

}  // namespace hilo::cpu::runtime
