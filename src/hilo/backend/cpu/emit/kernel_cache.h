// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/kernel_cache.h -- compiled regions, shared by all executables of the process.
#pragma once

#include <memory>
#include <span>

#include "hilo/backend/cpu/emit/region/node_traits.h"
#include "hilo/backend/cpu/load/compiled_code.h"
#include "hilo/hlo/ir/pass_observer.h"

namespace hilo::cpu {

struct CachedKernel {
  std::shared_ptr<CompiledCode> code;
  std::string name;        ///< name of the function
  int64_t code_bytes = 0;  ///< bytes of its own code
};
inline int64_t held_bytes(const CachedKernel& kernel) { return kernel.code_bytes; }

struct KernelBatch {
  std::vector<CachedKernel> kernels;  ///< one per region
  int64_t compiled = 0;               ///< number of kernels that weren't in the cache
};

/// Returns code for every region. Regions that aren't in the cache are compiled together, or one by one if `observer`
/// (may be null) times them. Thread safe.
/// Errors    those of emit_region and the code generator
StatusOr<KernelBatch> kernels_for(std::span<const engine::Region> regions, Isa isa,
                                  hlo::PassObserver* observer = nullptr);

}  // namespace hilo::cpu
