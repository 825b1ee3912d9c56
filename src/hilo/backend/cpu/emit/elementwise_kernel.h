// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/elementwise_kernel.h -- one elementwise op over flat arrays as a compiled function, for execution op
// by op, tests and measurements. Its interface has no LLVM types.
#pragma once

#include <memory>
#include <vector>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/load/compiled_code.h"
#include "hilo/hlo/ops/elementwise.h"

namespace hilo::cpu {

struct ElementwiseKernelSpec {
  hlo::Opcode opcode;
  std::vector<ElementType> operand_types;  ///< one per operand; the first of select is pred
  ElementType result_type;
  const hlo::Attributes* attributes = nullptr;  ///< for compare and reduce-precision
  int lanes = 0;                                ///< 0 means that the widest type fills one register
};

/// A compiled kernel. `function` is valid while `code` exists.
struct ElementwiseKernel {
  std::shared_ptr<CompiledCode> code;
  /// Reads inputs[k][0..count), writes output[0..count), and accesses nothing else. Arrays need only their natural
  /// alignment; the output may be one of the inputs.
  void (*function)(const void* const* inputs, void* output, std::int64_t count) = nullptr;
};

/// Compiles the kernel.
/// Errors: those of emit_elementwise. Preconditions: at least one operand; lanes are a power of two up to 64, or 0.
/// Cost: 1 ms for cheap ops, 2-3 ms for elementary functions.
StatusOr<ElementwiseKernel> compile_elementwise_kernel(const ElementwiseKernelSpec& spec, Isa isa);

}  // namespace hilo::cpu
