// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/elementwise_kernel.h -- one elementwise op over flat arrays as a compiled function: for op-by-op
// execution, tests and measurements. No LLVM types here.
#pragma once

#include <memory>
#include <vector>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/load/compiled_code.h"
#include "hilo/hlo/ops/elementwise.h"

namespace hilo::cpu {

struct ElementwiseKernelSpec {
  hlo::Opcode opcode;
  std::vector<ElementType> operand_types;  ///< one per operand; select's first is pred
  ElementType result_type;
  const hlo::Attributes* attributes = nullptr;  ///< compare and reduce-precision have some
  int lanes = 0;                                ///< 0: fill one register with the widest type
};

/// A compiled kernel; `function` lives as long as `code`.
struct ElementwiseKernel {
  std::shared_ptr<CompiledCode> code;
  /// Reads inputs[k][0..count), writes output[0..count), touches nothing else. Arrays need only their natural
  /// alignment; the output may be one of the inputs.
  void (*function)(const void* const* inputs, void* output, std::int64_t count) = nullptr;
};

/// Errors: those of emit_elementwise. Preconditions: at least one operand; lanes are a power of two up to 64, or 0
/// Cost: 1 ms for cheap ops, 2-3 ms for elementary functions.
StatusOr<ElementwiseKernel> compile_elementwise_kernel(const ElementwiseKernelSpec& spec, Isa isa);

}  // namespace hilo::cpu
