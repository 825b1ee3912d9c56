# SPDX-License-Identifier: Apache-2.0
# cmake/wrapped.cmake -- functions of the system that libhilo.so and its companions replace by __wrap_NAME of
# libhilo.so, for their own calls only. backend/cpu/load/spare_memory.cc has operator new and delete,
# base/process_end.cc __cxa_atexit.
set(HILO_WRAPPED
  _Znwm _Znam _ZnwmSt11align_val_t _ZnamSt11align_val_t
  _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t _ZnwmSt11align_val_tRKSt9nothrow_t _ZnamSt11align_val_tRKSt9nothrow_t
  _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm
  _ZdlPvSt11align_val_t _ZdaPvSt11align_val_t _ZdlPvmSt11align_val_t _ZdaPvmSt11align_val_t
  _ZdlPvRKSt9nothrow_t _ZdaPvRKSt9nothrow_t _ZdlPvSt11align_val_tRKSt9nothrow_t _ZdaPvSt11align_val_tRKSt9nothrow_t
  __cxa_atexit)
list(TRANSFORM HILO_WRAPPED PREPEND -Wl,--wrap= OUTPUT_VARIABLE HILO_WRAP_OPTIONS)
target_link_options(hilo PRIVATE ${HILO_WRAP_OPTIONS})
