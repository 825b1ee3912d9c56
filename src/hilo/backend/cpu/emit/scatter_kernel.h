// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/scatter_kernel.h -- compiles the inner loops of scatter as one function. It reads index vectors,
// drops windows that don't fit and combines the others with the array. Its interface has no LLVM types.
#pragma once

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/abi/scatter.h"
#include "hilo/backend/cpu/load/compiled_code.h"

namespace hilo::cpu {

/// `code` owns `function`.
struct ScatterKernel {
  static constexpr const char* kName = "scatter";  ///< of the function

  std::shared_ptr<CompiledCode> code;
  ScatterFunction function = nullptr;
};
inline int64_t held_bytes(const ScatterKernel& kernel) { return std::ssize(*kernel.code); }

/// Compiles the kernel, once per process and specification. Precondition: is_scalar_program(*spec.body).
/// Cost      2 to 7 ms for a sum, measured on a busy machine: rows cost more than single elements
StatusOr<ScatterKernel> compile_scatter_kernel(const ScatterKernelSpec& spec, Isa isa);

}  // namespace hilo::cpu
