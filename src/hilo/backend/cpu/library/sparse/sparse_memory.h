// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/sparse/sparse_memory.h -- scratch memory, kernels, and groups of matrices computed together.
#pragma once

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/library/costs.h"
#include "hilo/backend/cpu/library/parallel.h"
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

inline const FrontKernels& front_kernels_of(Isa isa) {
  if constexpr (kIsX86) {
    if (isa == Isa::kAvx512) return front_kernels_avx512();
    if (isa == Isa::kAvx2) return front_kernels_avx2();
  }
  return front_kernels_sse2();
}

/// Returns the kernels of the selected instruction set.
/// Errors    those of selected_isa()
template <typename T>
StatusOr<const FrontKernelsOf<T>*> front_kernels() {
  HILO_ASSIGN_OR_RETURN(const Isa isa, selected_isa());
  const FrontKernels& kernels = front_kernels_of(isa);
  if constexpr (sizeof(T) == 8) return &kernels.f64;
  else return &kernels.f32;
}

/// Returns how many matrices of a batch are computed together. They share the work of finding places, which dominates
/// while fronts are small, as long as the factors of all lanes fit in the caches.
template <typename T>
int64_t lanes_for(const FrontKernelsOf<T>& kernels, const sparse_direct::Plan& plan, int64_t count) {
  constexpr int64_t kLargestFront = 256, kBytes = 4 << 20;
  const int64_t bytes = kernels.lanes * plan.factor_size * static_cast<int64_t>(sizeof(T));
  return count >= kernels.lanes && plan.largest_front <= kLargestFront && bytes <= kBytes ? kernels.lanes : 1;
}

/// The matrices of a call, and how they are computed.
struct Groups {
  int64_t count, lanes;  ///< matrices, and how many of them are computed together
  int64_t columns;       ///< right sides for which a workspace has memory, in addition to `lanes`
  double work;           ///< multiplications
};

/// Calls with(first, together, workspace) for all groups of matrices, then one by one for the rest; on several threads
/// if that pays off. Each thread has a Workspace(scratch, plan, columns).
/// Errors    RESOURCE_EXHAUSTED with this message if there is no memory for a workspace
template <typename Workspace, typename With>
Status for_groups(const sparse_direct::Plan& plan, const Groups& g, const char* message, const With& with) {
  const auto in_range = [&](int64_t together, int64_t first, int64_t begin, int64_t end) -> Status {
    const int64_t columns = std::max(g.columns, together);
    Scratch scratch;
    Workspace(scratch, plan, columns);
    HILO_RETURN_IF_ERROR(scratch.allocate());
    const Workspace own(scratch, plan, columns);
    const StopFlag stop;
    for (int64_t k = begin; k < end && !stop.raised(); ++k) with(first + k * together, together, own);
    return ok_status();
  };
  const int64_t groups = g.count / g.lanes, rest = g.count - groups * g.lanes;
  const bool forks = default_pool().threads() > 1 && worth_forking(work_ns(kCpuCosts.library.factor_term, g.work));
  std::atomic<bool> failed = false;
  in_parts(groups, forks ? parts_for_threads(groups) : 1, [&](int64_t begin, int64_t end) {
    if (!in_range(g.lanes, 0, begin, end).ok()) failed = true;
  });
  if (rest > 0 && !in_range(1, groups * g.lanes, 0, rest).ok()) failed = true;
  return failed ? resource_exhausted(message) : ok_status();
}

}  // namespace hilo::cpu
