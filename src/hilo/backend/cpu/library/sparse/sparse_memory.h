// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/sparse/sparse_memory.h -- scratch memory, and kernels for the processor.
#pragma once

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/library/sparse/front_kernels.h"
#include "hilo/base/buffer_pool.h"

namespace hilo::cpu {

/// Hands out aligned parts of one buffer. A first pass over the parts without memory computes their size.
class Scratch {
 public:
  template <typename T>
  T* take(int64_t count) {
    const size_t at = used_;
    used_ += (static_cast<size_t>(count) * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return memory_.data() == nullptr ? nullptr : reinterpret_cast<T*>(memory_.data() + at);
  }
  /// Allocates what has been taken so far, and starts again.
  Status allocate() {
    HILO_ASSIGN_OR_RETURN(memory_, allocate_buffer(used_ + kAlignment));
    used_ = 0;
    return ok_status();
  }

 private:
  static constexpr size_t kAlignment = 64;
  AlignedBuffer memory_;
  size_t used_ = 0;
};

template <typename T>
const FrontKernelsOf<T>& front_kernels() {
  static const FrontKernels& kernels = host_isa() == Isa::kAvx512 ? front_kernels_avx512()
                                       : host_isa() == Isa::kAvx2 ? front_kernels_avx2()
                                                                  : front_kernels_sse2();
  if constexpr (sizeof(T) == 8) return kernels.f64;
  else return kernels.f32;
}

/// Returns how many matrices of a batch are computed together. They share the work of finding places, which dominates
/// while fronts are small, as long as the factors of all lanes fit in the caches.
template <typename T>
int64_t lanes_for(const sparse_direct::Plan& plan, int64_t count) {
  constexpr int64_t kLargestFront = 256, kBytes = 4 << 20;
  const int64_t lanes = front_kernels<T>().lanes, bytes = lanes * plan.factor_size * static_cast<int64_t>(sizeof(T));
  return count >= lanes && plan.largest_front <= kLargestFront && bytes <= kBytes ? lanes : 1;
}

}  // namespace hilo::cpu
